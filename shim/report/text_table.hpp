// A table of text: columns as wide as what is in them.
#pragma once

#include <ostream>
#include <string>
#include <vector>

namespace switchyard::shim::report {

inline constexpr std::size_t text_width = 110;

enum class Align { left, right };

class TextTable {
  public:
    struct Column {
        std::string title;
        Align align = Align::right;
        // Cells of a column that wraps go on below, broken at blanks, where they are wider; 0: never. Where
        // the table would be too wide, such columns become narrower.
        std::size_t widest = 0;
    };
    explicit TextTable(std::vector<Column> columns) : columns_(std::move(columns)) {}

    // One text per column. Nothing in them may be a control character (see `shown`).
    void row(std::vector<std::string> cells) { rows_.push_back(std::move(cells)); }
    bool empty() const { return rows_.empty(); }

    // At most `text_width` columns if those that wrap leave a chance. Two blanks between the columns,
    // `indent` before the first one.
    void print(std::ostream& out, std::size_t indent = 0);

  private:
    using Cell = std::vector<std::string>; // its lines
    std::vector<std::vector<Cell>> wrapped_rows() const;
    std::vector<std::size_t> widths_of(const std::vector<std::vector<Cell>>& rows) const;
    bool narrow_by(std::size_t excess, const std::vector<std::size_t>& widths);

    std::vector<Column> columns_;
    std::vector<std::vector<std::string>> rows_;
};

// `text` in lines of at most `widest` columns, broken at blanks, or where there are none.
std::vector<std::string> wrapped(const std::string& text, std::size_t widest);

} // namespace switchyard::shim::report
