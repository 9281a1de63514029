#include "algorithms/traits.hpp"
#include "commands.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <iomanip>
#include <iostream>
#include <limits>
#include <string>
#include <vector>

namespace switchyard::shim::command {

namespace {

using algorithms::Parameter;
using algorithms::ParameterTraits;
using algorithms::Traits;

// ---- The facts of one algorithm, as words for the tables ----

std::string words_of(const ParameterTraits& parameter) {
    std::string words;
    for (const std::string_view choice : parameter.choices)
        words += (words.empty() ? "" : " or ") + std::string(choice);
    return words;
}

std::string range_of(const ParameterTraits& parameter) {
    if (!parameter.choices.empty()) return words_of(parameter);
    const std::string from = std::to_string(parameter.minimum);
    if (parameter.ranks_bound) return from + " to ranks";
    // The largest int is there for the code's sake and tells people nothing.
    const bool open = parameter.maximum >= std::numeric_limits<std::int32_t>::max(); // and what is larger
    return open ? "at least " + from : from + " to " + std::to_string(parameter.maximum);
}

std::string preset_of(const ParameterTraits& parameter) {
    if (parameter.preset == algorithms::Preset::square_root_of_ranks) return "square root of ranks";
    if (parameter.preset == algorithms::Preset::eighth_of_ranks) return "an eighth of ranks";
    if (!parameter.choices.empty())
        return std::string(parameter.choices[static_cast<std::size_t>(parameter.preset_value)]);
    return std::to_string(parameter.preset_value);
}

std::string parameters_of(const Traits& traits) {
    std::string text;
    for (const Parameter parameter : traits.parameters)
        text += (text.empty() ? "" : "; ") + std::string(traits_of(parameter).name) + ": " +
                range_of(traits_of(parameter)) + ", default " + preset_of(traits_of(parameter));
    return text.empty() ? "none" : text;
}

std::vector<std::string> needs_of(const Traits& traits) {
    std::vector<std::string> needs;
    if (traits.has(algorithms::agreed_block)) needs.emplace_back("largest block agreed");
    if (traits.has(algorithms::power_of_two_ranks)) needs.emplace_back("power of two ranks");
    if (traits.has(algorithms::shared_memory)) needs.emplace_back("one node, shared memory");
    if (traits.scratch_bytes != nullptr) needs.emplace_back("workspace");
    if (traits.has(algorithms::knows_nodes)) needs.emplace_back("node map");
    return needs;
}

// How it may have device buffers travel.
std::vector<std::string> transfers_of(const Traits& traits) {
    if (traits.has(algorithms::moves_by_mpi_alone)) return {"direct", "staged"};
    return {"staged"};
}

std::string listed(const std::vector<std::string>& words) {
    std::string text;
    for (const std::string& word : words) text += (text.empty() ? "" : ", ") + word;
    return text.empty() ? "nothing" : text;
}

// ---- The three formats ----

// The registry, one collective after the other.
std::vector<Traits> by_collective() {
    const auto all = algorithms::all_traits();
    std::vector<Traits> sorted(all.begin(), all.end());
    std::stable_sort(sorted.begin(), sorted.end(),
                     [](const Traits& a, const Traits& b) { return a.collective < b.collective; });
    return sorted;
}

void print_text() {
    for (const Traits& traits : by_collective())
        std::cout << std::left << std::setw(10) << name_of(traits.collective) << ' ' << traits.name << '\n'
                  << "           idea:       " << traits.idea << '\n'
                  << "           parameters: " << parameters_of(traits) << '\n'
                  << "           needs:      " << listed(needs_of(traits)) << '\n'
                  << "           transfers:  " << listed(transfers_of(traits)) << '\n'
                  << "           source:     " << traits.source << '\n';
}

void print_markdown() {
    std::cout << "| collective | algorithm | idea | parameters | needs | source |\n"
                 "|---|---|---|---|---|---|\n";
    for (const Traits& traits : by_collective())
        std::cout << "| " << name_of(traits.collective) << " | `" << traits.name << "` | " << traits.idea
                  << " | " << parameters_of(traits) << " | " << listed(needs_of(traits)) << " | "
                  << traits.source << " |\n";
}

nlohmann::ordered_json json_of(const ParameterTraits& parameter) {
    nlohmann::ordered_json json = {{"name", parameter.name}, {"help", parameter.help}};
    if (parameter.choices.empty()) {
        json["min"] = parameter.minimum;
        if (parameter.ranks_bound)
            json["max"] = "ranks";
        else
            json["max"] = parameter.maximum;
    } else {
        json["choices"] = parameter.choices;
    }
    json["preset"] = preset_of(parameter);
    return json;
}

void print_json() {
    nlohmann::ordered_json list = nlohmann::ordered_json::array();
    for (const Traits& traits : by_collective()) {
        auto parameters = nlohmann::ordered_json::array();
        for (const Parameter parameter : traits.parameters)
            parameters.push_back(json_of(traits_of(parameter)));
        list.push_back({{"collective", name_of(traits.collective)},
                        {"name", traits.name},
                        {"idea", traits.idea},
                        {"parameters", std::move(parameters)},
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
