// What communicators learned from one adaptive use: for run.json and for the learned policy.
#pragma once

#include "algorithms/traits.hpp"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace switchyard::shim::adaptive {

// The calls that a lesson is about. Blocks in bytes; both ends count.
struct Subject {
    algorithms::Collective collective{};
    int ranks = 0, nodes = 0, ranks_per_node = 0;
    bool in_place = false, overlapping = false, on_device = false;
    std::uint64_t least_block = 0, most_block = 0;
    std::string rule{}; // "": otherwise
    auto operator<=>(const Subject&) const = default;
};

struct Lesson {
    struct Tried {
        std::string use{};        // as in a policy: JSON
        std::uint64_t median = 0; // nanoseconds, of the slowest rank; no_time: no call succeeded
        std::size_t trials = 0;
        bool dropped = false;
        bool needs_agreement = false; // on the block, before each call
    };
    // The winner of the trials against native, in pairs of stretches.
    struct Proved {
        std::size_t candidate = 0; // place in `tried`
        std::size_t pairs = 0, won = 0;
        double ratio = 1; // its time / native's
    };

    Subject subject;
    std::vector<Tried> tried;        // native first
    std::optional<std::size_t> best; // place in `tried`; nothing: the trials did not end
    std::optional<Proved> proof;     // nothing: none was needed
    std::uint64_t agreement = 0;     // mean nanoseconds of an agreement on the block; 0: there was none
    bool rule_has_blocks = false;    // the adaptive rule is for a range of blocks
    bool pays_agreement = false;     // the medians of candidates that need an agreement include it
    std::uint64_t own_calls = 0;     // of the communicator that `tried` and `best` are from
    std::uint64_t calls = 0, trial_calls = 0, re_checks = 0; // of all communicators
    double regret = 0; // nanoseconds: the time of the trials, less the time of as many calls of the best

    bool beats_native() const { return best && *best != 0; }
};

// `tuna radix=4`, of a use in JSON. Throws if the text is not a use.
std::string use_in_words(const std::string& use);

// Lessons of communicators of the same kind become one lesson: its calls and its regret are sums, the rest is
// from the communicator with the most calls. So memory grows with the kinds, not with the communicators.
class Lessons {
  public:
    void add(Lesson lesson);
    std::string to_lines() const;             // one JSON object in each line
    void add_lines(const std::string& lines); // lines without a lesson are skipped
    const std::vector<Lesson>& sorted();      // by subject
    std::string to_array() const;             // a JSON array

  private:
    std::vector<Lesson> lessons_;
    std::map<Subject, std::size_t> places_; // in lessons_
};

} // namespace switchyard::shim::adaptive
