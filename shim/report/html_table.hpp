// A table of a page, written row by row.
#pragma once

#include "svg.hpp"

#include <ostream>
#include <string>
#include <vector>

namespace switchyard::shim::report {

// Figures are aligned to the right. Long words may be broken anywhere, the words of an algorithm may not.
enum class Cells { figures, words, algorithm };

struct Column {
    const char* title;
    Cells cells = Cells::figures;

    const char* attributes() const {
        return cells == Cells::figures ? "" : cells == Cells::words ? " class=\"w\"" : " class=\"w a\"";
    }
};

// Cells are markup: the caller escapes texts from the log.
class HtmlTable {
  public:
    HtmlTable(std::ostream& out, const std::vector<Column>& columns) : out_(out), columns_(columns) {
        out_ << "<div class=\"table\"><table><thead><tr>";
        for (const auto& column : columns_)
            out_ << "<th" << column.attributes() << ">" << markup(column.title) << "</th>";
        out_ << "</tr></thead><tbody>\n";
    }
    ~HtmlTable() { out_ << "</tbody></table></div>\n"; }
    HtmlTable(const HtmlTable&) = delete;
    HtmlTable& operator=(const HtmlTable&) = delete;

    void row(const std::vector<std::string>& cells) {
        out_ << "<tr>";
        for (std::size_t i = 0; i < cells.size(); ++i)
            out_ << "<td" << columns_[i].attributes() << ">" << cells[i] << "</td>";
        out_ << "</tr>\n";
    }

  private:
    std::ostream& out_;
    std::vector<Column> columns_;
};

} // namespace switchyard::shim::report
