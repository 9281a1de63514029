// The lines of calls.jsonl, rank-<N>.jsonl and seen-<N>.jsonl; README.md has their fields.
#pragma once

#include "merge.hpp"

#include <cstdint>
#include <string>
#include <string_view>

namespace switchyard::shim::log {

// A call over all its ranks. `number` is the number of the line in the log, from 1. The text has no newline.
std::string call_line(std::uint64_t number, const MergedCall& call, const CommunicatorName& communicator,
                      const std::string& decision);

// A call as one rank saw it (detail `ranks`).
std::string rank_line(const CallRecord& record, int world_rank, const CommunicatorName& communicator,
                      const std::string& decision);

// A call that is only counted, as one rank saw it (detail `all`).
std::string counted_line(const CountedRecord& record, int world_rank);

// What the fields of a line say, for readers of records.
std::string_view collective_name(std::uint8_t collective);
std::string_view transfer_name(bool is_staged, bool is_mapped);
// Microseconds; fmt writes the shortest text that keeps every nanosecond.
inline double us(std::uint64_t nanoseconds) {
    return static_cast<double>(nanoseconds) / 1000.0;
}
// Of times in nanoseconds: to the nearest nanosecond, as a line has it.
inline std::uint64_t mean_ns(std::uint64_t sum, std::uint32_t count) {
    return (sum + count / 2) / count;
}
inline double mean_us(std::uint64_t sum, std::uint32_t count) {
    return us(mean_ns(sum, count));
}

} // namespace switchyard::shim::log
