// A lesson as an entry of run.json.
#pragma once

#include "lesson.hpp"

#include <nlohmann/json_fwd.hpp>

namespace switchyard::shim::adaptive {

nlohmann::ordered_json json_of(const Lesson& lesson);
Lesson lesson_from(const nlohmann::ordered_json& json); // throws if it is no lesson

} // namespace switchyard::shim::adaptive
