// What sentences about call groups have in common.
#pragma once

#include "shim/report/read/profile.hpp"

#include <algorithm>
#include <span>
#include <string>
#include <vector>

namespace switchyard::shim::report {

// `alltoall, 4 ranks, up to 16 KiB, shared`
std::string name_of(const CallKind& kind);

// Among the neighbours of a topology. The time of such a call depends on the graph, which no log has.
bool is_among_neighbors(const CallKind& kind);

// The time of an average rank in all collectives. Less than a hundredth of it is not worth a sentence.
inline double in_collectives_us(const Profile& profile) {
    return profile.per_rank(profile.all_rank_us());
}
inline bool is_worth_a_sentence(const Profile& profile, double cost_us) {
    return cost_us >= 0.01 * in_collectives_us(profile);
}

// The last sentence where there are more groups than a report names.
std::string left_out(std::size_t groups);

// sentence_of(each) for the first of them. If there are many, the last sentence says how many are left out.
template <typename Notable, typename SentenceOf>
std::vector<std::string> sentences_of(const std::vector<Notable>& notable, SentenceOf&& sentence_of) {
    constexpr std::size_t most = 10;
    std::vector<std::string> sentences;
    for (const auto& each : std::span(notable).first(std::min(most, notable.size())))
        sentences.push_back(sentence_of(each));
    if (notable.size() > most) sentences.push_back(left_out(notable.size() - most));
    return sentences;
}

} // namespace switchyard::shim::report
