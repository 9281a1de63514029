#include "policy_text.hpp"

#include "policy/rule_name.hpp"
#include "policy/text/lists.hpp"
#include "report_text.hpp"
#include "shim/common/formatted.hpp"
#include "shim/common/units.hpp"
#include "shim/report/facts/agreement_time.hpp"
#include "shim/report/facts/cliff_rules.hpp"
#include "shim/report/facts/cliffs.hpp"
#include "text_table.hpp"

#include <algorithm>
#include <iterator>

namespace switchyard::shim::report {

namespace {

constexpr std::size_t widest_use = 24;

std::string label_of(const policy::Policy& policy, const std::optional<std::size_t>& rule) {
    if (!rule) return "otherwise";
    const auto& name = policy.rules[*rule].name;
    const auto number = std::to_string(*rule + 1);
    return name == policy::name_by_number(*rule + 1) ? number
                                                     : formatted("{} \"{}\"", number, shown(name, 300));
}

// `3`, `-` for otherwise.
std::string number_of(const std::optional<std::size_t>& rule) {
    return rule ? std::to_string(*rule + 1) : "-";
}

std::string with(const std::string& transfer, const std::string& algorithm) {
    return transfer.empty() ? algorithm : algorithm + ' ' + transfer;
}

void print_rules(const policy::Policy& policy, const std::vector<PolicyGroup>& groups, const Profile& profile,
                 std::ostream& out) {
    struct Share {
        std::uint64_t calls = 0, kinds = 0;
        double rank_us = 0;
    };
    std::vector<Share> shares(policy.rules.size() + 1); // the last one: otherwise
    for (const auto& group : groups) {
        auto& share = shares[group.rule.value_or(policy.rules.size())];
        share.calls += group.calls;
        share.rank_us += group.rank_us;
        ++share.kinds;
    }
    out << "\nThe calls of each rule (of time: part of all time in collectives, in the run that was "
           "logged)\n";
    TextTable table({{"of time"}, {"total"}, {"calls"}, {"groups"}, {"rule", Align::left, 64}});
    for (std::size_t i = 0; i < shares.size(); ++i) {
        const bool otherwise = i == policy.rules.size();
        if (shares[i].calls == 0 && !otherwise) continue; // listed by print_idle
        table.row({share_text(shares[i].rank_us, profile.rank_us.whole),
                   time_text(profile.per_rank(shares[i].rank_us)), count_text(shares[i].calls),
                   std::to_string(shares[i].kinds),
                   otherwise ? "otherwise: no rule takes these calls" : label_of(policy, i)});
    }
    table.print(out, 2);
}

// Columns that say which calls a group has, then `more`.
TextTable table_of_groups(std::vector<TextTable::Column> more) {
    std::vector<TextTable::Column> columns = {{"total"}, {"of time"}, {"calls"}, {"collective", Align::left},
                                              {"ranks"}, {"block <="}};
    std::ranges::move(more, std::back_inserter(columns));
    return TextTable(std::move(columns));
}

void add_row(TextTable& table, const PolicyGroup& group, const Profile& profile,
             std::vector<std::string> more) {
    std::vector<std::string> cells = {time_text(profile.per_rank(group.rank_us)),
                                      share_text(group.rank_us, profile.rank_us.whole),
                                      count_text(group.calls),
                                      shown(group.kind.collective, widest_collective),
                                      std::to_string(group.kind.ranks),
                                      block_text(group.kind.block_bits)};
    std::ranges::move(more, std::back_inserter(cells));
    table.row(std::move(cells));
}

void print_groups(const std::vector<PolicyGroup>& groups, const Profile& profile, bool changing,
                  std::ostream& out) {
    auto table = table_of_groups({{changing ? "ran" : "ran and would run", Align::left, widest_use},
                                  {changing ? "would run" : "", Align::left, changing ? widest_use : 1},
                                  {"rule"}});
    for (const auto& group : groups)
        if (group.changes() == changing)
            add_row(table, group, profile,
                    {shown(with(group.kind.transfer, group.kind.algorithm_text()), 200),
                     changing ? shown(with(group.transfer, group.algorithm), 200) : "",
                     number_of(group.rule)});
    if (table.empty()) return;
    out << (changing ? "\nCalls that would run differently\n" : "\nCalls that would run the same way\n");
    table.print(out, 2);
}

void print_unmatched(const std::vector<PolicyGroup>& groups, const Profile& profile, std::ostream& out) {
    auto table = table_of_groups({{"why", Align::left, 44}});
    for (const auto& group : groups)
        if (!group.rule)
            add_row(table, group, profile,
                    {group.reason == "otherwise" ? "no rule matches" : shown(group.reason, 300)});
    if (table.empty()) return;
    out << "\nCalls that no rule takes\n";
    table.print(out, 2);
}

void print_idle(const policy::Policy& policy, const std::vector<IdleRule>& idle, std::ostream& out) {
    if (idle.empty()) return;
    out << "\nRules that never fire\n";
    TextTable table({{"rule", Align::left, 40}, {"why", Align::left, 64}});
    for (const auto& rule : idle) table.row({label_of(policy, rule.rule), shown(rule.why, 300)});
    table.print(out, 2);
}

void print_legend(const policy::Policy& policy, std::ostream& out) {
    out << '\n';
    for (std::size_t i = 0; i < policy.rules.size(); ++i) {
        const auto lines = wrapped(label_of(policy, i) + ": " + policy.rules[i].use.algorithm, 104);
        for (std::size_t n = 0; n < lines.size(); ++n) out << (n == 0 ? "  " : "    ") << lines[n] << '\n';
    }
    out << "  .  otherwise: " << policy.otherwise.algorithm << '\n'
        << "  +  another rule takes part of the blocks of this column; shown is the rule of the largest "
           "block\n"
        << "  !  a rule matches but cannot run here; it is skipped\n";
}

std::string cell_text(const Covered& cell) {
    const char* note = cell.falls_back ? "!" : cell.mixed ? "+" : "";
    return formatted("{:>4}", note + (cell.rule ? std::to_string(*cell.rule + 1) : "."));
}

// `64`, `4K`, `16M`: at most four characters.
std::string short_block(unsigned bits) {
    constexpr std::string_view units = " KMGTPE";
    const char unit = units[std::min<std::size_t>(bits / 10, units.size() - 1)];
    return std::to_string(1U << bits % 10) + (unit == ' ' ? "" : std::string(1, unit));
}

void print_cliffs(const policy::Policy& policy, const std::vector<PolicyGroup>& groups,
                  const Profile& profile, std::ostream& out) {
    const auto sentences = cliff_rules(policy, groups, profile);
    if (!sentences.empty()) out << '\n' << cliff_title << '\n';
    for (const auto& sentence : sentences)
        for (const auto& line : wrapped(sentence, text_width - 2)) out << "  " << line << '\n';
}

void print_agreement(const policy::Policy& policy, const Profile& profile, std::ostream& out) {
    const auto sentences = agreement_on_log(policy, profile);
    if (!sentences.empty()) out << '\n';
    for (const auto& sentence : sentences)
        for (const auto& line : wrapped(sentence, text_width)) out << line << '\n';
}

} // namespace

void print_policy_on_log(const policy::Policy& policy, const PolicyOnLog& asked, const Profile& profile,
                         std::ostream& out) {
    print_head(profile, out);
    const auto groups = asked.groups();
    std::uint64_t changing = 0;
    double changing_us = 0;
    for (const auto& group : groups)
        if (group.changes()) {
            changing += group.calls;
            changing_us += group.rank_us;
        }
    out << formatted("\n{} of {} calls would run differently, {} of the time in collectives\n", changing,
                     profile.calls, share_text(changing_us, profile.rank_us.whole));
    print_agreement(policy, profile, out);
    print_rules(policy, groups, profile, out);
    print_cliffs(policy, groups, profile, out);
    print_groups(groups, profile, true, out);
    print_groups(groups, profile, false, out);
    print_unmatched(groups, profile, out);
    print_idle(policy, asked.idle_rules(), out);
    print_damage(profile, out);
}

void print_coverage(const policy::Policy& policy, const Coverage& coverage, std::ostream& out,
                    std::string_view source) {
    out << formatted(
        "The rule that takes a call, by ranks (down) and largest block in bytes (across, up to),\n"
        "for host buffers and {} per node{}\n",
        text::plural(static_cast<std::uint64_t>(coverage.ranks_per_node), "rank"), source);
    for (const auto& table : coverage.tables) {
        out << '\n' << name_of(table.collective) << "\n      ";
        for (std::size_t i = 0; i < coverage.block_bits.size();
             i += 2) // every other one: four columns are too narrow
            out << formatted("{:>{}}", short_block(coverage.block_bits[i]), i == 0 ? 4 : 8);
        out << '\n';
        for (std::size_t i = 0; i < coverage.ranks.size(); ++i) {
            std::string line = formatted("{:>6}", coverage.ranks[i]);
            for (const auto& cell : table.rows[i]) line += cell_text(cell);
            line.erase(line.find_last_not_of(' ') + 1);
            out << line << '\n';
        }
    }
    print_legend(policy, out);
}

} // namespace switchyard::shim::report
