#include "read_use.hpp"
#include "admissible.hpp"
#include "read_value.hpp"
#include "spelling.hpp"
#include "synonyms.hpp"
#include "text/lists.hpp"
#include "vocabulary.hpp"

#include <algorithm>
#include <charconv>

namespace switchyard::policy {

namespace {

using algorithms::ParameterTraits;
using algorithms::Traits;
using algorithms::traits_of;
using algorithms::patterns::Radices;

// `alltoallv has native, tuna`; without `only`, for each collective.
std::string algorithms_there_are(std::optional<Collective> only) {
    std::string out;
    for (std::size_t i = 0; i < algorithms::collective_count; ++i) {
        const auto collective = static_cast<Collective>(i);
        if (only && collective != *only) continue;
        out += (out.empty() ? "" : "; ") + std::string(name_of(collective)) + " has " +
               text::joined(algorithms_of(collective));
    }
    return out;
}

std::vector<std::string_view> names_of_algorithms(std::optional<Collective> only) {
    std::vector<std::string_view> names;
    for (const Traits& traits : algorithms::all_traits())
        if (!only || traits.collective == *only) names.push_back(traits.name);
    return names;
}

void report_unknown_algorithm(const Value& value, std::optional<Collective> only, Findings& findings) {
    const auto elsewhere = find_all(value.text, std::nullopt);
    if (only && !elsewhere.empty()) {
        findings.add(value.place, '"' + value.text + "\" is an algorithm of " +
                                      std::string(name_of(elsewhere.front()->collective)) + ", not of " +
                                      std::string(name_of(*only)) + "; " + algorithms_there_are(only));
        return;
    }
    const std::string meant = did_you_mean(value.text, names_of_algorithms(only));
    findings.add(value.place, "unknown algorithm " + in_quotes(value.text) + (meant.empty() ? ";" : meant) +
                                  ' ' + algorithms_there_are(only) + how_to_find_fastest(value.text));
}

// The algorithm in each collective that the use applies to. Empty, with a finding, if no collective has it.
std::vector<const Traits*> read_algorithm(const Value& value, std::optional<Collective> only,
                                          Findings& findings) {
    if (!read_string(value, "algorithm", findings)) return {};
    auto found = find_all(value.text, only);
    if (found.empty()) report_unknown_algorithm(value, only, findings);
    return found;
}

const ParameterTraits* find_parameter(std::string_view name) {
    for (const ParameterTraits& parameter : algorithms::parameter_vocabulary())
        if (parameter.name == name) return &parameter;
    return nullptr;
}

std::vector<std::string_view> parameters_taken(const Traits& traits) {
    std::vector<std::string_view> names;
    for (const algorithms::Parameter parameter : traits.parameters)
        names.push_back(traits_of(parameter).name);
    return names;
}

void report_not_taken(const Value& value, const Traits& traits, Findings& findings) {
    const auto taken = parameters_taken(traits);
    findings.add(value.place, std::string(traits.name) + " of " + std::string(name_of(traits.collective)) +
                                  " takes no parameter \"" + value.key + "\"; it takes " +
                                  (taken.empty() ? "none" : text::joined(taken)));
}

// `8x6` as the array that it stands for. Nothing: the text is no list.
std::optional<Value> list_in(const Value& value) {
    Value list;
    list.type = Value::Type::array;
    list.place = value.place;
    const char *next = value.text.data(), *const end = next + value.text.size();
    while (true) {
        Value number;
        number.type = Value::Type::integer;
        number.place = value.place;
        const auto [stop, error] = std::from_chars(next, end, number.magnitude);
        if (error != std::errc{}) return std::nullopt;
        number.text.assign(next, stop);
        list.children.push_back(std::move(number));
        if (stop == end) break;
        if (*stop != 'x') return std::nullopt;
        next = stop + 1;
    }
    return list.children.size() > 1 ? std::optional(std::move(list)) : std::nullopt;
}

// A number that is not possible becomes the value, so the reason in the log can name it.
std::optional<std::int64_t> read_list(const Value& value, const ParameterTraits& parameter,
                                      Findings& findings) {
    const std::size_t count = value.children.size();
    if (count < 2 || count > Radices::most_in_list) {
        findings.add(value.place, std::string(parameter.name) + " is a list of " + std::to_string(count) +
                                      "; a list has 2 to " + std::to_string(Radices::most_in_list) +
                                      " entries, one for each digit");
        return std::nullopt;
    }
    const std::int64_t least = parameter.minimum, largest = Radices::largest_in_list(count);
    const Range possible{static_cast<std::uint64_t>(least), static_cast<std::uint64_t>(largest)};
    const std::string because = " in a list of " + std::to_string(count);
    std::vector<std::int64_t> list;
    std::optional<std::int64_t> wrong;
    for (const Value& child : value.children) {
        const auto number = read_parameter_value(child, parameter.name, possible, findings, because);
        if (!number) return std::nullopt;
        if (!wrong && (*number < least || *number > largest))
            wrong = std::min(*number, Radices::least_list - 1);
        list.push_back(*number);
    }
    return wrong ? *wrong : Radices::of_list(list).value();
}

// A number, `[8, 6]`, or in a text `8x6`.
std::optional<std::int64_t> read_number_or_list(const Value& value, const ParameterTraits& parameter,
                                                Range possible, std::string_view because,
                                                Findings& findings) {
    if (value.type == Value::Type::array) return read_list(value, parameter, findings);
    if (value.type == Value::Type::string)
        if (const auto list = list_in(value)) return read_list(*list, parameter, findings);
    const bool is_number = value.type == Value::Type::integer;
    const auto number =
        read_parameter_value(value, parameter.name, possible, findings,
                             is_number ? because : ", a list of them, such as [8, 6], or \"auto\"");
    return number ? std::optional(std::min(*number, Radices::least_list - 1)) : std::nullopt;
}

std::optional<std::int64_t> read_parameter(const Value& value, const ParameterTraits& parameter,
                                           std::uint64_t most_ranks_in_scope, Findings& findings) {
    if (!parameter.choices.empty()) {
        const auto word = read_word(value, parameter.name, parameter.choices, findings);
        return word ? std::optional(static_cast<std::int64_t>(*word)) : std::nullopt;
    }
    if (parameter.takes_auto && value.type == Value::Type::string && value.text == "auto")
        return algorithms::automatic;
    const std::int64_t largest =
        algorithms::maximum_of(parameter, static_cast<int>(std::min(most_ranks_in_scope, most_ranks)));
    const bool bound_here = parameter.ranks_bound && most_ranks_in_scope < most_ranks;
    const Range possible{static_cast<std::uint64_t>(parameter.minimum), static_cast<std::uint64_t>(largest)};
    const std::string_view because = bound_here              ? ", as the rule is for no more ranks than that"
                                     : parameter.ranks_bound ? ", and at most the number of ranks"
                                     : parameter.takes_auto  ? ", or \"auto\""
                                                             : "";
    return parameter.takes_list ? read_number_or_list(value, parameter, possible, because, findings)
                                : read_parameter_value(value, parameter.name, possible, findings, because);
}

bool some_takes(const std::vector<const Traits*>& applies_to, algorithms::Parameter parameter) {
    return std::ranges::any_of(applies_to, [&](const Traits* traits) { return traits->takes(parameter); });
}

// A parameter counts in the collectives whose algorithm takes it. In the other collectives that the use
// applies to it has no effect: sizes need no `metadata` where all blocks are equal.
void read_parameters(const Value& value, const std::vector<const Traits*>& applies_to, const Scope& scope,
                     Use& use, Findings& findings) {
    for (const Value& child : value.children) {
        const ParameterTraits* parameter = find_parameter(child.key);
        if (parameter == nullptr) continue;
        if (!applies_to.empty() && !some_takes(applies_to, parameter->parameter))
            report_not_taken(child, *applies_to.front(), findings);
        else
            use.parameters[static_cast<std::size_t>(parameter->parameter)] =
                read_parameter(child, *parameter, scope.most_ranks, findings);
    }
}

std::string algorithms_for(Transfer transfer, Collective collective) {
    std::vector<std::string_view> names;
    for (const Traits& traits : algorithms::all_traits())
        if (traits.collective == collective && takes(traits, transfer)) names.push_back(traits.name);
    return text::joined(names);
}

// An algorithm that copies bytes itself cannot work on memory that the host cannot read.
void read_transfer(const Value& value, const std::vector<const Traits*>& applies_to, Use& use,
                   Findings& findings) {
    const auto word = read_word(value, "transfer", transfer_names, findings);
    if (!word) return;
    const auto transfer = static_cast<Transfer>(*word);
    use.transfer = transfer;
    const auto takes_it = [&](const Traits* traits) { return takes(*traits, transfer); };
    if (applies_to.empty() || std::ranges::any_of(applies_to, takes_it))
        return; // for the others it is skipped
    const Traits& first = *applies_to.front();
    const std::string others = algorithms_for(transfer, first.collective);
    findings.add(value.place,
                 std::string(first.name) + " of " + std::string(name_of(first.collective)) + ' ' +
                     why_not_taken(first, transfer) + "; use \"staged\"" +
                     (others.empty() ? "" : ", or one of " + others),
                 Spoils::rule);
}

// Messages of the MPI library are its own business.
void read_in_flight_limit(const Value& value, const std::vector<const Traits*>& applies_to, Use& use,
                          Findings& findings) {
    const auto limit = read_integer(value, "in_flight_limit", {1, most_in_flight}, findings);
    if (limit && !applies_to.empty() && applies_to.front()->native)
        findings.add(value.place,
                     "native takes no \"in_flight_limit\": the MPI library starts its own messages");
    else
        use.in_flight_limit = limit;
}

std::vector<std::string_view> known_keys(const std::vector<const Traits*>& applies_to) {
    std::vector<std::string_view> known(use_keys.begin(), use_keys.end());
    for (const ParameterTraits& parameter : algorithms::parameter_vocabulary())
        if (applies_to.empty() || some_takes(applies_to, parameter.parameter))
            known.push_back(parameter.name);
    return known;
}

// A parameter of another algorithm is not unknown; read_parameters() has a message for it.
void report_unknown_use_keys(const Value& value, const std::vector<const Traits*>& applies_to,
                             Findings& findings) {
    Value unknown = {};
    unknown.type = Value::Type::object;
    for (const Value& child : value.children)
        if (find_parameter(child.key) == nullptr) unknown.children.push_back(child);
    report_unknown_keys(unknown, known_keys(applies_to), findings);
}

} // namespace

Use read_use(const Value& value, const Scope& scope, Findings& findings) {
    Use use;
    if (!read_object(value, "use", findings)) return use;
    report_missing_keys(value, {{"algorithm", R"("native")"}}, findings);
    std::vector<const Traits*> applies_to;
    if (const Value* algorithm = value.find("algorithm")) {
        applies_to = read_algorithm(*algorithm, scope.collective, findings);
        use.algorithm = algorithm->text;
    }
    report_unknown_use_keys(value, applies_to, findings);
    read_parameters(value, applies_to, scope, use, findings);
    if (const Value* transfer = value.find("transfer")) read_transfer(*transfer, applies_to, use, findings);
    if (const Value* limit = value.find("memory_limit_bytes"))
        use.memory_limit_bytes = read_integer(*limit, "memory_limit_bytes", {0, most_bytes}, findings);
    if (const Value* chunk = value.find("chunk_bytes"))
        use.chunk_bytes = read_integer(*chunk, "chunk_bytes", {1, most_bytes}, findings);
    if (const Value* barrier = value.find("barrier_before"))
        use.barrier_before = read_boolean(*barrier, "barrier_before", findings).value_or(false);
    if (const Value* limit = value.find("in_flight_limit"))
        read_in_flight_limit(*limit, applies_to, use, findings);
    return use;
}

} // namespace switchyard::policy
