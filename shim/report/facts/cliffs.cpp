#include "cliffs.hpp"

#include "group_sentences.hpp"
#include "shim/common/formatted.hpp"
#include "shim/common/units.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <map>
#include <tuple>

namespace switchyard::shim::report {

namespace {

// Two programs on one core differ by less, and so do calls that take some latencies. A median of fewer calls
// says little.
constexpr double least_times = 10, least_us = 20;
constexpr std::uint64_t least_calls = 5;

// Bytes that a rank sends in a call, on average. The largest block would not do: where most blocks are empty,
// a call with a larger one moves less.
double moved_by(const CallGroup& group) {
    return group.bytes / (static_cast<double>(group.calls) * group.kind.ranks);
}

// The fastest groups so far, by the bytes that they move.
class Fastest {
  public:
    void add(const CallGroup& group, double us) {
        if (group.smallest_block == 0 || moved_by(group) < 1) return; // calls of no bytes may return at once
        const auto bits = static_cast<std::size_t>(std::floor(std::log2(moved_by(group))));
        for (std::size_t i = 0; i <= std::min(bits, by_bits_.size() - 1); ++i)
            if (Entry& entry = by_bits_[i]; entry.group == nullptr || us < entry.us) entry = {&group, us};
    }
    struct Entry {
        const CallGroup* group = nullptr; // null: none
        double us = 0;
    };
    // Among those that move at least as much.
    const Entry& beside(const CallGroup& group) const {
        const auto bits = static_cast<std::size_t>(std::ceil(std::log2(std::max(moved_by(group), 1.0))));
        return by_bits_[std::min(bits, by_bits_.size() - 1)];
    }

  private:
    std::array<Entry, 65> by_bits_; // they move at least 2^i bytes
};

// Groups that can be compared, the most ranks first.
using Comparable = std::map<std::tuple<std::string, std::string, std::string, bool, int>,
                            std::map<int, std::vector<const CallGroup*>, std::greater<>>>;

Comparable comparable(const Profile& profile) {
    Comparable found;
    for (const auto& group : profile.groups) {
        const auto& kind = group.kind;
        if (group.calls < least_calls || kind.ranks < 2 || is_among_neighbors(kind)) continue;
        found[{kind.collective, kind.buffer, kind.transfer, kind.in_place, kind.nodes}][kind.ranks].push_back(
            &group);
    }
    return found;
}

std::string sentence_of(const Profile& profile, const Cliff& cliff) {
    const auto& kind = cliff.group->kind;
    return formatted(
        "{}: {} calls usually took {}, {:.0f} times as long as {} ({}); that cost {} in all, {} of the time "
        "in collectives. {}",
        name_of(kind), count_text(cliff.group->calls), short_time_text(cliff.group_us), cliff.times(),
        faster_text(cliff), short_time_text(cliff.faster_us), short_time_text(cliff.cost_us),
        share_text(cliff.cost_us, in_collectives_us(profile)), how_to_avoid(cliff));
}

} // namespace

std::string faster_text(const Cliff& cliff) {
    const auto &kind = cliff.group->kind, &faster = cliff.faster->kind;
    return formatted("calls of up to {}{}{}", block_text(faster.block_bits),
                     faster.ranks != kind.ranks ? formatted(" on {} ranks", faster.ranks) : "",
                     faster.algorithm_text() != kind.algorithm_text()
                         ? formatted(" with {}", shown(faster.algorithm_text()))
                         : "");
}

std::string command_against(const Cliff& cliff) {
    return formatted("switchyard tune --collective {} --ranks {} --max-block {} -o my.policy.json",
                     shown(cliff.group->kind.collective, 32), cliff.group->kind.ranks,
                     std::max<std::uint64_t>(cliff.group->largest_block, 1));
}

std::string how_to_avoid(const Cliff& cliff) {
    return "To find a rule: " + command_against(cliff);
}

std::vector<Cliff> cliffs_of(const Profile& profile) {
    std::vector<Cliff> cliffs;
    for (const auto& [what, by_ranks] : comparable(profile)) {
        Fastest fastest;
        for (const auto& [ranks, groups] : by_ranks) {
            for (const auto* group : groups) fastest.add(*group, group->least_us.median());
            for (const auto* group : groups) {
                const double us = group->least_us.median();
                const auto& faster = fastest.beside(*group);
                if (faster.us <= 0 || us < least_times * faster.us || us < faster.us + least_us) continue;
                const double cost =
                    profile.per_rank(ranks * static_cast<double>(group->calls) * (us - faster.us));
                if (is_worth_a_sentence(profile, cost))
                    cliffs.push_back({group, faster.group, us, faster.us, cost});
            }
        }
    }
    std::ranges::stable_sort(cliffs, std::greater{}, &Cliff::cost_us);
    return cliffs;
}

std::vector<std::string> cliff_sentences(const Profile& profile) {
    return sentences_of(cliffs_of(profile), [&](const Cliff& cliff) { return sentence_of(profile, cliff); });
}

} // namespace switchyard::shim::report
