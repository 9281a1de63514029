#include "node_pages.hpp"

#include <algorithm>
#include <chrono>

namespace switchyard::algorithms {

namespace {

using Clock = std::chrono::steady_clock;

// An exchange by an MPI, roughly: RESULTS.md, `shared` on one node.
constexpr std::int64_t call_ns = 2000, bytes_in_ns = 8;

constexpr std::int64_t usual_page_bytes = 4096;

// Nanoseconds that `bytes` bytes of pages took, up to a cap: a rank that loses its core meanwhile measures
// its neighbours' time.
std::int64_t capped(std::int64_t measured_ns, std::size_t bytes) {
    constexpr std::int64_t most_ns_of_page = 20'000;
    return std::min(measured_ns, (static_cast<std::int64_t>(bytes) / usual_page_bytes + 1) * most_ns_of_page);
}

} // namespace

NodePages::NodePages(NodeMemory& memory, const NodeMemory::Place& place, std::byte* section,
                     std::size_t begin, std::size_t last)
    : memory_(&memory), place_(place), section_(section), end_(std::min(begin, last)), memory_end_(end_),
      last_(last) {
    touch(0, end_);
}

// The time that pages take is known from the last pages.
void NodePages::touch(std::size_t begin, std::size_t end) {
    const auto start = Clock::now();
    NodeMemory::warm(section_ + begin, end - begin);
    const std::int64_t took_ns = capped((Clock::now() - start).count(), end - begin);
    // An old system cannot bring pages: they come later, where nobody measures them.
    constexpr std::int64_t least_ns = 500 * static_cast<std::int64_t>(some_bytes) / usual_page_bytes;
    some_ns_ = std::max(least_ns, took_ns * static_cast<std::int64_t>(some_bytes) /
                                      static_cast<std::int64_t>(end - begin));
}

// Gets twice as much as there is, since each call to the system takes time. Memory that
// nobody touches costs little.
void NodePages::get_memory(std::size_t end) {
    const std::size_t enough = std::min(end, last_), twice = std::min(2 * memory_end_, last_);
    for (const std::size_t wanted : {std::max(enough, twice), enough})
        if (memory_->extend(place_, wanted)) {
            memory_end_ = wanted;
            return;
        }
    were_refused_ = true;
    last_ = memory_end_;
}

void NodePages::bring(std::size_t end) {
    const std::size_t wanted = std::max(end, end_ + some_bytes), now = std::min(wanted, reach(wanted));
    if (now <= end_) return; // no memory
    touch(end_, now);
    end_ = now;
}

void NodePages::save(std::size_t bytes, std::int64_t in) {
    saved_ns_ += (call_ns + static_cast<std::int64_t>(bytes) / bytes_in_ns) / in;
}

bool NodePages::spend() {
    const std::size_t before = end_;
    while (saved_ns_ >= some_ns_ && !are_all_there()) {
        const std::size_t wanted = end_ + some_bytes, had_memory = memory_end_;
        const auto start = Clock::now();
        reach(wanted);
        saved_ns_ -= capped((Clock::now() - start).count(), memory_end_ - had_memory);
        bring(wanted); // nothing, where the system has no memory for more
        saved_ns_ -= some_ns_;
    }
    return end_ > before;
}

} // namespace switchyard::algorithms
