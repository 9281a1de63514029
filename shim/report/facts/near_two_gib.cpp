#include "near_two_gib.hpp"

#include "group_sentences.hpp"
#include "shim/common/formatted.hpp"
#include "shim/common/units.hpp"

#include <algorithm>
#include <functional>

namespace switchyard::shim::report {

namespace {

constexpr double two_gib = 2147483648.0;

std::string bytes_sentence(const CallGroup& group) {
    const bool is_over = group.most_sent >= two_gib;
    return formatted("{}: a rank sends up to {} in a call, {}", name_of(group.kind),
                     size_text(group.most_sent),
                     is_over ? std::string("more bytes than 32 bits count")
                             : formatted("{:.0f}% of 2 GiB", 100 * group.most_sent / two_gib));
}

} // namespace

std::vector<std::string> near_two_gib_sentences(const Profile& profile) {
    std::vector<const CallGroup*> near;
    for (const auto& group : profile.groups)
        if (group.most_sent >= two_gib / 2) near.push_back(&group);
    std::ranges::stable_sort(near, std::greater{}, &CallGroup::most_sent);
    return sentences_of(near, [](const CallGroup* group) { return bytes_sentence(*group); });
}

} // namespace switchyard::shim::report
