// A table of text; a column is as wide as its widest cell.
#pragma once

#include <cstddef>
#include <ostream>
#include <string>
#include <vector>

namespace switchyard::shim::report {

inline constexpr std::size_t text_width = 110;
inline constexpr std::size_t widest_collective = 20; // a log of any version may name it

enum class Align { left, right };

class TextTable {
  public:
    struct Column {
        std::string title;
        Align align = Align::right;
        // Wider cells continue on the next line, broken at blanks; 0: cells are never broken. Columns with
        // broken cells become narrower if the table is too wide.
        std::size_t widest = 0;
    };
    explicit TextTable(std::vector<Column> columns) : columns_(std::move(columns)) {}

    // One text for each column, without control characters (see `shown`).
    void row(std::vector<std::string> cells) { rows_.push_back(std::move(cells)); }
    bool empty() const { return rows_.empty(); }

    // At most `text_width` characters wide, as far as columns may be narrowed. Two blanks between columns,
    // `indent` before the first.
    void print(std::ostream& out, std::size_t indent = 0);

  private:
    using Cell = std::vector<std::string>; // its lines
    std::vector<std::vector<Cell>> wrapped_rows() const;
    std::vector<std::size_t> widths_of(const std::vector<std::vector<Cell>>& rows) const;
    bool narrow_by(std::size_t excess, const std::vector<std::size_t>& widths);

    std::vector<Column> columns_;
    std::vector<std::vector<std::string>> rows_;
};

// `text` in lines of at most `widest` characters, broken at blanks, or inside a word that is too long.
std::vector<std::string> wrapped(const std::string& text, std::size_t widest);

} // namespace switchyard::shim::report
