// Who runs the native calls, as run.json has it under `native`.
#pragma once

#include "shim/common/native_facts.hpp"

#include <nlohmann/json_fwd.hpp>
#include <optional>

namespace switchyard::shim::log {

nlohmann::ordered_json native_json(const NativeFacts& native);

// Nothing if run.json does not say it, as those of older versions. What is not as it should be is left out.
std::optional<NativeFacts> native_in(const nlohmann::json& run_json);

} // namespace switchyard::shim::log
