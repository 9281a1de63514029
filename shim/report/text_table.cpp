#include "text_table.hpp"

#include "units.hpp"

#include <algorithm>

namespace switchyard::shim::report {

namespace {

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

void TextTable::print(std::ostream& out, std::size_t indent) const {
    std::vector<std::vector<std::vector<std::string>>> cells; // by row and column, in lines
    std::vector<std::size_t> widths;
    for (const auto& column : columns_) widths.push_back(width_of(column.title));
    for (const auto& row : rows_) {
        auto& lines = cells.emplace_back();
        for (std::size_t i = 0; i < columns_.size(); ++i) {
            const auto widest = columns_[i].widest;
            lines.push_back(widest > 0 ? wrapped(row[i], widest) : std::vector<std::string>{row[i]});
            for (const auto& line : lines.back()) widths[i] = std::max(widths[i], width_of(line));
        }
    }
    std::string head(indent, ' ');
    for (std::size_t i = 0; i < columns_.size(); ++i)
        head += (i > 0 ? "  " : "") + padded(columns_[i].title, widths[i], columns_[i].align);
    print_line(out, head);
    for (const auto& row : cells) {
        const auto tallest = std::ranges::max(row, {}, [](const auto& lines) { return lines.size(); }).size();
        for (std::size_t n = 0; n < tallest; ++n) {
            std::string line(indent, ' ');
            for (std::size_t i = 0; i < row.size(); ++i)
                line += (i > 0 ? "  " : "") +
                        padded(n < row[i].size() ? row[i][n] : "", widths[i], columns_[i].align);
            print_line(out, line);
        }
    }
}

} // namespace switchyard::shim::report
