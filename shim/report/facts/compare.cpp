#include "compare.hpp"

#include "shim/report/read/places.hpp"

#include <algorithm>
#include <set>
#include <tuple>

namespace switchyard::shim::report {

namespace {

class Comparison {
  public:
    void add(const Profile& profile, std::size_t side) {
        std::set<std::pair<std::size_t, std::string>> known; // which group had which algorithm
        for (const auto& group : profile.groups) {
            const auto& kind = group.kind;
            const auto [place, is_new] = places_.add({kind.collective, kind.ranks, kind.block_bits});
            if (is_new) groups_.push_back({kind.collective, kind.ranks, kind.block_bits, {}});
            auto& here = groups_[place].sides[side];
            here.calls += group.calls;
            here.time_us += profile.time_us(group);
            here.call_us.add(group.call_us);
            const auto algorithm = kind.algorithm_text();
            if (known.emplace(place, algorithm).second)
                here.algorithms += (here.algorithms.empty() ? "" : ", ") + algorithm;
        }
    }
    std::vector<ComparedGroup> take() { return std::move(groups_); }

  private:
    std::vector<ComparedGroup> groups_;
    Places<std::tuple<std::string, int, unsigned>> places_;
};

} // namespace

double ComparedGroup::ratio() const {
    const double first = sides[0].call_us.median();
    return first > 0 && in_both() ? sides[1].call_us.median() / first : 0;
}

double ComparedGroup::mean_ratio() const {
    if (!in_both() || sides[0].time_us <= 0) return 0;
    return sides[1].time_us / static_cast<double>(sides[1].calls) /
           (sides[0].time_us / static_cast<double>(sides[0].calls));
}

std::vector<ComparedGroup> compare(const Profile& first, const Profile& second) {
    Comparison comparison;
    comparison.add(first, 0);
    comparison.add(second, 1);
    auto compared = comparison.take();
    const auto cost = [](const ComparedGroup& group) {
        return std::max(group.sides[0].time_us, group.sides[1].time_us);
    };
    std::ranges::stable_sort(compared, [&](const ComparedGroup& left, const ComparedGroup& right) {
        return left.in_both() != right.in_both() ? left.in_both() : cost(left) > cost(right);
    });
    return compared;
}

std::vector<Pools> matched(const Folders& folders) {
    const auto& [first, second] = folders;
    if (first.pools.size() == 1 && second.pools.size() == 1)
        return {{&first.pools.front(), &second.pools.front()}};
    std::vector<Pools> both, single;
    std::set<const Pool*> partners;
    for (const auto& pool : first.pools) {
        const auto same =
            std::ranges::find_if(second.pools, [&](const Pool& other) { return other.is_of(pool.sum.run); });
        const Pool* partner = same != second.pools.end() ? &*same : nullptr;
        (partner != nullptr ? both : single).push_back({&pool, partner});
        partners.insert(partner);
    }
    for (const auto& pool : second.pools)
        if (!partners.contains(&pool)) single.push_back({nullptr, &pool});
    both.insert(both.end(), single.begin(), single.end());
    return both;
}

} // namespace switchyard::shim::report
