#include "book.hpp"

#include "shim/common/choice_json.hpp"

#include <algorithm>
#include <bit>
#include <nlohmann/json.hpp>

namespace switchyard::shim::adaptive {

Key key_of(const Plan& plan, std::size_t adaptive, const policy::Features& call) {
    const std::size_t block = call.max_block_bytes;
    const unsigned bits = block < 2 ? 0U : static_cast<unsigned>(std::bit_width(block - 1));
    return {&plan, adaptive, bits, call.buffer == policy::Buffer::device};
}

Learner::Learner(const Key& key, const policy::Features& call, bool agrees)
    : key_(key), call_(call), agrees_(agrees),
      chooser_(key.plan->shortlist().adaptives[key.adaptive].count,
               static_cast<std::size_t>(key.plan->shortlist().adaptives[key.adaptive].trials)) {}

bool Learner::keep(Nanoseconds time) noexcept {
    if (time != no_time) kept_[kept_times_++ % told_at_once] = time;
    return ++kept_calls_ >= told_at_once;
}

void Learner::note_agreement(Nanoseconds time) noexcept {
    if (time == 0) return;
    agreement_time_ += time;
    ++agreements_;
}

Nanoseconds Learner::median_kept() noexcept {
    const auto times = std::min(kept_times_, told_at_once);
    kept_calls_ = kept_times_ = 0;
    return times == 0 ? no_time : median(std::span(kept_).first(times));
}

// The usual time of calls without an agreement differs from that of calls with one.
void Learner::rest(bool rests) noexcept {
    if (rests == rests_) return;
    rests_ = rests;
    kept_calls_ = kept_times_ = 0;
    chooser_.forget_usual();
}

// The lesson covers the blocks of this power of two to which the rule applies.
Lesson Learner::lesson() const {
    const auto& shortlist = key_.plan->shortlist();
    const auto& adaptive = shortlist.adaptives[key_.adaptive];
    const auto& native = shortlist.candidates[adaptive.first];
    const auto power = [](unsigned bits) { return std::uint64_t{1} << bits; };
    Lesson lesson;
    lesson.subject = {.collective = call_.collective,
                      .ranks = call_.ranks,
                      .nodes = call_.nodes,
                      .ranks_per_node = call_.ranks_per_node,
                      .in_place = call_.in_place,
                      .overlapping = call_.overlapping,
                      .on_device = key_.on_device,
                      .least_block = key_.block_bits == 0 ? 0 : power(key_.block_bits - 1) + 1,
                      .most_block = key_.block_bits == 0 ? 1 : power(key_.block_bits),
                      .rule = native.choice.rule};
    auto& subject = lesson.subject;
    subject.least_block = std::max(subject.least_block, native.max_block_bytes.min);
    subject.most_block = std::min(subject.most_block, native.max_block_bytes.max);
    for (std::size_t i = 0; i < adaptive.count; ++i) {
        const auto standing = chooser_.standing(i);
        lesson.tried.push_back({use_json(shortlist.candidates[adaptive.first + i].choice).dump(),
                                standing.median, standing.trials, standing.dropped,
                                policy::run_depends_on_block(shortlist.candidates[adaptive.first + i])});
    }
    if (const auto& contest = chooser_.contest())
        lesson.proof = {contest->contender, contest->proof.pairs(), contest->proof.wins(),
                        contest->proof.ratio()};
    lesson.rule_has_blocks = native.max_block_bytes != policy::Range{};
    lesson.agreement = agreements_ == 0 ? 0 : agreement_time_ / agreements_;
    lesson.pays_agreement = can_rest();
    if (chooser_.has_chosen()) lesson.best = chooser_.best();
    lesson.calls = lesson.own_calls = chooser_.calls();
    lesson.trial_calls = chooser_.trial_calls();
    lesson.re_checks = chooser_.re_checks();
    lesson.regret = chooser_.regret();
    return lesson;
}

Learner* Book::find(const Key& key) {
    const auto found = std::ranges::find_if(learners_, [&](const auto& one) { return one->key() == key; });
    return found == learners_.end() ? nullptr : found->get();
}

Learner& Book::add(const Key& key, const policy::Features& call, bool agrees) {
    learners_.push_back(std::make_unique<Learner>(key, call, agrees));
    return *learners_.back();
}

void Book::forget(const Key& key) {
    std::erase_if(learners_, [&](const auto& one) { return one->key() == key; });
}

void Book::count_agreed(Learner& learner) noexcept {
    const bool is_next = &learner == last_agreed_ && !learner.chooser().is_trying();
    agreed_in_a_row_ = is_next ? agreed_in_a_row_ + 1 : 0;
    last_agreed_ = &learner;
    if (resting_ != nullptr && resting_ != &learner) resting_->rest(false);
    const bool rests = agreed_in_a_row_ >= agreed_before_rest && learner.may_rest();
    learner.rest(rests);
    resting_ = rests ? &learner : nullptr;
}

void Book::cancel() noexcept {
    if (!is_running()) return;
    running_.learner->chooser().drop(running_.candidate);
    if (owed_.learner == running_.learner) owed_ = {};
    if (resting_ == running_.learner) {
        resting_->rest(false);
        resting_ = nullptr;
    }
    running_ = {};
}

void Book::end(Nanoseconds time, Nanoseconds agreement) noexcept {
    if (!is_running()) return;
    auto& learner = *running_.learner;
    learner.note_agreement(agreement);
    if (learner.tells_all()) {
        owed_.time = time;
    } else if (running_.candidate == learner.chooser().best() && learner.keep(time) &&
               owed_.learner == nullptr) {
        owed_ = {&learner, running_.candidate, learner.median_kept(), true};
    }
    running_ = {};
}

void Book::tell(Nanoseconds slowest) noexcept {
    if (owed_.learner == nullptr) return;
    auto& chooser = owed_.learner->chooser();
    if (owed_.is_median)
        chooser.add_median(slowest);
    else
        chooser.add(owed_.candidate, slowest);
    owed_ = {};
}

} // namespace switchyard::shim::adaptive
