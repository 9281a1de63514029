#include "text_table.hpp"

#include "shim/common/units.hpp"

#include <algorithm>
#include <numeric>

namespace switchyard::shim::report {

namespace {

constexpr std::size_t narrowest_wrapped = 14;

std::string padded(const std::string& text, std::size_t width, Align align) {
    const std::string blanks(width - std::min(width, width_of(text)), ' ');
    return align == Align::left ? text + blanks : blanks + text;
}

void print_line(std::ostream& out, std::string line) {
    line.erase(line.find_last_not_of(' ') + 1);
    out << line << '\n';
}

} // namespace

std::vector<std::string> wrapped(const std::string& text, std::size_t widest) {
    std::vector<std::string> lines(1);
    for (std::size_t start = 0; start < text.size();) {
        const std::size_t end = std::min(text.find(' ', start), text.size());
        auto word = text.substr(start, end - start);
        auto& line = lines.back();
        if (!line.empty() && width_of(line) + 1 + width_of(word) <= widest)
            line += ' ' + word;
        else if (line.empty())
            line = std::move(word);
        else
            lines.push_back(std::move(word));
        while (width_of(lines.back()) > widest) {
            const auto cut = bytes_of(lines.back(), widest);
            lines.push_back(lines.back().substr(cut));
            lines[lines.size() - 2].resize(cut);
        }
        start = end + 1;
    }
    return lines;
}

std::vector<std::vector<TextTable::Cell>> TextTable::wrapped_rows() const {
    std::vector<std::vector<Cell>> rows;
    for (const auto& row : rows_) {
        auto& cells = rows.emplace_back();
        for (std::size_t i = 0; i < columns_.size(); ++i)
            cells.push_back(columns_[i].widest > 0 ? wrapped(row[i], columns_[i].widest) : Cell{row[i]});
    }
    return rows;
}

std::vector<std::size_t> TextTable::widths_of(const std::vector<std::vector<Cell>>& rows) const {
    std::vector<std::size_t> widths;
    for (const auto& column : columns_) widths.push_back(width_of(column.title));
    for (const auto& row : rows)
        for (std::size_t i = 0; i < row.size(); ++i)
            for (const auto& line : row[i]) widths[i] = std::max(widths[i], width_of(line));
    return widths;
}

// The widest column that may be broken becomes narrower. False: no column can.
bool TextTable::narrow_by(std::size_t excess, const std::vector<std::size_t>& widths) {
    std::size_t most = columns_.size();
    for (std::size_t i = 0; i < columns_.size(); ++i)
        if (columns_[i].widest > 0 && widths[i] > narrowest_wrapped &&
            (most == columns_.size() || widths[i] > widths[most]))
            most = i;
    if (most == columns_.size()) return false;
    columns_[most].widest = std::max(narrowest_wrapped, widths[most] - std::min(excess, widths[most]));
    return true;
}

void TextTable::print(std::ostream& out, std::size_t indent) {
    auto rows = wrapped_rows();
    auto widths = widths_of(rows);
    const auto width = [&] {
        return std::accumulate(widths.begin(), widths.end(), indent + 2 * (widths.size() - 1));
    };
    while (width() > text_width && narrow_by(width() - text_width, widths)) {
        rows = wrapped_rows();
        widths = widths_of(rows);
    }
    const auto print_cells = [&](const auto& text_of_column) {
        std::string line(indent, ' ');
        for (std::size_t i = 0; i < columns_.size(); ++i)
            line += (i > 0 ? "  " : "") + padded(text_of_column(i), widths[i], columns_[i].align);
        print_line(out, line);
    };
    print_cells([&](std::size_t i) { return columns_[i].title; });
    for (const auto& row : rows) {
        const auto tallest = std::ranges::max(row, {}, [](const Cell& cell) { return cell.size(); }).size();
        for (std::size_t n = 0; n < tallest; ++n)
            print_cells([&](std::size_t i) { return n < row[i].size() ? row[i][n] : std::string(); });
    }
}

} // namespace switchyard::shim::report
