// The facts about algorithms and their parameters: the closed vocabulary that the policy, the command, the
// log and the tests share. No MPI, so that tools without MPI can use it.
#pragma once

#include "collective.hpp"
#include "patterns/radices.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace switchyard::algorithms {

// ---- Parameters -----------------------------------------------------------------------------------------

// The lines of parameters.def.
enum class Parameter : std::uint8_t {
#define SWITCHYARD_PARAMETER(name, ...) name,
#include "parameters.def"
};
#define SWITCHYARD_PARAMETER(...) +1
inline constexpr std::size_t parameter_count = 0
#include "parameters.def"
    ;

// The values of Parameter::metadata.
enum class Metadata : std::int64_t { separate, fused };

// The values of Parameter::intra.
enum class Intra : std::int64_t { messages, shared };

// The values of Parameter::requests.
enum class Requests : std::int64_t { by_ranks, messages, alltoall, alltoallv };

// The value of a parameter where a policy gives none.
enum class Preset : std::uint8_t { value, square_root_of_ranks, eighth_of_ranks };

// The values that a search tries in addition to the preset.
enum class Grid : std::uint8_t {
    none,                       // a search cannot know which values make sense
    words,                      // all words
    words_on_shared_nodes,      // all words, where a node has several ranks
    doubling_to_ranks,          // doubled from the smallest value up; at the end the number of ranks
    doubling_to_partners,       // doubled from the smallest value up, below the number of ranks
    doubling_to_ranks_per_node, // doubled from 1 up
    sizes_of_blocks,            // bytes: 256 to 65536 in steps of four
};

// A value that the tests of the algorithms try: a number, or a number added to the number of ranks.
struct Corner {
    std::int64_t value;
    bool of_ranks = false;

    constexpr Corner(std::int64_t number, bool added_to_ranks = false)
        : value(number), of_ranks(added_to_ranks) {}
    constexpr Corner operator-(std::int64_t less) const { return {value - less, of_ranks}; }
    constexpr std::int64_t at(int ranks) const { return value + (of_ranks ? ranks : 0); }
};

// The value of an optional parameter where nobody gave one.
inline constexpr std::int64_t absent = 0;
// "auto": a value that the policy computes from the communicator. No algorithm sees it, and no number in a
// policy equals it.
inline constexpr std::int64_t automatic = INT64_MIN;

struct ParameterTraits {
    Parameter parameter;
    std::string_view name;            // in JSON, in the log, in SWITCHYARD_FORCE
    std::string_view help;            // one line for people
    std::int64_t minimum = 0;         // smallest admissible value
    std::int64_t maximum = INT64_MAX; // largest one, unless ranks_bound
    bool ranks_bound = false;         // the largest is the number of ranks (but never below minimum)
    Preset preset = Preset::value;
    std::int64_t preset_value = 0; // where preset is `value`
    // Not empty: the value is one of these words, stored as its index, and maximum is the last index.
    std::span<const std::string_view> choices{};
    bool limits_partners = false; // a value above the number of partners means the same as their number
    Grid grid = Grid::none;
    std::int64_t grid_maximum = INT64_MAX; // the largest value of the grid
    bool searched_with_others = false;     // a search combines each of its values with all other parameters
    bool is_optional = false;              // without a value (`absent`) where nobody gives one
    bool takes_auto = false;               // the word "auto" stands for `automatic`
    bool takes_list = false;               // the value is one radix or a list (patterns::Radices)
    std::span<const Corner> corners{};     // in addition to preset and minimum
};

// All parameters in the order of the enum.
std::span<const ParameterTraits> parameter_vocabulary();
const ParameterTraits& traits_of(Parameter parameter);

inline bool is_absent(const ParameterTraits& parameter, std::int64_t value) {
    return parameter.is_optional && value == absent;
}

// Whether the value is a list.
inline bool is_list(const ParameterTraits& parameter, std::int64_t value) {
    return parameter.takes_list && patterns::Radices(value).is_list();
}

// The value as people write it: a number, the word that it stands for, or a list, `8x6`.
std::string text_of(const ParameterTraits& parameter, std::int64_t value);

// The values of all parameters for one algorithm on one communicator. Values that the algorithm does
// not take have no effect.
class Parameters {
  public:
    constexpr std::int64_t operator[](Parameter p) const { return values_[static_cast<std::size_t>(p)]; }
    constexpr std::int64_t& operator[](Parameter p) { return values_[static_cast<std::size_t>(p)]; }
    bool operator==(const Parameters&) const = default;

  private:
    std::array<std::int64_t, parameter_count> values_{};
};

// The facts about a communicator that the memory of an algorithm may depend on. The same on all its ranks.
struct GroupShape {
    constexpr GroupShape(int all) : ranks(all), ranks_per_node(all) {} // all on one node
    constexpr GroupShape(int all, int on_nodes, int largest_node)
        : ranks(all), nodes(on_nodes), ranks_per_node(largest_node) {}

    int ranks, nodes = 1;
    int ranks_per_node; // the most on one node
};

// ---- Algorithms -----------------------------------------------------------------------------------------

// The needs of an algorithm on all ranks, and its abilities. Each is one bit, so that a
// registry line can list several.
enum Needs : unsigned {
    no_needs = 0,
    // The largest block over all ranks must be agreed before the call, unless
    // Parameter::direct_from is given.
    agreed_block = 1U << 0,
    power_of_two_ranks = 1U << 1, // with any other number some rank has no partner
    shared_memory = 1U << 2,      // all ranks are on one node, and there is a NodeWindow of the node

    // The abilities.

    // Its send blocks may overlap its receive blocks: an exchange in place.
    takes_overlap = 1U << 16,
    // It treats near ranks and far ranks differently. Where nodes differ, its workspace on a rank
    // may be less than declared.
    knows_nodes = 1U << 17,
    // MPI moves all bytes except a rank's own block, so the buffers may be memory that only MPI can read and
    // write. Received bytes do not move again.
    moves_by_mpi_alone = 1U << 18,
    // It computes once what follows from the ranks and its parameters: <name>_schedule() in its file.
    keeps_schedule = 1U << 19,
    // The digits of its radix write distances between nodes, or between the ranks of a node. Without these
    // bits: between all ranks.
    digits_of_nodes = 1U << 20,
    digits_in_node = 1U << 21,
    // Without a radix its radix is 2.
    doubles_by_default = 1U << 22,
    // It looks at the edges between other ranks of its node and other nodes: Neighborhood::leaving.
    knows_edges = 1U << 23,
};

struct Traits {
    Collective collective;
    std::string_view name;                 // in JSON, in the log, and as file name
    std::string_view idea;                 // one line for people
    std::span<const Parameter> parameters; // the parameters that it takes
    unsigned needs = no_needs;             // with its abilities
    // The bytes of workspace that one call takes, from values that are the same on all ranks. Null: none.
    // `block`: the bytes of the largest block; where a rank sends one block to everybody, the bytes of the
    // mean block, rounded up.
    std::size_t (*scratch_bytes)(const GroupShape&, std::size_t block, const Parameters&) = nullptr;
    std::string_view source; // paper, section, algorithm number
    bool native = false;     // the MPI library's own collective
    std::size_t line = 0;    // its number among the lines of registry.def

    bool takes(Parameter parameter) const;
    bool has(unsigned need_or_ability) const { return (needs & need_or_ability) != 0; }
};

// Whether large blocks go directly to their receivers, and only smaller ones are forwarded
// (Parameter::direct_from).
constexpr bool sends_directly(const Parameters& parameters) {
    return parameters[Parameter::direct_from] != absent;
}

// Whether the largest block over all ranks must be agreed before the call. `parameters`: the algorithm's.
bool needs_agreed_block(const Traits& traits, const Parameters& parameters);

// The algorithms of all collectives: first `native` of every collective, then collective by collective in the
// order of registry.def.
std::span<const Traits> all_traits();

// The algorithm of that name for that collective. Null: there is none.
const Traits* find(Collective collective, std::string_view name);

// How many distances the digits of the algorithm's radix have to write: a list of radices needs a product of
// as many.
int distances_of(const Traits& traits, const GroupShape& shape);

// The largest value that `parameter` may take at that many ranks.
std::int64_t maximum_of(const ParameterTraits& parameter, int ranks);

// The value of a parameter at that many ranks where nobody gives one. Always admissible.
std::int64_t preset_of(const ParameterTraits& parameter, int ranks);
// The same for an algorithm, which may have a preset of its own.
std::int64_t preset_of(const Traits& traits, const ParameterTraits& parameter, int ranks);

// Balanced lists of radices whose product is that number: for 96, 8x12, 12x8 and 4x4x6. Few, or none.
std::vector<std::int64_t> balanced_lists(int distances);

// The values that a search tries on such a communicator in addition to the preset, in the
// order of parameter.grid.
std::vector<std::int64_t> grid_of(const ParameterTraits& parameter, const GroupShape& shape);

} // namespace switchyard::algorithms
