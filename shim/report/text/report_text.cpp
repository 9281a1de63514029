#include "report_text.hpp"

#include "policy/text/lists.hpp"
#include "shim/common/formatted.hpp"
#include "shim/common/units.hpp"
#include "shim/report/facts/agreement_time.hpp"
#include "shim/report/facts/algorithm_phases.hpp"
#include "shim/report/facts/chosen_by.hpp"
#include "shim/report/facts/cliffs.hpp"
#include "shim/report/facts/native_calls.hpp"
#include "shim/report/facts/near_two_gib.hpp"
#include "shim/report/facts/slow_start.hpp"
#include "shim/report/facts/what_moves.hpp"
#include "text_table.hpp"

#include <algorithm>
#include <tuple>

namespace switchyard::shim::report {

namespace {

constexpr std::size_t most_expensive = 10;
constexpr std::size_t widest_algorithm = 30;

void print_sum(const Profile& profile, std::ostream& out) {
    const auto& times = profile.rank_us;
    std::string copying;
    if (times.copy > 0) copying = formatted(", {} copying", time_text(profile.per_rank(times.copy)));
    const auto share = share_text(profile.per_rank(times.whole), profile.wall_us());
    if (profile.run.counted.empty())
        out << formatted("\n{} calls, {} routed; {} in collectives, {} of the wall time\n", profile.calls,
                         profile.routed, time_text(profile.per_rank(times.whole)), share);
    else
        out << formatted("\n{}\n{} calls, {} routed; {} of the wall time\n", share_of_policies_text(profile),
                         profile.calls, profile.routed, share);
    out << formatted("of which {} agreement, {} packing{}\n", time_text(profile.per_rank(times.agree)),
                     time_text(profile.per_rank(times.stage)), copying);
    if (const auto sentence = agreement_sentence(profile, profile.wall_us()); !sentence.empty())
        for (const auto& line : wrapped(sentence, text_width)) out << line << '\n';
}

void print_counted(const Profile& profile, std::ostream& out) {
    if (profile.run.counted.empty()) return;
    out << "\nCounted, not routed: no policy changes these (calls, sent: of all ranks)\n";
    TextTable table({{"collective", Align::left}, {"calls"}, {"total"}, {"share"}, {"of time"}, {"sent"}});
    for (const auto& kind : profile.run.counted)
        table.row({shown(kind.name, 32), count_text(kind.calls), time_text(profile.per_rank(kind.rank_us)),
                   share_text(profile.per_rank(kind.rank_us), profile.wall_us()),
                   share_text(kind.rank_us, profile.all_rank_us()), size_text(kind.bytes)});
    table.print(out, 2);
    if (const auto note = waiting_text(profile); !note.empty()) out << "  " << note << '\n';
}

// The figures of a group, the same in all tables.
std::vector<std::string> figures_of(const Profile& profile, const CallGroup& group) {
    return {count_text(group.calls),
            time_text(profile.time_us(group)),
            share_text(profile.time_us(group), profile.wall_us()),
            time_text(group.call_us.median()),
            time_text(group.call_us.quantile(0.95)),
            formatted("{:.2f}", group.imbalance()),
            size_text(group.bytes)};
}

const std::vector<TextTable::Column>& figure_columns() {
    static const std::vector<TextTable::Column> columns = {{"calls"}, {"total"},    {"share"}, {"median"},
                                                           {"p95"},   {"max/mean"}, {"sent"}};
    return columns;
}

std::string marks_of(const CallKind& kind) {
    std::string text;
    if (kind.buffer != "host") text += ' ' + kind.buffer;
    if (!kind.transfer.empty()) text += ' ' + kind.transfer;
    if (kind.in_place) text += " in place";
    return text;
}

// Groups of one collective and one shape of communicator.
struct Section {
    std::string collective;
    int ranks, nodes, ranks_per_node;
    std::vector<const CallGroup*> groups; // by block, then by time
    double rank_us = 0;
    std::uint64_t calls = 0;
};

std::vector<Section> sections_of(const Profile& profile) {
    std::vector<Section> sections;
    Places<std::tuple<std::string, int, int, int>> places;
    for (const auto& group : profile.groups) {
        const auto& kind = group.kind;
        const auto [place, is_new] =
            places.add({kind.collective, kind.ranks, kind.nodes, kind.ranks_per_node});
        if (is_new)
            sections.push_back({kind.collective, kind.ranks, kind.nodes, kind.ranks_per_node, {}, 0, 0});
        auto& section = sections[place];
        section.groups.push_back(&group);
        section.rank_us += group.rank_us.whole;
        section.calls += group.calls;
    }
    std::ranges::stable_sort(sections, std::greater{}, &Section::rank_us);
    for (auto& section : sections)
        std::ranges::stable_sort(section.groups, {},
                                 [](const auto* group) { return group->kind.block_bits; });
    return sections;
}

void print_section(const Profile& profile, const Section& section, const DeciderPlaces& deciders,
                   std::ostream& out) {
    out << formatted("\n{}, {}: {}, {}, {}\n", shown(section.collective),
                     shape_text(section.ranks, section.nodes), text::plural(section.calls, "call"),
                     time_text(profile.per_rank(section.rank_us)),
                     share_text(profile.per_rank(section.rank_us), profile.wall_us()));
    std::vector<TextTable::Column> columns = {{"block <="}, {"algorithm", Align::left, widest_algorithm}};
    columns.insert(columns.end(), figure_columns().begin(), figure_columns().end());
    columns.push_back({"by"});
    TextTable table(columns);
    for (const auto* group : section.groups) {
        std::vector<std::string> row = {block_text(group->kind.block_bits),
                                        shown(group->kind.algorithm_text() + marks_of(group->kind), 200)};
        std::ranges::move(figures_of(profile, *group), std::back_inserter(row));
        row.push_back(mark_of(deciders.of(group->kind)));
        table.row(std::move(row));
    }
    table.print(out, 2);
}

void print_deciders(const Profile& profile, const std::vector<ChosenBy>& deciders, std::ostream& out) {
    out << "\nWho chose the algorithm (column by)\n";
    TextTable table({{"by"}, {"calls"}, {"total"}, {"of time"}, {"decided by", Align::left, 74}});
    for (std::size_t i = 0; i < deciders.size(); ++i) {
        const auto& by = deciders[i];
        table.row({mark_of(i), count_text(by.calls), time_text(profile.per_rank(by.rank_us)),
                   share_text(by.rank_us, profile.rank_us.whole), shown(by.text(), 600)});
    }
    table.print(out, 2);
}

void print_most_expensive(const Profile& profile, std::ostream& out) {
    out << "\nThe most expensive call groups\n";
    TextTable table({{"total"},
                     {"of time"},
                     {"so far"},
                     {"calls"},
                     {"median"},
                     {"collective", Align::left},
                     {"ranks"},
                     {"block <="},
                     {"algorithm", Align::left, widest_algorithm}});
    double so_far = 0;
    for (std::size_t i = 0; i < std::min(most_expensive, profile.groups.size()); ++i) {
        const auto& group = profile.groups[i];
        so_far += group.rank_us.whole;
        table.row({time_text(profile.time_us(group)), share_text(group.rank_us.whole, profile.rank_us.whole),
                   share_text(so_far, profile.rank_us.whole), count_text(group.calls),
                   time_text(group.call_us.median()), shown(group.kind.collective, widest_collective),
                   std::to_string(group.kind.ranks), block_text(group.kind.block_bits),
                   shown(group.kind.algorithm_text() + marks_of(group.kind), 200)});
    }
    table.print(out, 2);
}

void print_phases(const Profile& profile, std::ostream& out) {
    const auto& times = profile.rank_us;
    out << "\nWhat the calls spent their time on\n";
    TextTable table({{"total"}, {"of time"}, {"on", Align::left}});
    const auto line = [&](double rank_us, const char* what) {
        table.row({time_text(profile.per_rank(rank_us)), share_text(rank_us, times.whole), what});
    };
    line(times.exchange, "the exchange itself, waiting for late ranks included");
    line(times.agree, "the agreement: ranks tell each other the largest block");
    line(times.stage, "packing and unpacking datatypes");
    if (times.copy > 0) line(times.copy, "staging: copies from devices and to devices");
    table.print(out, 2);
}

void print_algorithm_phases(const Profile& profile, std::ostream& out) {
    const auto phases = phases_in(profile);
    if (phases.empty()) return;
    out << '\n' << algorithm_phases_title << '\n';
    for (const auto& line : wrapped(formatted("({})", algorithm_phases_note(phases)), text_width))
        out << line << '\n';
    std::vector<TextTable::Column> columns = {
        {"collective", Align::left, widest_collective}, {"ranks"}, {"block <="}, {"a call"}};
    for (const auto phase : phases)
        columns.push_back({std::string(algorithms::phase_traits[static_cast<std::size_t>(phase)].name)});
    columns.push_back({"algorithm", Align::left, widest_algorithm});
    TextTable table(columns);
    for (const auto* group : groups_with_phases(profile)) {
        std::vector<std::string> cells = {
            shown(group->kind.collective, widest_collective), std::to_string(group->kind.ranks),
            block_text(group->kind.block_bits), time_text(phases_us_of_call(*group))};
        for (const auto phase : phases) cells.push_back(share_of_phase(*group, phase));
        cells.push_back(shown(group->kind.algorithm_text() + marks_of(group->kind), 200));
        table.row(cells);
    }
    table.print(out, 2);
}

void print_sentences(const char* title, const char* note, const std::vector<std::string>& sentences,
                     std::ostream& out) {
    if (sentences.empty()) return;
    out << '\n' << title << '\n';
    for (const auto& line : wrapped(formatted("({})", note), text_width)) out << line << '\n';
    for (const auto& sentence : sentences) {
        const char* indent = "  ";
        for (const auto& line : wrapped(sentence, text_width - 4)) {
            out << indent << line << '\n';
            indent = "    ";
        }
    }
}

void print_what_moves(const Profile& profile, std::ostream& out) {
    const auto rows = what_moves_rows(profile);
    if (rows.empty()) return;
    out << '\n' << what_moves_title << '\n';
    for (const auto& line : wrapped(formatted("({})", what_moves_note), text_width)) out << line << '\n';
    TextTable table({{"collective", Align::left},
                     {"ranks"},
                     {"block <="},
                     {"to itself"},
                     {"empty"},
                     {"partners"},
                     {"most"},
                     {"skew"},
                     {"in flight"},
                     {"algorithm", Align::left, widest_algorithm}});
    for (const auto& [group, moves] : rows)
        table.row({shown(group->kind.collective, widest_collective), std::to_string(group->kind.ranks),
                   block_text(group->kind.block_bits), known_share(moves.own_share),
                   known_share(moves.empty_share), known_number(moves.partners),
                   known_number(moves.most_partners), known_number(moves.skew), known_number(moves.in_flight),
                   shown(group->kind.algorithm_text() + marks_of(group->kind), 200)});
    table.print(out, 2);
    print_sentences(moves_advice_title, moves_advice_note, moves_advice(profile), out);
}

void print_fallbacks(const Profile& profile, const std::vector<ChosenBy>& deciders, std::ostream& out) {
    TextTable table({{"calls"}, {"total"}, {"ran instead", Align::left, 24}, {"why", Align::left, 60}});
    for (const auto& by : deciders) {
        if (!by.fell_back()) continue;
        table.row({count_text(by.calls), time_text(profile.per_rank(by.rank_us)), shown(by.ran_text(), 200),
                   shown(by.reason, 600)});
    }
    if (table.empty()) return;
    out << "\nFallbacks\n";
    table.print(out, 2);
}

} // namespace

void print_fact(std::ostream& out, const Fact& fact) {
    if (fact.text.empty()) return;
    bool first = true;
    for (const auto& line : wrapped(shown(fact.text, 1000), text_width - 12)) {
        out << formatted("  {:<8}  {}\n", first ? fact.name : "", shown(line, text_width - 12));
        first = false;
    }
}

void print_head(const Profile& profile, std::ostream& out) {
    out << title_of(profile) << '\n';
    for (const auto& fact : facts_of(profile)) print_fact(out, fact);
    for (const auto& sentence : state_of(profile)) out << "  " << sentence << '\n';
}

void print_damage(const Profile& profile, std::ostream& out) {
    for (const auto& sentence : damage_of(profile)) out << '\n' << sentence << '\n';
}

void print_text(const Profile& profile, std::ostream& out) {
    print_head(profile, out);
    print_sum(profile, out);
    if (profile.groups.empty()) {
        const bool is_whole = profile.unreadable == 0 && profile.missing_calls() == 0;
        out << "\nThe log holds no calls"
            << (!is_whole                     ? " that can be read\n"
                : profile.run.counted.empty() ? ": the program made no calls that switchyard sees\n"
                                              : " that a policy can change\n");
        print_sentences(near_two_gib_title, near_two_gib_note, near_two_gib_sentences(profile), out);
        print_counted(profile, out);
        print_sentences(native_title, native_note, native_sentences(profile), out);
        return print_damage(profile, out);
    }
    const auto deciders = chosen_by(profile);
    out << "\nWhere the time went (total: for the average rank of the run; share: of its wall time)\n";
    const DeciderPlaces places(deciders);
    for (const auto& section : sections_of(profile)) print_section(profile, section, places, out);
    print_counted(profile, out);
    print_deciders(profile, deciders, out);
    print_sentences(native_title, native_note, native_sentences(profile), out);
    print_most_expensive(profile, out);
    print_sentences(cliff_title, cliff_note, cliff_sentences(profile), out);
    print_sentences(near_two_gib_title, near_two_gib_note, near_two_gib_sentences(profile), out);
    print_sentences(slow_start_title, slow_start_note, slow_start_sentences(profile), out);
    print_what_moves(profile, out);
    print_phases(profile, out);
    print_algorithm_phases(profile, out);
    print_fallbacks(profile, deciders, out);
    print_damage(profile, out);
}

} // namespace switchyard::shim::report
