#include "page_parts.hpp"

#include "markup.hpp"
#include "shim/common/units.hpp"

namespace switchyard::shim::report {

void say_what_is_left_out(std::ostream& out, std::size_t groups) {
    if (groups > most_rows)
        out << "<p class=\"note\">" << groups - most_rows
            << " groups with less time are left out; <code>switchyard report --format csv</code> prints "
               "all.</p>\n";
}

void write_facts(const std::vector<Fact>& facts, std::ostream& out) {
    out << "<dl>";
    for (const auto& fact : facts)
        if (!fact.text.empty())
            out << "<dt>" << fact.name << "</dt><dd>" << markup(shown(fact.text, 600)) << "</dd>\n";
    out << "</dl>";
}

} // namespace switchyard::shim::report
