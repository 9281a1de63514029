// Tiny calls, as fast as they go.
#pragma once

#include "lane.hpp"

namespace stress {

Counts flood(const Options& options);

} // namespace stress
