#include "end_of_learning.hpp"

#include "all_manage.hpp"
#include "gather.hpp"
#include "policy/text/printable.hpp"
#include "shim/common/diagnostics.hpp"
#include "shim/common/learning/learned_policy.hpp"
#include "shim/common/learning/outcome.hpp"

#include <algorithm>

namespace switchyard::shim::adaptive {

bool is_used(const Process& self) {
    const auto& policy = self.policy;
    return policy.otherwise.is_adaptive() ||
           std::ranges::any_of(policy.rules, [](const auto& rule) { return rule.use.is_adaptive(); });
}

namespace {

// On rank 0. Where nothing was decided there is no policy to write.
bool write_policy(const Process& self, const std::vector<Lesson>& lessons) {
    if (std::ranges::none_of(lessons, [](const Lesson& one) { return one.best.has_value(); })) return false;
    const auto& run = self.run_info;
    if (self.log_folder.write_whole(
            learned_policy_name,
            learned_policy(lessons, {run.program, run.started, text::first_line(run.mpi_library)})))
        return true;
    warn("the learned policy could not be written to " + self.log_directory + "/" + learned_policy_name +
         "; is the disk full?");
    return false;
}

// On rank 0: what all ranks learned. Writes learned.policy.json. May throw.
Learned joined_lessons(const Process& self, const std::vector<std::string>& texts) {
    Lessons lessons;
    for (const auto& lines : texts) lessons.add_lines(lines);
    const bool written = write_policy(self, lessons.sorted());
    return {lessons.to_array(), outcome(lessons.sorted(), written)};
}

} // namespace

Learned end_learning(const Process& self, const Lessons& learned) {
    std::string lines;
    std::vector<std::string> texts;
    manages([&] { lines = learned.to_lines(); }); // without memory this rank has learned nothing
    if (!gather_texts(lines, self.world, texts) || self.world_rank != 0) return {};
    try {
        return joined_lessons(self, texts);
    } catch (...) { // no memory: the other ranks have gone on
        return {};
    }
}

} // namespace switchyard::shim::adaptive
