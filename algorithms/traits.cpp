#include "traits.hpp"

#include "scratch_formulas.hpp" // written by CMake: all */*_scratch.hpp

#include <algorithm>

namespace switchyard::algorithms {

// A collective may have no namespace of algorithms of its own.
#define SWITCHYARD_COLLECTIVE(name, ...)                                                                     \
    namespace name {}
#include "collectives.def"

namespace {

constexpr std::array metadata_choices = {std::string_view{"separate"}, std::string_view{"fused"}};
constexpr std::array requests_choices = {std::string_view{"by_ranks"}, std::string_view{"messages"},
                                         std::string_view{"alltoall"}, std::string_view{"alltoallv"}};
constexpr std::array intra_choices = {std::string_view{"messages"}, std::string_view{"shared"}};

template <Corner... values>
constexpr std::array<Corner, sizeof...(values)> corners{values...};

#define CORNERS(...) corners<__VA_ARGS__>
#define SWITCHYARD_PARAMETER(name_, ...)                                                                     \
    ParameterTraits{.parameter = Parameter::name_, .name = #name_, __VA_ARGS__},
constexpr auto vocabulary = [] {
    constexpr Corner ranks = {0, true};
    std::array<ParameterTraits, parameter_count> list = {{
#include "parameters.def"
    }};
    for (ParameterTraits& parameter : list)
        if (!parameter.choices.empty())
            parameter.maximum = static_cast<std::int64_t>(parameter.choices.size()) - 1;
    return list;
}();
#undef CORNERS

template <Parameter... parameters>
constexpr std::array<Parameter, sizeof...(parameters)> takes{parameters...};

// The registry names the formulas without the namespace of their folder.
#define SWITCHYARD_COLLECTIVE(name, ...) using namespace name;
#include "collectives.def"
using namespace forwarding;

#define TAKES(...) takes<__VA_ARGS__>
#define SWITCHYARD_NATIVE(collective_)                                                                       \
    Traits{.collective = Collective::collective_,                                                            \
           .name = "native",                                                                                 \
           .idea = "calls the MPI library's own collective",                                                 \
           .parameters = {},                                                                                 \
           .needs = moves_by_mpi_alone,                                                                      \
           .source = "MPI library",                                                                          \
           .native = true},
#define SWITCHYARD_ALGORITHM(collective_, name_, idea_, parameters_, needs_, scratch_bytes_, source_)        \
    Traits{.collective = Collective::collective_,                                                            \
           .name = #name_,                                                                                   \
           .idea = idea_,                                                                                    \
           .parameters = parameters_,                                                                        \
           .needs = needs_,                                                                                  \
           .scratch_bytes = scratch_bytes_,                                                                  \
           .source = source_},
constexpr Traits lines[] = {
#include "registry.def"
};
#undef TAKES

constexpr bool runs(const CollectiveTraits& collective, const Traits& line) {
    return line.collective == (line.native ? collective.collective : collective.algorithms);
}

// Calls visit(collective, number of a line) for each algorithm of each collective.
template <typename Visit>
constexpr void for_each_algorithm(Visit&& visit) {
    for (const bool native : {true, false})
        for (const CollectiveTraits& collective : all_collectives)
            for (std::size_t line = 0; line < std::size(lines); ++line)
                if (lines[line].native == native && runs(collective, lines[line])) visit(collective, line);
}

constexpr std::size_t registry_size = [] {
    std::size_t count = 0;
    for_each_algorithm([&](const CollectiveTraits&, std::size_t) { ++count; });
    return count;
}();

constexpr auto registry = [] {
    std::array<Traits, registry_size> all{};
    std::size_t next = 0;
    for_each_algorithm([&](const CollectiveTraits& collective, std::size_t line) {
        all[next] = lines[line];
        all[next].collective = collective.collective;
        all[next++].line = line;
    });
    return all;
}();

std::int64_t square_root_rounded_up(int value) {
    std::int64_t root = 0;
    while (root * root < value) {
        ++root;
    }
    return root;
}

} // namespace

std::span<const ParameterTraits> parameter_vocabulary() {
    return vocabulary;
}

const ParameterTraits& traits_of(Parameter parameter) {
    return vocabulary[static_cast<std::size_t>(parameter)];
}

std::string text_of(const ParameterTraits& parameter, std::int64_t value) {
    if (parameter.takes_auto && value == automatic) return "auto";
    if (is_list(parameter, value)) return patterns::text_of(value);
    return parameter.choices.empty() ? std::to_string(value)
                                     : std::string(parameter.choices[static_cast<std::size_t>(value)]);
}

bool needs_agreed_block(const Traits& traits, const Parameters& parameters) {
    return traits.has(agreed_block) && !sends_directly(parameters);
}

bool Traits::takes(Parameter parameter) const {
    return std::ranges::find(parameters, parameter) != parameters.end();
}

std::span<const Traits> all_traits() {
    return registry;
}

const Traits* find(Collective collective, std::string_view name) {
    auto found = std::ranges::find_if(registry, [&](const Traits& traits) {
        return traits.collective == collective && traits.name == name;
    });
    return found == std::end(registry) ? nullptr : found;
}

int distances_of(const Traits& traits, const GroupShape& shape) {
    return traits.has(digits_of_nodes)  ? shape.nodes
           : traits.has(digits_in_node) ? shape.ranks_per_node
                                        : shape.ranks;
}

std::int64_t maximum_of(const ParameterTraits& parameter, int ranks) {
    return parameter.ranks_bound ? std::max<std::int64_t>(parameter.minimum, ranks) : parameter.maximum;
}

std::int64_t preset_of(const ParameterTraits& parameter, int ranks) {
    if (parameter.is_optional) return absent;
    std::int64_t value = parameter.preset_value;
    if (parameter.preset == Preset::square_root_of_ranks) value = square_root_rounded_up(ranks);
    if (parameter.preset == Preset::eighth_of_ranks) value = ranks / 8;
    return std::clamp(value, parameter.minimum, maximum_of(parameter, ranks));
}

std::int64_t preset_of(const Traits& traits, const ParameterTraits& parameter, int ranks) {
    if (parameter.parameter == Parameter::radix && traits.has(doubles_by_default)) return parameter.minimum;
    return preset_of(parameter, ranks);
}

namespace {

// The largest divisor of `number` that is at most its root of that degree.
std::int64_t divisor_near_root(std::int64_t number, int degree) {
    const auto power = [degree](std::int64_t base) { return degree == 2 ? base * base : base * base * base; };
    std::int64_t divisor = 1;
    for (std::int64_t candidate = 2; power(candidate) <= number; ++candidate)
        if (number % candidate == 0) divisor = candidate;
    return divisor;
}

void add_if_balanced(std::vector<std::int64_t>& lists, std::span<const std::int64_t> radices) {
    constexpr std::int64_t most_apart = 4;
    const auto [least, most] = std::ranges::minmax(radices);
    if (least < 2 || least == most || most > most_apart * least) return; // all equal: one radix says the same
    lists.push_back(patterns::Radices::of_list(radices).value());
}

} // namespace

std::vector<std::int64_t> balanced_lists(int distances) {
    std::vector<std::int64_t> lists;
    const std::int64_t half = divisor_near_root(distances, 2), other = distances / half;
    add_if_balanced(lists, std::array{half, other});
    add_if_balanced(lists, std::array{other, half});
    const std::int64_t third = divisor_near_root(distances, 3);
    const std::int64_t second = divisor_near_root(distances / third, 2);
    std::array<std::int64_t, 3> all = {third, second, distances / third / second};
    std::ranges::sort(all);
    add_if_balanced(lists, all);
    return lists;
}

std::vector<std::int64_t> grid_of(const ParameterTraits& parameter, const GroupShape& shape) {
    std::vector<std::int64_t> values;
    const auto words = [&] {
        for (std::int64_t word = 0; word <= parameter.maximum; ++word)
            if (word != parameter.preset_value) values.push_back(word);
    };
    const auto doubling_to = [&](std::int64_t last) {
        last = std::min(last, parameter.grid_maximum);
        for (std::int64_t value = std::max<std::int64_t>(parameter.minimum, 1); value <= last; value *= 2)
            values.push_back(value);
    };
    switch (parameter.grid) {
    case Grid::none: break;
    case Grid::words: words(); break;
    case Grid::words_on_shared_nodes:
        if (shape.ranks_per_node > 1) words();
        break;
    case Grid::doubling_to_ranks:
        doubling_to(shape.ranks);
        if (const auto last = maximum_of(parameter, shape.ranks); values.empty() || values.back() != last)
            values.push_back(last);
        break;
    case Grid::doubling_to_partners: doubling_to(shape.ranks - 1); break;
    case Grid::doubling_to_ranks_per_node: doubling_to(shape.ranks_per_node); break;
    case Grid::sizes_of_blocks: values = {256, 1024, 4096, 16384, 65536}; break;
    }
    return values;
}

} // namespace switchyard::algorithms
