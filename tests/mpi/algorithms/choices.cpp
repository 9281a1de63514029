#include "choices.hpp"

#include <algorithm>
#include <bit>

namespace switchyard::tests {

using namespace algorithms;

namespace {

// A list for all ranks, and so for the nodes and for the ranks of a node. The last digit is cut short at most
// numbers of ranks.
void add_lists(int ranks, bool sampled, std::vector<std::int64_t>& values) {
    const auto rest = [ranks](std::int64_t of) { return std::max<std::int64_t>(2, (ranks + of - 1) / of); };
    const std::vector<std::int64_t> lists[] = {{3, 2, rest(6)}, {2, rest(2)}, {rest(2), 2}};
    for (const auto& list : lists) {
        values.push_back(patterns::Radices::of_list(list).value());
        if (sampled) return;
    }
}

std::vector<std::int64_t> corners(const ParameterTraits& parameter, int ranks, bool sampled) {
    std::vector<std::int64_t> values;
    if (!parameter.choices.empty()) {
        for (std::int64_t i = 0; i <= parameter.maximum; ++i) {
            values.push_back(i);
        }
        return values;
    }
    std::vector<std::int64_t> all = {preset_of(parameter, ranks)};
    // With many partners a simulator takes long for one message after the other, and for all of them at once.
    // A block from 1 byte on is every block, and all of them going directly is what spread_out shows.
    const bool many = sampled && ranks > most_partners_to_simulate;
    if (!many || !parameter.limits_partners) {
        if (!many || parameter.parameter != Parameter::direct_from) all.push_back(parameter.minimum);
        const auto some = parameter.corners.last(std::min<std::size_t>(parameter.corners.size(), 1));
        for (const Corner& corner : sampled ? some : parameter.corners)
            if (!many || !corner.of_ranks) all.push_back(corner.at(ranks));
    }
    for (std::int64_t value : all) {
        if (is_absent(parameter, value))
            values.push_back(value);
        else
            values.push_back(std::clamp(value, parameter.minimum, maximum_of(parameter, ranks)));
    }
    if (parameter.takes_list) add_lists(ranks, sampled, values);
    std::ranges::sort(values);
    values.erase(std::unique(values.begin(), values.end()), values.end());
    return values;
}

Parameters presets_of(const Traits& traits, int ranks) {
    Parameters presets;
    for (const ParameterTraits& parameter : parameter_vocabulary()) {
        presets[parameter.parameter] = preset_of(traits, parameter, ranks);
    }
    return presets;
}

} // namespace

std::vector<Parameters> combinations(const Traits& traits, int ranks, bool sampled) {
    const Parameters presets = presets_of(traits, ranks);
    std::vector<Parameters> all = {presets};
    for (Parameter parameter : traits.parameters) {
        std::vector<Parameters> wider;
        if (sampled) {
            wider = all;
            all = {presets};
        }
        for (Parameters parameters : all) {
            for (std::int64_t value : corners(traits_of(parameter), ranks, sampled)) {
                parameters[parameter] = value;
                if (!sampled || parameters != presets) wider.push_back(parameters);
            }
        }
        all = std::move(wider);
    }
    return all;
}

std::string described(const Traits& traits, const Parameters& parameters) {
    std::string text = std::string(name_of(traits.collective)) + ":" + std::string(traits.name);
    for (Parameter parameter : traits.parameters) {
        text += " " + std::string(traits_of(parameter).name) + "=" +
                text_of(traits_of(parameter), parameters[parameter]);
    }
    return text;
}

std::vector<Case> cases_of(const Test& test, Collective collective) {
    std::vector<Case> cases = uniform_cases(test.reduced);
    if (traits_of(collective).has_count_arrays()) {
        for (Case& c : ragged_cases(test.group.size, test.reduced)) {
            cases.push_back(std::move(c));
        }
    }
    if (test.sampled) {
        cases.erase(cases.begin()); // the uniform ones are alike
        cases.resize(std::min<std::size_t>(cases.size(), 2));
    }
    return cases;
}

bool is_worth_simulating(const Traits& traits, const Parameters& parameters, const Case& c,
                         const Test& test) {
    const bool is_preset = parameters == presets_of(traits, test.group.size);
    if (traits.has(takes_overlap)) return !c.full && is_preset;
    switch (traits.collective) {
    case Collective::alltoallv: return !c.full || (is_preset && traits.has(agreed_block));
    case Collective::alltoallw: return !c.full && is_preset;
    case Collective::allgatherv: return !c.full;
    default: return true;
    }
}

bool can_run(const Traits& traits, const Test& test) {
    if (traits.has(shared_memory) && test.window() == nullptr) return false; // simulated ranks have none
    return !traits.native &&
           (!traits.has(power_of_two_ranks) || std::has_single_bit(static_cast<unsigned>(test.group.size)));
}

bool does_as_messages(const Parameters& parameters, const Test& test) {
    return parameters[Parameter::intra] == static_cast<std::int64_t>(Intra::shared) &&
           test.window() == nullptr;
}

} // namespace switchyard::tests
