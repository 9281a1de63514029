#include "node_writer.hpp"

#include "past_caches.hpp"

#include <algorithm>
#include <chrono>
#include <cstdint>

namespace switchyard::algorithms {

namespace {

using Clock = std::chrono::steady_clock;

constexpr std::size_t line_bytes = 64;
// For each line. Lines of a nearby core take 2 to 10 ns, lines of another socket 20 to 30 ns (RESULTS.md).
constexpr std::chrono::nanoseconds slow{16};
// One write may be slow by chance: new pages, a rank that lost its core.
constexpr int slow_writes = 2;
constexpr std::size_t bytes_until_next_try = std::size_t{8} << 20;

} // namespace

void NodeWriter::write_large(std::byte* to, const std::byte* from, std::size_t bytes) {
    if (!can_pass_caches) return copy_bytes(to, from, bytes);
    if (bytes_past_caches_ > 0) {
        bytes_past_caches_ -= std::min(bytes_past_caches_, bytes);
        return copy_past_caches(to, from, bytes);
    }
    const auto begin = Clock::now();
    copy_bytes(to, from, bytes);
    const auto lines = static_cast<std::int64_t>(bytes / line_bytes);
    slow_ = Clock::now() - begin > lines * slow ? slow_ + 1 : 0;
    if (slow_ < slow_writes) return;
    bytes_past_caches_ = bytes_until_next_try;
    slow_ = slow_writes - 1; // then one slow try is enough
}

} // namespace switchyard::algorithms
