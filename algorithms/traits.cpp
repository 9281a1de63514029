#include "traits.hpp"

#include "algorithms/patterns/node_scratch.hpp"
#include "algorithms/patterns/scratch.hpp"

#include <algorithm>

namespace switchyard::algorithms {

namespace {

constexpr std::array metadata_choices = {std::string_view{"separate"}, std::string_view{"fused"}};
constexpr std::array intra_choices = {std::string_view{"messages"}, std::string_view{"shared"}};

constexpr std::array<ParameterTraits, parameter_count> vocabulary = {{
    {.parameter = Parameter::radix,
     .name = "radix",
     .help = "base of the digits: small means few rounds, large means few bytes",
     .minimum = 2,
     .ranks_bound = true,
     .preset = Preset::square_root_of_ranks},
    {.parameter = Parameter::block_count,
     .name = "block_count",
     .help = "partners under way at the same time",
     .minimum = 1,
     .maximum = INT32_MAX,
     .preset_value = 32},
    {.parameter = Parameter::metadata,
     .name = "metadata",
     .help = "block sizes travel in a message of their own (separate) or ahead of the blocks in the same one "
             "(fused)",
     .maximum = static_cast<std::int64_t>(metadata_choices.size()) - 1,
     .preset_value = static_cast<std::int64_t>(Metadata::fused), // half the messages
     .choices = metadata_choices},
    {.parameter = Parameter::in_flight,
     .name = "in_flight",
     .help = "rounds of one digit under way at the same time: 1 is the paper's one after the other",
     .minimum = 1,
     .maximum = INT32_MAX,
     .preset_value = 32},
    {.parameter = Parameter::stride,
     .name = "stride",
     .help = "pairs of a send and a receive under way at the same time",
     .minimum = 1,
     .maximum = INT32_MAX,
     .preset_value = 5}, // the GPU paper's choice, section 3
    {.parameter = Parameter::auxiliary_bytes,
     .name = "auxiliary_bytes",
     .help = "memory beside the buffer for data whose place is still taken",
     .minimum = 1,
     .maximum = std::int64_t{1} << 50,
     .preset_value = 1 << 20}, // the in-place paper's choice, section 4
    {.parameter = Parameter::buffers,
     .name = "buffers",
     .help = "parts of the auxiliary memory, each lent to one source at a time",
     .minimum = 1,
     .maximum = INT32_MAX,
     .preset = Preset::eighth_of_ranks}, // the in-place paper's choice, section 4
    {.parameter = Parameter::lanes,
     .name = "lanes",
     .help = "messages that what one node has for another is split into; 0: as many as give each rank 16",
     .maximum = INT32_MAX},
    {.parameter = Parameter::intra,
     .name = "intra",
     .help = "how the ranks of a node exchange among themselves: by messages, or through memory that they "
             "share (shared), where there is some",
     .maximum = static_cast<std::int64_t>(intra_choices.size()) - 1,
     .preset_value = static_cast<std::int64_t>(Intra::messages),
     .choices = intra_choices},
    {.parameter = Parameter::levels,
     .name = "levels",
     .help = "how often near is told from far: 1 is nodes, 2 also regions inside a node (SWITCHYARD_REGION)",
     .minimum = 1,
     .maximum = 2,
     .preset_value = 1},
}};

template <Parameter... parameters>
constexpr std::array<Parameter, sizeof...(parameters)> takes{parameters...};

using namespace patterns; // the scratch functions that the registry names

#define TAKES(...) takes<__VA_ARGS__>
#define SWITCHYARD_NATIVE(collective_)                                                                       \
    Traits{.collective = Collective::collective_,                                                            \
           .name = "native",                                                                                 \
           .idea = "the MPI library's own collective",                                                       \
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
constexpr Traits registry[] = {
#include "registry.def"
};
#undef TAKES

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

std::int64_t maximum_of(const ParameterTraits& parameter, int ranks) {
    return parameter.ranks_bound ? std::max<std::int64_t>(parameter.minimum, ranks) : parameter.maximum;
}

std::int64_t preset_of(const ParameterTraits& parameter, int ranks) {
    std::int64_t value = parameter.preset_value;
    if (parameter.preset == Preset::square_root_of_ranks) value = square_root_rounded_up(ranks);
    if (parameter.preset == Preset::eighth_of_ranks) value = ranks / 8;
    return std::clamp(value, parameter.minimum, maximum_of(parameter, ranks));
}

} // namespace switchyard::algorithms
