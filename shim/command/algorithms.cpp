#include "algorithms/traits.hpp"
#include "commands.hpp"
#include "policy/admissible.hpp"
#include "policy/vocabulary.hpp"

#include "shim/common/formatted.hpp"

#include <algorithm>
#include <iostream>
#include <limits>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace switchyard::shim::command {

namespace {

using algorithms::Parameter;
using algorithms::ParameterTraits;
using algorithms::Traits;
using algorithms::patterns::Radices;

// ---- The facts of one algorithm, in words ----

std::string numbers_of(const ParameterTraits& parameter) {
    const std::string from = std::to_string(parameter.minimum);
    if (parameter.ranks_bound) return from + " to ranks";
    // The largest int stands for no limit; the largest direct_from is one.
    const bool open = !parameter.is_optional && parameter.maximum >= std::numeric_limits<std::int32_t>::max();
    return open ? "at least " + from : from + " to " + std::to_string(parameter.maximum);
}

std::string range_of(const ParameterTraits& parameter) {
    if (!parameter.choices.empty()) return text::enumerated(parameter.choices, "or");
    return numbers_of(parameter) + (parameter.takes_list && parameter.takes_auto ? ", a list, or auto"
                                    : parameter.takes_list                       ? ", or a list"
                                    : parameter.takes_auto                       ? ", or auto"
                                                                                 : "");
}

std::string preset_of(const Traits& traits, const ParameterTraits& parameter) {
    if (parameter.parameter == Parameter::radix && traits.has(algorithms::doubles_by_default))
        return std::to_string(parameter.minimum);
    if (parameter.preset == algorithms::Preset::square_root_of_ranks) return "square root of ranks";
    if (parameter.preset == algorithms::Preset::eighth_of_ranks) return "an eighth of ranks";
    if (!parameter.choices.empty())
        return std::string(parameter.choices[static_cast<std::size_t>(parameter.preset_value)]);
    return parameter.is_optional ? "none" : std::to_string(parameter.preset_value);
}

std::string parameters_of(const Traits& traits) {
    std::string text;
    for (const Parameter parameter : traits.parameters)
        text += (text.empty() ? "" : "; ") + std::string(traits_of(parameter).name) + ": " +
                range_of(traits_of(parameter)) + ", default " + preset_of(traits, traits_of(parameter));
    return text.empty() ? "none" : text;
}

std::vector<std::string> needs_of(const Traits& traits) {
    std::vector<std::string> needs;
    if (traits.has(algorithms::agreed_block))
        needs.emplace_back(traits.takes(Parameter::direct_from) ? "largest block agreed unless direct_from"
                                                                : "largest block agreed");
    if (traits.has(algorithms::power_of_two_ranks)) needs.emplace_back("power of two ranks");
    if (traits.has(algorithms::shared_memory)) needs.emplace_back("one node, shared memory");
    if (traits.scratch_bytes != nullptr) needs.emplace_back("workspace");
    if (traits.has(algorithms::knows_nodes)) needs.emplace_back("node map");
    return needs;
}

// The ways in which device buffers may travel.
std::vector<std::string> transfers_of(const Traits& traits) {
    std::vector<std::string> names;
    for (std::size_t i = 0; i < policy::transfer_names.size(); ++i)
        if (policy::takes(traits, static_cast<policy::Transfer>(i)))
            names.emplace_back(policy::transfer_names[i]);
    return names;
}

std::string listed(const std::vector<std::string>& words) {
    return words.empty() ? "nothing" : joined(words, ", ");
}

// ---- The three formats ----

// The registry, sorted by collective.
std::vector<Traits> by_collective() {
    const auto all = algorithms::all_traits();
    std::vector<Traits> sorted(all.begin(), all.end());
    std::stable_sort(sorted.begin(), sorted.end(),
                     [](const Traits& a, const Traits& b) { return a.collective < b.collective; });
    return sorted;
}

void print_text() {
    constexpr auto longest =
        std::ranges::max(algorithms::collective_names, {}, &std::string_view::size).size();
    constexpr auto width = longest + 2;
    const auto print_line = [width](std::string_view first, std::string_view second) {
        std::cout << formatted("{:{}}{}\n", first, width, second);
    };
    for (const Traits& traits : by_collective()) {
        print_line(name_of(traits.collective), traits.name);
        print_line("", formatted("idea:       {}", traits.idea));
        print_line("", "parameters: " + parameters_of(traits));
        print_line("", "needs:      " + listed(needs_of(traits)));
        print_line("", "transfers:  " + listed(transfers_of(traits)));
        print_line("", formatted("source:     {}", traits.source));
    }
}

// Algorithms of several collectives that differ in nothing else.
struct Kin {
    std::vector<std::string> collectives;
    std::string cells; // of the table, behind the collectives
};

std::vector<Kin> kin_in_order() {
    std::vector<Kin> all;
    for (const Traits& traits : by_collective()) {
        auto cells = formatted("`{}` | {} | {} | {} | {}", traits.name, traits.idea, parameters_of(traits),
                               listed(needs_of(traits)), traits.source);
        auto same = std::ranges::find(all, cells, &Kin::cells);
        if (same == all.end()) same = all.insert(same, {{}, std::move(cells)});
        same->collectives.emplace_back(name_of(traits.collective));
    }
    return all;
}

void print_markdown() {
    std::cout << "| collectives | algorithm | idea | parameters | needs | source |\n"
                 "|---|---|---|---|---|---|\n";
    for (const Kin& kin : kin_in_order())
        std::cout << "| " << listed(kin.collectives) << " | " << kin.cells << " |\n";
}

nlohmann::ordered_json json_of(const Traits& traits, const ParameterTraits& parameter) {
    nlohmann::ordered_json json = {{"name", parameter.name}, {"help", parameter.help}};
    if (parameter.choices.empty()) {
        json["min"] = parameter.minimum;
        if (parameter.ranks_bound)
            json["max"] = "ranks";
        else
            json["max"] = parameter.maximum;
        if (parameter.takes_list)
            json["list"] = {{"max", Radices::largest_in_list(2)}, {"longest", Radices::most_in_list}};
        if (parameter.takes_auto) json["words"] = {"auto"};
    } else {
        json["choices"] = parameter.choices;
    }
    json["preset"] = preset_of(traits, parameter);
    return json;
}

void print_json() {
    nlohmann::ordered_json list = nlohmann::ordered_json::array();
    for (const Traits& traits : by_collective()) {
        auto parameters = nlohmann::ordered_json::array();
        for (const Parameter parameter : traits.parameters)
            parameters.push_back(json_of(traits, traits_of(parameter)));
        list.push_back({{"collective", name_of(traits.collective)},
                        {"name", traits.name},
                        {"idea", traits.idea},
                        {"parameters", std::move(parameters)},
                        {"among", traits_of(traits.collective).is_among_neighbors ? "neighbors" : "ranks"},
                        {"needs", needs_of(traits)},
                        {"transfers", transfers_of(traits)},
                        {"source", traits.source}});
    }
    std::cout << list.dump(2) << '\n';
}

} // namespace

int list_algorithms(ListFormat format) {
    switch (format) {
    case ListFormat::text: print_text(); break;
    case ListFormat::json: print_json(); break;
    case ListFormat::markdown: print_markdown(); break;
    }
    return 0;
}

} // namespace switchyard::shim::command
