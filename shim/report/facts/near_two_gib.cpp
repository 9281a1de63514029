#include "near_two_gib.hpp"

#include "group_sentences.hpp"
#include "policy/text/lists.hpp"
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

// A call whose counts or displacements are near may send few bytes.
std::string sentence_about(const CallGroup& group) {
    if (group.most_sent < two_gib / 2)
        return formatted("{}: numbers in the arguments of {} are 2^30 or more, or negative",
                         name_of(group.kind), text::plural(group.near_int_limit, "call"));
    return bytes_sentence(group);
}

} // namespace

std::vector<std::string> near_two_gib_sentences(const Profile& profile) {
    std::vector<const CallGroup*> near;
    for (const auto& group : profile.groups)
        if (group.most_sent >= two_gib / 2 || group.near_int_limit > 0) near.push_back(&group);
    std::ranges::stable_sort(near, std::greater{}, &CallGroup::most_sent);
    auto sentences = sentences_of(near, [](const CallGroup* group) { return sentence_about(*group); });
    if (!profile.run.int_limit.empty())
        sentences.insert(sentences.begin(), shown(profile.run.int_limit, 400));
    return sentences;
}

} // namespace switchyard::shim::report
