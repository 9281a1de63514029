#include "parse.hpp"
#include "read_use.hpp"
#include "read_value.hpp"
#include "spelling.hpp"
#include "vocabulary.hpp"

#include <algorithm>
#include <charconv>
#include <exception>

namespace switchyard::policy {

namespace {

constexpr std::string_view form = "COLLECTIVE:ALGORITHM[:PARAMETER=VALUE]..., several of them separated by ;";

std::string_view trimmed(std::string_view text) {
    constexpr std::string_view blanks = " \t\r\n";
    const std::size_t first = text.find_first_not_of(blanks);
    if (first == std::string_view::npos) return {};
    return text.substr(first, text.find_last_not_of(blanks) - first + 1);
}

std::vector<std::string_view> split(std::string_view text, char separator) {
    std::vector<std::string_view> parts;
    while (true) {
        const std::size_t end = text.find(separator);
        parts.push_back(trimmed(text.substr(0, end)));
        if (end == std::string_view::npos) return parts;
        text.remove_prefix(end + 1);
    }
}

// The value that a policy file would hold, so that one reader checks both.
Value value_of(std::string_view key, std::string_view text) {
    Value value;
    value.type = Value::Type::string;
    value.key = key;
    value.text = text;
    if (text == "true" || text == "false") {
        value.type = Value::Type::boolean;
        value.boolean = text == "true";
        return value;
    }
    std::uint64_t number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (!text.empty() && error == std::errc{} && end == text.data() + text.size()) {
        value.type = Value::Type::integer;
        value.magnitude = number;
    }
    return value;
}

class ForceReader {
  public:
    // One `alltoallv:tuna:radix=4`.
    void read(std::string_view part) {
        const auto fields = split(part, ':');
        Findings findings;
        const auto collective = read_collective(value_of("", fields.front()), findings);
        if (collective && fields.size() < 2)
            findings.add({}, "no algorithm; the form is " + std::string(form));
        else if (collective)
            read_algorithm(static_cast<Collective>(*collective), fields, findings);
        for (Problem& problem : std::move(findings).in_document_order())
            findings_.add({}, "in " + in_quotes(part) + ": " + problem.message, problem.spoils);
    }

    Reading<Force> take() { return reading_of(force_, std::move(findings_)); }

    void refuse(std::string message) { findings_.add({}, std::move(message)); }

  private:
    void read_algorithm(Collective collective, const std::vector<std::string_view>& fields,
                        Findings& findings) {
        Value use;
        use.type = Value::Type::object;
        use.children.push_back(value_of("algorithm", fields[1]));
        for (std::size_t i = 2; i < fields.size(); ++i) read_assignment(fields[i], use, findings);
        auto& forced = force_.by_collective[static_cast<std::size_t>(collective)];
        if (forced) findings.add({}, std::string(name_of(collective)) + " is forced twice");
        forced = read_use(use, {collective, most_ranks}, findings);
    }

    static void read_assignment(std::string_view field, Value& use, Findings& findings) {
        const std::size_t equals = field.find('=');
        if (equals == std::string_view::npos) {
            findings.add({}, in_quotes(field) + " is not PARAMETER=VALUE");
            return;
        }
        const std::string_view key = trimmed(field.substr(0, equals));
        if (use.find(key) != nullptr) findings.add({}, in_quotes(key) + " is given twice");
        use.children.push_back(value_of(key, trimmed(field.substr(equals + 1))));
    }

    Force force_;
    Findings findings_;
};

Reading<Force> force_in(std::string_view text) {
    ForceReader reader;
    bool any = false;
    for (const std::string_view part : split(text, ';')) {
        if (part.empty()) continue; // a ; at the end is allowed
        any = true;
        reader.read(part);
    }
    if (!any) reader.refuse("nothing is forced; the form is " + std::string(form));
    return reader.take();
}

} // namespace

Reading<Force> read_force(std::string_view text) {
    try {
        return force_in(text);
    } catch (const std::bad_alloc&) {
        throw; // this process's trouble, not the text's: another rank would read it
    } catch (const std::exception& error) {
        return {std::nullopt, {{"", std::string("cannot be read: ") + error.what()}}};
    }
}

text::Result<Force, std::vector<Problem>> parse_force(std::string_view text) {
    auto reading = read_force(text);
    if (!reading.problems.empty()) return std::move(reading.problems);
    return *std::move(reading.value);
}

} // namespace switchyard::policy
