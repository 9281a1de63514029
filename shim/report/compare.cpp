#include "compare.hpp"

#include <algorithm>

namespace switchyard::shim::report {

namespace {

void add(std::vector<ComparedGroup>& compared, const Profile& profile, std::size_t side) {
    for (const auto& group : profile.groups) {
        const auto& kind = group.kind;
        auto found = std::ranges::find_if(compared, [&](const ComparedGroup& other) {
            return other.collective == kind.collective && other.ranks == kind.ranks &&
                   other.block_bits == kind.block_bits;
        });
        if (found == compared.end())
            found = compared.insert(compared.end(), {kind.collective, kind.ranks, kind.block_bits, {}});
        auto& here = found->sides[side];
        here.calls += group.calls;
        here.time_us += profile.time_us(group);
        here.call_us.add(group.call_us);
        const auto algorithm = kind.algorithm_text();
        if (here.algorithms.find(algorithm) == std::string::npos)
            here.algorithms += (here.algorithms.empty() ? "" : ", ") + algorithm;
    }
}

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
    std::vector<ComparedGroup> compared;
    add(compared, first, 0);
    add(compared, second, 1);
    const auto cost = [](const ComparedGroup& group) {
        return std::max(group.sides[0].time_us, group.sides[1].time_us);
    };
    std::ranges::stable_sort(compared, [&](const ComparedGroup& left, const ComparedGroup& right) {
        return left.in_both() != right.in_both() ? left.in_both() : cost(left) > cost(right);
    });
    return compared;
}

} // namespace switchyard::shim::report
