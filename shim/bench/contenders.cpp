#include "contenders.hpp"

#include "policy/admissible.hpp"
#include "policy/automatic.hpp"
#include "policy/parse.hpp"
#include "policy/reason.hpp"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <optional>
#include <string_view>

namespace switchyard::bench {

namespace {

using algorithms::Collective;

std::vector<std::string> split(std::string_view text, char separator) {
    std::vector<std::string> parts;
    while (true) {
        const auto end = text.find(separator);
        parts.emplace_back(text.substr(0, end));
        if (end == std::string_view::npos) return parts;
        text.remove_prefix(end + 1);
    }
}

std::optional<std::int64_t> number_of(std::string_view text, int ranks) {
    if (text == "ranks") return ranks;
    if (text == "sqrt") {
        std::int64_t root = 1;
        while (root * root < ranks) ++root;
        return root;
    }
    std::int64_t number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (text.empty() || error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
    return number;
}

// The values of `2,4`, `2..64` or `sqrt`. Other words stay as they are. Empty: an impossible range.
std::vector<std::string> values_of(std::string_view text, int ranks) {
    std::vector<std::string> values;
    for (const std::string& item : split(text, ',')) {
        const auto dots = item.find("..");
        if (dots == std::string::npos) {
            const auto number = number_of(item, ranks);
            values.push_back(number ? std::to_string(*number) : item);
            continue;
        }
        const auto first = number_of(std::string_view(item).substr(0, dots), ranks);
        const auto last = number_of(std::string_view(item).substr(dots + 2), ranks);
        if (!first || !last || *first < 1 || *last < *first) return {};
        for (std::int64_t value = *first; value < *last; value *= 2) values.push_back(std::to_string(value));
        values.push_back(std::to_string(*last));
    }
    return values;
}

constexpr std::string_view as_another = "as_";

// A name that is no algorithm's. Nothing: it may be an algorithm's.
std::optional<Contender> call_of(std::string_view name) {
    Contender contender;
    if (name == "preloaded") {
        contender.kind = Contender::Kind::preloaded;
    } else if (name == "agreement") {
        contender.kind = Contender::Kind::agreement;
    } else if (name == gather_and_bcast_name) {
        contender.kind = Contender::Kind::gather_and_bcast;
    } else {
        if (!name.starts_with(as_another)) return std::nullopt;
        const auto function = algorithms::collective_of(name.substr(as_another.size()));
        if (!function) return std::nullopt;
        contender.kind = Contender::Kind::other_function;
        contender.function = *function;
    }
    contender.name = name;
    return contender;
}

// "", or why such a call is not this collective.
std::string why_no_call(Collective collective, const Contender& contender) {
    const auto& traits = traits_of(collective);
    const bool gathers = contender.kind == Contender::Kind::gather_and_bcast;
    const bool other = contender.kind == Contender::Kind::other_function;
    if (contender.kind == Contender::Kind::agreement && traits.block_is_known())
        return "agreement: " + std::string(traits.name) +
               " needs none, since all ranks know the largest block";
    if ((gathers && !traits.sends_one_block()) ||
        (other && traits_of(contender.function).sends_one_block() != traits.sends_one_block()))
        return contender.name + " moves other data than " + std::string(traits.name);
    return other && contender.function == collective ? contender.name + " is native" : std::string();
}

std::string add_call(Collective collective, Contender contender, std::vector<Contender>& contenders) {
    if (std::string why = why_no_call(collective, contender); !why.empty()) return why;
    contender.choice.algorithm = algorithms::find(collective, "native");
    if (std::ranges::find(contenders, contender.name, &Contender::name) == contenders.end())
        contenders.push_back(std::move(contender));
    return "";
}

// The parameters, or nothing: they are not the same for all of these blocks.
std::optional<algorithms::Parameters> parameters_of(const algorithms::Traits& traits, const policy::Use& use,
                                                    const algorithms::GroupShape& shape,
                                                    std::span<const std::size_t> blocks) {
    if (blocks.empty() || !policy::follows_block(traits, use, false))
        return policy::resolve(traits, use, shape);
    const auto parameters = policy::resolve(traits, use, shape, blocks.front());
    for (const std::size_t block : blocks)
        if (policy::resolve(traits, use, shape, block) != parameters) return std::nullopt;
    return parameters;
}

// "", or why it was not added.
std::string add(Collective collective, const std::string& text, const algorithms::GroupShape& shape,
                bool in_place, std::span<const std::size_t> blocks, std::vector<Contender>& contenders) {
    if (auto call = call_of(text)) return add_call(collective, std::move(*call), contenders);
    if (text.find(';') != std::string::npos) return "\"" + text + "\" names more than one algorithm";
    auto parsed = policy::parse_force(std::string(name_of(collective)) + ":" + text);
    if (auto* problems = parsed.error()) return problems->front().message;
    const policy::Use& use = *parsed.value().by_collective[static_cast<std::size_t>(collective)];
    policy::Features fixed;
    fixed.collective = collective;
    fixed.ranks = shape.ranks;
    Contender contender;
    policy::Choice& choice = contender.choice;
    choice.algorithm = algorithms::find(collective, use.algorithm);
    const auto parameters = parameters_of(*choice.algorithm, use, shape, blocks);
    if (!parameters) return text + " follows the size of the blocks: measure one --max-block at a time";
    choice.parameters = *parameters;
    std::string why = policy::why_not_admissible(*choice.algorithm, choice.parameters, fixed);
    if (why.empty()) why = policy::why_out_of_bounds(*choice.algorithm, choice.parameters, shape);
    if (!why.empty()) return text + " cannot run here: " + why;
    if (in_place && !choice.algorithm->native && !choice.algorithm->has(algorithms::takes_overlap))
        return text + " cannot run with --in-place: its buffers must not overlap";
    contender.name = policy::describe(choice);
    if (std::ranges::find(contenders, contender.name, &Contender::name) == contenders.end())
        contenders.push_back(std::move(contender));
    return "";
}

} // namespace

std::string Contender::without(algorithms::Parameter parameter) const {
    const std::string left_out = std::string(traits_of(parameter).name) + "=";
    std::string text;
    for (const std::string& word : split(name, ' '))
        if (!word.starts_with(left_out)) text += (text.empty() ? "" : " ") + word;
    return text;
}

std::string name_as(Collective function) {
    return std::string(as_another) + std::string(name_of(function));
}

text::Result<std::vector<std::string>> expand(const std::string& spec, int ranks) {
    const auto fields = split(spec, ':');
    std::vector<std::string> texts = {fields.front()};
    for (std::size_t i = 1; i < fields.size(); ++i) {
        const auto equals = fields[i].find('=');
        if (equals == std::string::npos) { // parse_force() has a message for this
            for (std::string& text : texts) text += ':' + fields[i];
            continue;
        }
        const auto values = values_of(std::string_view(fields[i]).substr(equals + 1), ranks);
        if (values.empty())
            return "in \"" + spec + "\": \"" + fields[i].substr(equals + 1) +
                   "\" is not a range such as 2..64 or 2..ranks";
        std::vector<std::string> longer;
        for (const std::string& text : texts)
            for (const std::string& value : values)
                longer.push_back(text + ':' + fields[i].substr(0, equals + 1) + value);
        texts = std::move(longer);
    }
    return texts;
}

text::Result<std::vector<Contender>> contenders_of(Collective collective,
                                                   const std::vector<std::string>& specs,
                                                   const algorithms::GroupShape& shape, bool with_native,
                                                   bool in_place, std::span<const std::size_t> blocks) {
    std::vector<Contender> contenders;
    if (with_native) add(collective, "native", shape, in_place, blocks, contenders);
    std::vector<std::string> single;
    for (const std::string& spec : specs)
        for (std::string& word : split(spec, '+')) single.push_back(std::move(word));
    for (const std::string& spec : single) {
        auto texts = expand(spec, shape.ranks);
        if (auto* problem = texts.error()) return *problem;
        for (const std::string& text : texts.value()) {
            std::string problem = add(collective, text, shape, in_place, blocks, contenders);
            if (!problem.empty()) return problem;
        }
    }
    if (contenders.empty())
        return std::string("nothing to measure: give an --algorithm, or leave out --no-native");
    return contenders;
}

} // namespace switchyard::bench
