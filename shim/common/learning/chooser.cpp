#include "chooser.hpp"

#include <algorithm>

namespace switchyard::shim::adaptive {

namespace {

constexpr std::size_t nobody = ~std::size_t{0};

bool exceeds(Nanoseconds time, Nanoseconds factor, Nanoseconds best) {
    return best != no_time && time / factor > best;
}

} // namespace

Nanoseconds median(std::span<Nanoseconds> times) {
    const auto middle = times.begin() + static_cast<std::ptrdiff_t>((times.size() - 1) / 2);
    std::nth_element(times.begin(), middle, times.end());
    return *middle;
}

Chooser::Chooser(std::size_t candidates, std::size_t trials)
    : trials_(trials), candidates_(candidates), sorted_(trials), distance_(first_distance()) {
    for (Candidate& candidate : candidates_) candidate.times.reserve(trials);
}

// With this distance at most an eighth of all calls are trials.
std::uint64_t Chooser::first_distance() const {
    return 8 * (candidates_.size() * trials_ + Proof::most_calls);
}

policy::Phase Chooser::phase() const {
    if (!trying_) return policy::Phase::best;
    if (contest_) return policy::Phase::proof;
    return passes_ == 1 ? policy::Phase::trial : policy::Phase::re_check;
}

// The candidate with the fewest tries; the first of equals. So candidates take turns.
std::size_t Chooser::next_to_try() const {
    std::size_t next = nobody;
    for (std::size_t i = 0; i < candidates_.size(); ++i) {
        const Candidate& candidate = candidates_[i];
        if (!candidate.is_in() || !candidate.runs_here || candidate.tries >= trials_) continue;
        if (next == nobody || candidate.tries < candidates_[next].tries) next = i;
    }
    return next;
}

// The best candidate if it can run, else the best of those that can.
std::size_t Chooser::fastest_here() const {
    std::size_t fastest = candidates_[best_].runs_here && !candidates_[best_].gone ? best_ : 0;
    if (fastest == best_) return best_;
    for (std::size_t i = 0; i < candidates_.size(); ++i) {
        const Candidate& candidate = candidates_[i];
        if (candidate.is_in() && candidate.runs_here &&
            candidate.last.median < candidates_[fastest].last.median)
            fastest = i;
    }
    return fastest;
}

// Nothing: the contender cannot run at this call. Such calls count as well: a contest must end.
std::optional<std::size_t> Chooser::next_in_contest() noexcept {
    contest_->proof.begin();
    if (!candidates_[contest_->contender].runs_here) return std::nullopt;
    is_judged_ = true;
    ++trial_calls_;
    return contest_->proof.native_is_next() ? 0 : contest_->contender;
}

std::size_t Chooser::pick_possible() noexcept {
    ++calls_;
    is_judged_ = false;
    if (trying_ && !contest_) {
        if (const std::size_t next = next_to_try(); next != nobody) {
            ++candidates_[next].tries;
            ++trial_calls_;
            return next;
        }
        end_trials();
    }
    if (contest_ && contest_->proof.verdict() == Proof::Verdict::lost) end_proof(); // too many calls
    if (contest_)
        if (const auto next = next_in_contest()) return *next;
    ++settled_calls_;
    return fastest_here();
}

// A first call that took longer than the second was a warm-up and does not count.
Nanoseconds Chooser::median_of(const Candidate& candidate) {
    const auto& times = candidate.times;
    if (times.empty()) return no_time;
    const bool warmed_up = times.size() > 1 && times[0] > times[1];
    const auto end = std::copy(times.begin() + (warmed_up ? 1 : 0), times.end(), sorted_.begin());
    return median({sorted_.begin(), end});
}

Nanoseconds Chooser::best_median() const {
    Nanoseconds best = no_time;
    for (const Candidate& candidate : candidates_)
        if (candidate.is_in()) best = std::min(best, candidate.last.median);
    return best;
}

void Chooser::add_trial(std::size_t which, Nanoseconds time) {
    Candidate& candidate = candidates_[which];
    if (candidate.times.size() >= trials_) return;
    time_in_trials_ += static_cast<double>(time);
    ++timed_trials_;
    candidate.last.median = no_time; // a candidate is not compared with itself
    const Nanoseconds best = best_median();
    candidate.times.push_back(time);
    candidate.last = {median_of(candidate), candidate.times.size(), false};
    candidate.dropped = candidate.times.size() == 1
                            ? exceeds(time, hopeless_factor, best) && time - best > worth_a_thought
                            : exceeds(candidate.last.median, drop_factor, best);
    candidate.last.dropped = candidate.dropped;
}

// The first of equals; native if no call succeeded.
std::size_t Chooser::fastest() const {
    const Nanoseconds best = best_median();
    std::size_t winner = 0;
    for (std::size_t i = candidates_.size(); i-- > 0 && best != no_time;)
        if (candidates_[i].is_in() && candidates_[i].last.median == best) winner = i;
    return winner;
}

bool Chooser::needs_proof(std::size_t winner) const {
    return winner != 0 && candidates_[0].is_in() && candidates_[0].last.median != no_time;
}

void Chooser::end_trials() {
    contest_.reset();
    const std::size_t winner = fastest();
    if (needs_proof(winner))
        contest_ = {winner};
    else
        settle(winner);
}

void Chooser::add_proof(std::size_t candidate, Nanoseconds time) {
    if (!is_judged_) return;
    time_in_trials_ += static_cast<double>(time);
    ++timed_trials_;
    contest_->proof.add(candidate == 0, time);
    if (contest_->proof.verdict() != Proof::Verdict::open) end_proof();
}

void Chooser::end_proof() {
    settle(contest_->proof.verdict() == Proof::Verdict::won ? contest_->contender : 0);
}

void Chooser::settle(std::size_t best) {
    regret_ = regret();
    time_in_trials_ = timed_trials_ = 0;
    best_ = best;
    settled_calls_ = 0;
    timed_ = 0;
    usual_ = 0;
    last_contest_ = contest_;
    contest_.reset();
    trying_ = false;
}

double Chooser::regret() const {
    const Nanoseconds best = best_median();
    if (!trying_ || best == no_time) return regret_;
    return regret_ + time_in_trials_ - timed_trials_ * static_cast<double>(best);
}

void Chooser::add(std::size_t candidate, Nanoseconds time) noexcept {
    if (time == no_time) return;
    if (contest_) return add_proof(candidate, time);
    if (trying_) return add_trial(candidate, time);
    if (candidate != best_) return;
    times_[timed_++ % window] = time;
    const bool is_looked_at = usual_ == 0 || settled_calls_ >= distance_;
    if (timed_ < window || !is_looked_at) return;
    scratch_ = times_;
    watch(median(scratch_));
}

void Chooser::add_median(Nanoseconds time) noexcept {
    if (!trying_ && time != no_time) watch(time);
}

// The usual time is measured after the choice, not taken from the trials, for two reasons: the best of a few
// trials was also lucky, and calls without an agreement wait for each other longer than trials do.
void Chooser::watch(Nanoseconds median) {
    const auto now = static_cast<double>(median), usual = static_cast<double>(usual_);
    if (usual_ == 0)
        usual_ = std::max(median, Nanoseconds{1});
    else if (settled_calls_ >= distance_ && (now > usual * drift_factor || now < usual / drift_factor))
        begin_pass();
}

void Chooser::begin_pass() {
    for (Candidate& candidate : candidates_) {
        candidate.before = candidate.last;
        candidate.times.clear();
        candidate.tries = 0;
        candidate.dropped = false;
        candidate.last = {no_time, 0, candidate.gone};
    }
    trying_ = true;
    ++passes_;
    distance_ *= 2;
}

void Chooser::drop(std::size_t candidate) noexcept {
    if (candidate == 0) return;
    candidates_[candidate].gone = true;
    candidates_[candidate].last.dropped = true;
    const bool was_best = candidate == best_;
    if (was_best) best_ = 0;
    if (contest_ ? candidate != contest_->contender : trying_ || !was_best) return;
    trying_ = true;
    end_trials();
}

} // namespace switchyard::shim::adaptive
