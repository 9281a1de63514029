// The lessons of one communicator about its adaptive uses, and the times that its ranks still have to tell
// each other. The book changes at the same calls in the same way on all ranks: only agreed times change it,
// never a time that only this rank knows.
#pragma once

#include "plan.hpp"
#include "shim/common/learning/chooser.hpp"
#include "shim/common/learning/lesson.hpp"

#include <array>
#include <memory>
#include <optional>
#include <vector>

namespace switchyard::shim::adaptive {

// A lesson covers calls of one plan (so one collective and one kind of buffers), one adaptive use of the
// plan, largest blocks of one power of two, and either device or host memory.
struct Key {
    const Plan* plan;
    std::size_t adaptive; // of the plan
    unsigned block_bits;  // blocks of more than 2^(bits-1) and at most 2^bits bytes
    bool on_device;
    bool operator==(const Key&) const = default;
};
Key key_of(const Plan& plan, std::size_t adaptive, const policy::Features& call);

class Learner {
  public:
    // `call`: the first call of its kind. `agrees`: such calls have an agreement anyway, which also carries
    // times. May throw.
    Learner(const Key& key, const policy::Features& call, bool agrees);

    const Key& key() const { return key_; }
    Chooser& chooser() { return chooser_; }
    // The ranks tell each other the time of every call.
    bool tells_all() const { return (agrees_ && !rests_) || chooser_.is_trying(); }

    // At rest its calls go without an agreement, since they have been alike for a while: Book::rests().
    void rest(bool rests) noexcept;
    bool may_rest() const { return !chooser_.is_trying() && can_rest_with(chooser_.best()); }
    bool can_rest() const { return agrees_ && policy::can_rest(key_.plan->shortlist(), key_.adaptive); }
    bool can_rest_with(std::size_t candidate) const {
        return can_rest() && policy::can_rest(key_.plan->shortlist(), key_.adaptive, candidate);
    }

    // Keeps the time of a call that has no agreement. True: enough times are kept to tell the
    // other ranks their median.
    bool keep(Nanoseconds time) noexcept;
    // The time of an agreement before a call.
    void note_agreement(Nanoseconds time) noexcept;
    Nanoseconds median_kept() noexcept; // of the kept times, which are forgotten

    Lesson lesson() const;

  private:
    static constexpr std::size_t told_at_once = 63; // the 64th call tells their median

    Key key_;
    policy::Features call_;
    bool agrees_, rests_ = false;
    Chooser chooser_;
    std::array<Nanoseconds, told_at_once> kept_{};
    std::size_t kept_calls_ = 0, kept_times_ = 0;
    Nanoseconds agreement_time_ = 0; // of all agreements
    std::uint64_t agreements_ = 0;
};

class Book {
  public:
    Learner* find(const Key& key);
    Learner& add(const Key& key, const policy::Features& call, bool agrees); // may throw
    void forget(const Key& key);

    // Rest. Most calls of most programs are like the call before, and the agreement on a small exchange
    // takes as long as the exchange. A rest begins after enough agreed calls in a row of one learner, if its
    // choice stands and needs no agreement itself. During a rest the calls of its plan run that choice
    // without an agreement, whatever their blocks are. After 63 of them the ranks agree again, and see
    // whether calls are still alike.
    bool rests(const Plan& plan) const {
        return resting_ != nullptr && owed_.learner == nullptr && &plan == resting_->key().plan;
    }
    Learner* resting() const { return resting_; }
    // After an agreement: the call is one of this learner.
    void count_agreed(Learner& learner) noexcept;

    // A call begins. Returns the candidate that it runs.
    template <typename CanRun>
    std::size_t begin(Learner& learner, const CanRun& can_run) noexcept {
        end(no_time); // an error handler may have jumped out of the call before
        running_ = {&learner, learner.chooser().pick(can_run)};
        if (learner.tells_all()) owed_ = {&learner, running_.candidate, no_time, false};
        return running_.candidate;
    }
    bool is_running() const { return running_.learner != nullptr; }
    // The agreement before the running call is part of its candidate's cost, since
    // other candidates need none.
    bool pays_for_agreement() const {
        return is_running() && running_.learner->can_rest() &&
               !running_.learner->can_rest_with(running_.candidate);
    }
    // Some rank has no memory for the running candidate: the candidate is dropped, and no call is running.
    void cancel() noexcept;
    // The call is over; no_time: it failed. `agreement`: the agreement's time, as part of `time` or before
    // it; 0: there was none.
    void end(Nanoseconds time, Nanoseconds agreement = 0) noexcept;

    // The time that this rank tells in the ranks' next agreement, of whatever kind. All
    // ranks learn the largest.
    Nanoseconds owed() const { return owed_.learner != nullptr ? owed_.time : 0; }
    void tell(Nanoseconds slowest) noexcept;
    // The time has to be told before this learner's next call.
    bool is_due(const Learner& learner) const {
        return owed_.learner != nullptr && (owed_.learner == &learner || learner.tells_all());
    }

    const std::vector<std::unique_ptr<Learner>>& learners() const { return learners_; }

  private:
    struct Running {
        Learner* learner = nullptr;
        std::size_t candidate = 0;
    };
    struct Owed {
        Learner* learner = nullptr;
        std::size_t candidate = 0;
        Nanoseconds time = 0;
        bool is_median = false;
    };

    static constexpr std::size_t agreed_before_rest = Chooser::window;

    std::vector<std::unique_ptr<Learner>> learners_;
    Learner* last_agreed_ = nullptr;  // the learner of the last agreed call
    std::size_t agreed_in_a_row_ = 0; // calls of that learner, after its trials
    Learner* resting_ = nullptr;
    Running running_;
    Owed owed_;
};

} // namespace switchyard::shim::adaptive
