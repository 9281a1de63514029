// What a communicator has learned of one adaptive use, for run.json and for the policy that is made of it; and the
// same of all communicators of one kind.
#pragma once

#include "algorithms/traits.hpp"

#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

namespace switchyard::shim::adaptive {

// Which calls it is about. Blocks in bytes, both ends included.
struct Subject {
    algorithms::Collective collective{};
    int ranks = 0, nodes = 0, ranks_per_node = 0;
    bool in_place = false, overlapping = false, on_device = false;
    std::uint64_t least_block = 0, most_block = 0;
    std::string rule{}; // "" for otherwise
    auto operator<=>(const Subject&) const = default;
};

struct Lesson {
    struct Tried {
        nlohmann::ordered_json use; // as a policy has it
        std::uint64_t median = 0;   // nanoseconds, of the slowest rank; all bits set: it never ran to its end
        std::size_t trials = 0;
        bool dropped = false;
    };

    Subject subject;
    std::vector<Tried> tried;                                // native first
    std::optional<std::size_t> best;                         // of those; nothing: the trials did not end
    std::uint64_t own_calls = 0;                             // of the communicator that tried them
    std::uint64_t calls = 0, trial_calls = 0, re_checks = 0; // of all communicators
    double regret = 0; // nanoseconds: how much longer the trials took than as many calls of the best

    bool beats_native() const { return best && *best != 0; }
    nlohmann::ordered_json to_json() const;                      // an entry of run.json
    static Lesson from_json(const nlohmann::ordered_json& json); // throws where it is none
};

// Those of several communicators of one kind are one: calls and regret of all, the rest of the one that made most
// calls. Grows by kinds, not by communicators.
class Lessons {
  public:
    void add(Lesson lesson);
    std::string to_lines() const;             // a JSON object a line
    void add_lines(const std::string& lines); // what is no lesson is left out
    const std::vector<Lesson>& sorted();      // by subject

  private:
    std::vector<Lesson> lessons_;
};

} // namespace switchyard::shim::adaptive
