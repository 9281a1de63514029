// A table of a page, written row by row.
#pragma once

#include "markup.hpp"
#include "shim/common/formatted.hpp"
#include "shim/common/units.hpp"

#include <optional>
#include <ostream>
#include <string>
#include <vector>

namespace switchyard::shim::report {

// Figures are aligned to the right. Long words may be broken anywhere, the words of an algorithm may not.
// Fields are narrow figures, since a heat map has many columns.
enum class Cells { figures, words, algorithm, fields };

struct Column {
    std::string title; // markup
    Cells cells = Cells::figures;

    const char* attributes() const {
        switch (cells) {
        case Cells::words: return " class=\"w\"";
        case Cells::algorithm: return " class=\"w a\"";
        case Cells::fields: return " class=\"heat\"";
        default: return "";
        }
    }
};

// What a cell shows, as markup: the caller escapes texts from the log. A column whose cells have
// a value is sorted by it.
struct Cell {
    std::string shows;
    std::optional<double> value;
    std::string attributes; // further ones of the element, as markup

    Cell(std::string words) : shows(std::move(words)) {}
    Cell(std::string figure, double sorted_by, std::string with = "")
        : shows(std::move(figure)), value(sorted_by), attributes(std::move(with)) {}
};

inline Cell time_cell(double us) {
    return {time_text(us), us};
}
inline Cell count_cell(std::uint64_t count) {
    return {count_text(count), static_cast<double>(count)};
}
inline Cell block_cell(unsigned block_bits) {
    return {block_text(block_bits), static_cast<double>(block_bits)};
}

class HtmlTable {
  public:
    HtmlTable(std::ostream& out, const std::vector<Column>& columns) : out_(out), columns_(columns) {
        out_ << "<div class=\"table\"><table><thead><tr>";
        for (const auto& column : columns_)
            out_ << "<th scope=\"col\"" << column.attributes() << ">" << column.title << "</th>";
        out_ << "</tr></thead><tbody>\n";
    }
    ~HtmlTable() { out_ << "</tbody></table></div>\n"; }
    HtmlTable(const HtmlTable&) = delete;
    HtmlTable& operator=(const HtmlTable&) = delete;

    void row(const std::vector<Cell>& cells) {
        out_ << "<tr>";
        for (std::size_t i = 0; i < cells.size(); ++i) {
            out_ << "<td" << columns_[i].attributes() << cells[i].attributes;
            if (cells[i].value) out_ << formatted(" data-value=\"{:.9g}\"", *cells[i].value);
            out_ << ">" << cells[i].shows << "</td>";
        }
        out_ << "</tr>\n";
    }

  private:
    std::ostream& out_;
    std::vector<Column> columns_;
};

} // namespace switchyard::shim::report
