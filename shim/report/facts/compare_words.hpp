// What a comparison says: its sentences and the rows of its tables. Text and page only render them.
#pragma once

#include "compare.hpp"
#include "next_steps.hpp"
#include "run_sentences.hpp"

#include <array>
#include <optional>
#include <string>
#include <vector>

namespace switchyard::shim::report {

inline constexpr std::array letters = {'A', 'B'};

// What a column holds. `ratios`: of B to A; B is faster below 1.
enum class Told { figures, ratios, words, algorithms };

struct ToldColumn {
    std::string title;
    Told told = Told::figures;
};

struct ToldCell {
    std::string text;            // not too long, without control characters
    std::optional<double> value; // of a figure: tables are sorted by it

    ToldCell(std::string words) : text(std::move(words)) {}
    ToldCell(std::string figure, double sorted_by) : text(std::move(figure)), value(sorted_by) {}
};

struct ToldTable {
    std::string title;
    std::string explanation; // of its figures; "": none
    std::vector<ToldColumn> columns;
    std::vector<std::vector<ToldCell>> rows = {};
    std::string note = {}, without_rows = {}; // sentences; "": none
};

struct ToldSide {
    std::string title; // `app, 4 ranks on 1 node, 5 runs`
    std::vector<Fact> facts;
    std::string calls;                // `10 calls in 5 runs, 0 routed; 20.0% of the wall time in collectives`
    std::vector<std::string> remarks; // sentences on damage, and on what the runs do not have in common
    std::string agreement;            // what it costs, and which change avoids it; "": not worth a sentence
};

// A figure of what a run takes.
struct Total {
    std::string what;
    Paired paired;
    bool is_part = false; // of the total before
};

// Two pools that are compared with each other.
struct ToldPools {
    std::string name; // `app, 4 ranks on 1 node`
    std::array<ToldSide, 2> sides;
    std::string unlike; // a sentence if the sides are runs of different programs; "": they are not
    std::vector<Total> totals;
    ToldTable takes;                  // of these totals
    std::vector<std::string> pairing; // sentences on how runs were paired, and on what this leaves open
    ToldTable in_both;
    std::array<ToldTable, 2> only_in;
    std::string answer;
    std::optional<NextStep> next; // where the answer is not sure
};

struct ToldFolders {
    std::vector<std::string>
        remarks; // sentences on runs left out, on kinds of runs, and on those with no counterpart
    std::vector<ToldPools> pools;
    std::string no_answer; // a sentence if nothing is compared
};
ToldFolders told(const Folders& folders);

} // namespace switchyard::shim::report
