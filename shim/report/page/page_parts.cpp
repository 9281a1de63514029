#include "page_parts.hpp"

#include "markup.hpp"
#include "shim/common/units.hpp"

namespace switchyard::shim::report {

namespace {

constexpr std::size_t longest_command = 1000;

} // namespace

void say_what_is_left_out(std::ostream& out, std::size_t groups) {
    if (groups > most_rows)
        out << "<p class=\"note\">" << groups - most_rows
            << " groups with less time are left out; <code>switchyard report --format csv</code> prints "
               "all.</p>\n";
}

void begin_section(std::ostream& out, const char* id, std::string_view title) {
    out << "<section id=\"" << id << "\"><h2>" << markup(title) << "</h2>\n";
}

void write_next_steps(const std::vector<NextStep>& steps, std::ostream& out) {
    out << "<h2>What to type next</h2>\n";
    for (const auto& [why, command] : steps) {
        out << "<p class=\"step\">" << markup(why);
        if (!command.empty()) out << "<code>" << markup(shown(command, longest_command)) << "</code>";
        out << "</p>\n";
    }
}

void write_facts(const std::vector<Fact>& facts, std::ostream& out) {
    out << "<dl>";
    for (const auto& fact : facts)
        if (!fact.text.empty())
            out << "<dt>" << fact.name << "</dt><dd>" << markup(shown(fact.text, 600)) << "</dd>\n";
    out << "</dl>";
}

} // namespace switchyard::shim::report
