#include "page_parts.hpp"

#include "shim/common/units.hpp"
#include "svg.hpp"

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

void write_plot(const std::string& id, const std::string& title, PlotHeight height, std::ostream& out) {
    out << "<div class=\"plot" << (height == PlotHeight::low ? " low" : "") << "\" id=\"" << id
        << "\" role=\"img\" aria-label=\"" << markup(title) << "\" hidden></div>\n";
}

} // namespace switchyard::shim::report
