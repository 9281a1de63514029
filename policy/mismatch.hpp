// The first key of `when` that a call does not meet: the one comparison that pruning and explanations share.
#pragma once

#include "table.hpp"

#include <cstdint>
#include <string>

namespace switchyard::policy {

enum class Keys : std::uint8_t { fixed, all }; // fixed for the life of a communicator

// "" where all is met, or for people: `max_block_bytes 64 is below its minimum 4096`. A rule that leaves out
// the collective is for those that have its algorithm.
std::string why_not_met(const Rule& rule, const Features& call, Keys keys);

} // namespace switchyard::policy
