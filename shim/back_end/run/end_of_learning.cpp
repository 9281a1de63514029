#include "end_of_learning.hpp"

#include "all_manage.hpp"
#include "gather.hpp"
#include "policy/spelling.hpp"
#include "shim/common/diagnostics.hpp"
#include "shim/common/learning/learned_policy.hpp"

#include <algorithm>

namespace switchyard::shim::adaptive {

bool is_used(const Process& self) {
    const auto& policy = self.policy;
    return policy.otherwise.is_adaptive() ||
           std::ranges::any_of(policy.rules, [](const auto& rule) { return rule.use.is_adaptive(); });
}

namespace {

// On rank 0: what all ranks learned. Writes learned.policy.json. May throw.
std::string joined_lessons(const Process& self, const std::vector<std::string>& texts) {
    Lessons lessons;
    for (const auto& lines : texts) lessons.add_lines(lines);
    const bool any_best =
        std::ranges::any_of(lessons.sorted(), [](const Lesson& one) { return one.best.has_value(); });
    const auto& run = self.run_info;
    const std::string name = "learned.policy.json";
    if (any_best && !self.log_folder.write_whole(
                        name, learned_policy(lessons.sorted(), {run.program, run.started,
                                                                policy::first_line(run.mpi_library)})))
        warn("the learned policy could not be written to " + self.log_directory + "/" + name +
             "; is the disk full?");
    return lessons.to_array();
}

} // namespace

std::string end_learning(const Process& self, const Lessons& learned) {
    std::string lines;
    std::vector<std::string> texts;
    const bool gathered =
        all_manage(self.world, [&] { lines = learned.to_lines(); }) && gather_texts(lines, self.world, texts);
    if (!gathered || self.world_rank != 0) return {};
    try {
        return joined_lessons(self, texts);
    } catch (...) { // no memory: the other ranks have gone on
        return {};
    }
}

} // namespace switchyard::shim::adaptive
