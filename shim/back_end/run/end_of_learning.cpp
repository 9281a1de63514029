#include "end_of_learning.hpp"

#include "gather.hpp"
#include "shim/common/diagnostics.hpp"
#include "shim/common/learning/learned_policy.hpp"
#include "shim/common/whole_file.hpp"

#include <algorithm>

namespace switchyard::shim::adaptive {

namespace {

std::string first_line(const std::string& text) {
    return text.substr(0, text.find('\n'));
}

} // namespace

bool is_used(const Process& self) {
    const auto& policy = self.policy;
    return policy.otherwise.is_adaptive() ||
           std::ranges::any_of(policy.rules, [](const auto& rule) { return rule.use.is_adaptive(); });
}

std::string end_learning(const Process& self, const Lessons& learned) {
    Lessons lessons;
    for (const auto& lines : gather_texts(learned.to_lines(), self.world)) lessons.add_lines(lines);
    if (self.world_rank != 0) return {};
    auto json = nlohmann::ordered_json::array();
    bool any_best = false;
    for (const Lesson& lesson : lessons.sorted()) {
        json.push_back(lesson.to_json());
        any_best = any_best || lesson.best;
    }
    const auto& run = self.run_info;
    const auto path = self.log_directory + "/learned.policy.json";
    if (any_best && write_whole(path, learned_policy(lessons.sorted(), {run.program, run.started,
                                                                        first_line(run.mpi_library)})))
        warn("the learned policy could not be written to " + path + "; is the disk full?");
    return json.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

} // namespace switchyard::shim::adaptive
