#include "compare_text.hpp"

#include "report_text.hpp"
#include "shim/common/formatted.hpp"
#include "shim/report/facts/compare_words.hpp"
#include "text_table.hpp"

namespace switchyard::shim::report {

namespace {

constexpr std::size_t widest_algorithms = 36;

TextTable::Column text_column(const ToldColumn& column) {
    switch (column.told) {
    case Told::words: return {column.title, Align::left};
    case Told::algorithms: return {column.title, Align::left, widest_algorithms};
    default: return {column.title};
    }
}

void print_lines(const std::string& text, std::ostream& out) {
    for (const auto& line : wrapped(text, text_width)) out << line << '\n';
}

void print(const ToldTable& told, std::ostream& out) {
    if (told.rows.empty()) {
        if (!told.without_rows.empty()) out << '\n' << told.without_rows << '\n';
        return;
    }
    out << '\n' << told.title << (told.explanation.empty() ? "" : " (" + told.explanation + ")") << '\n';
    if (!told.note.empty()) out << told.note << '\n';
    std::vector<TextTable::Column> columns;
    for (const auto& column : told.columns) columns.push_back(text_column(column));
    TextTable table(columns);
    for (const auto& row : told.rows) {
        std::vector<std::string> cells;
        for (const auto& cell : row) cells.push_back(cell.text);
        table.row(std::move(cells));
    }
    table.print(out);
}

void print_side(char letter, const ToldSide& side, std::ostream& out) {
    out << letter << ": " << side.title << '\n';
    for (const auto& fact : side.facts) print_fact(out, fact);
    out << "  " << side.calls << '\n';
    for (const auto& remark : side.remarks) out << "  " << remark << '\n';
}

void print_agreement(const std::array<ToldSide, 2>& sides, std::ostream& out) {
    if (sides[0].agreement.empty() && sides[1].agreement.empty()) return;
    out << "\nWhat the agreement costs, waiting for late ranks included\n";
    for (std::size_t i = 0; i < 2; ++i)
        if (!sides[i].agreement.empty())
            print_lines(formatted("{}: {}", letters[i], sides[i].agreement), out);
}

void print_answer(const std::string& answer, std::ostream& out) {
    out << '\n';
    print_lines(answer, out);
}

void print(const ToldPools& told, std::ostream& out) {
    for (std::size_t side = 0; side < 2; ++side) print_side(letters[side], told.sides[side], out);
    if (!told.unlike.empty()) out << '\n' << told.unlike << '\n';
    print(told.takes, out);
    for (const auto& sentence : told.pairing) out << "  " << sentence << '\n';
    print(told.in_both, out);
    for (const auto& table : told.only_in) print(table, out);
    print_agreement(told.sides, out);
    print_answer(told.answer, out);
}

} // namespace

void print_comparison(const Folders& folders, std::ostream& out) {
    const auto all = told(folders);
    for (const auto& remark : all.remarks) out << remark << '\n';
    bool is_first = all.remarks.empty();
    for (const auto& pools : all.pools) {
        if (!is_first) out << '\n';
        print(pools, out);
        is_first = false;
    }
    if (!all.no_answer.empty()) print_answer(all.no_answer, out);
}

} // namespace switchyard::shim::report
