// What one communicator learns of its adaptive uses, and the times that its ranks still have to tell each other.
// All of it changes at the same calls in the same way on all ranks: by what they agreed on, never by a time of this
// rank alone.
#pragma once

#include "plan.hpp"
#include "shim/common/learning/chooser.hpp"
#include "shim/common/learning/lesson.hpp"

#include <array>
#include <memory>
#include <optional>
#include <vector>

namespace switchyard::shim::adaptive {

// What is learned together: calls of one plan (hence of one collective, and of buffers that lie alike), one adaptive
// use of it, largest blocks of one power of two, all in device memory or none.
struct Key {
    const Plan* plan;
    std::size_t adaptive; // of the plan
    unsigned block_bits;  // blocks of up to 2^bits bytes, and of more than half of that
    bool on_device;
    bool operator==(const Key&) const = default;
};
Key key_of(const Plan& plan, std::size_t adaptive, const policy::Features& call);

class Learner {
  public:
    // `call`: the first of its kind. `agrees`: such calls agree on something anyway, and times travel with it. May
    // throw.
    Learner(const Key& key, const policy::Features& call, bool agrees);

    const Key& key() const { return key_; }
    Chooser& chooser() { return chooser_; }
    // Whether the ranks tell each other of every call.
    bool tells_all() const { return (agrees_ && !rests_) || chooser_.is_trying(); }

    // Rest: its calls have been alike for a while, so they go without an agreement; see Book::rests().
    void rest(bool rests) noexcept;
    bool may_rest() const { return !chooser_.is_trying() && can_rest_with(chooser_.best()); }
    bool can_rest() const { return agrees_ && policy::can_rest(key_.plan->shortlist(), key_.adaptive); }
    bool can_rest_with(std::size_t candidate) const {
        return can_rest() && policy::can_rest(key_.plan->shortlist(), key_.adaptive, candidate);
    }

    // A call of this rank that the others are not told of by itself. True: enough to tell them of the median.
    bool keep(Nanoseconds time) noexcept;
    Nanoseconds median_kept() noexcept; // and begins anew

    Lesson lesson() const;

  private:
    static constexpr std::size_t told_at_once = 63; // with the one that tells it, 64

    Key key_;
    policy::Features call_;
    bool agrees_, rests_ = false;
    Chooser chooser_;
    std::array<Nanoseconds, told_at_once> kept_{};
    std::size_t kept_calls_ = 0, kept_times_ = 0;
};

class Book {
  public:
    Learner* find(const Key& key);
    Learner& add(const Key& key, const policy::Features& call, bool agrees); // may throw
    void forget(const Key& key);

    // Nearly all calls of most programs are like the one before them, and an agreement on a small exchange takes
    // as long as the exchange. So after enough agreed calls in a row that were all of one learner, whose choice
    // stands and needs no agreement itself, the next calls of its plan go without: they run that choice, whatever
    // their blocks. Once 63 of them are to be told of, the ranks agree again, and see whether calls are still alike.
    bool rests(const Plan& plan) const {
        return resting_ != nullptr && owed_.learner == nullptr && &plan == resting_->key().plan;
    }
    Learner* resting() const { return resting_; }
    // After an agreement on what this learner's call is like.
    void count_agreed(Learner& learner) noexcept;

    // A call begins: which candidate it runs.
    template <typename CanRun>
    std::size_t begin(Learner& learner, const CanRun& can_run) noexcept {
        running_ = {&learner, learner.chooser().pick(can_run)};
        if (learner.tells_all()) owed_ = {&learner, running_.candidate, no_time, false};
        return running_.candidate;
    }
    bool is_running() const { return running_.learner != nullptr; }
    // Whether the agreement before it is part of what its candidate costs: others could do without.
    bool pays_for_agreement() const {
        return is_running() && running_.learner->can_rest() &&
               !running_.learner->can_rest_with(running_.candidate);
    }
    // That candidate's memory is not to be had on some rank: it is out, and the call is somebody else's.
    void cancel() noexcept;
    // The call is over; no_time: it failed.
    void end(Nanoseconds time) noexcept;

    // What this rank has to say in the ranks' next agreement, whatever that is about; the largest of it is what
    // they are told.
    Nanoseconds owed() const { return owed_.learner != nullptr ? owed_.time : 0; }
    void tell(Nanoseconds slowest) noexcept;
    // Whether it has to be said before this learner's next call.
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
    Learner* last_agreed_ = nullptr;  // of the last agreed call
    std::size_t agreed_in_a_row_ = 0; // of its calls, all after its trials
    Learner* resting_ = nullptr;
    Running running_;
    Owed owed_;
};

} // namespace switchyard::shim::adaptive
