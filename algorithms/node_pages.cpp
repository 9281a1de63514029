#include "node_pages.hpp"

#include <algorithm>
#include <chrono>

namespace switchyard::algorithms {

namespace {

using Clock = std::chrono::steady_clock;

// Of an exchange by an MPI, roughly: RESULTS.md, `shared` on one node.
constexpr std::int64_t call_ns = 2000, bytes_in_ns = 3;

// Before the first pages are brought nobody knows what they take.
constexpr std::int64_t expected_ns = 40'000;
// A rank that loses its core meanwhile measures its neighbours' time.
constexpr std::int64_t most_ns_of_page = 20'000;
constexpr std::size_t page_bytes = 4096;
constexpr int readers_share = 2; // the readers' time comes on top

} // namespace

NodePages::NodePages(NodeMemory& memory, const NodeMemory::Place& place, std::byte* section,
                     std::size_t begin, std::size_t last)
    : memory_(&memory), place_(place), section_(section), end_(std::min(begin, last)), memory_end_(end_),
      last_(last), earned_ns_(-expected_ns) {
    NodeMemory::warm(section_, end_);
}

// Twice as much as there is, since each call to the system takes time. Memory that nobody touches costs little.
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
    NodeMemory::warm(section_ + end_, now - end_);
    end_ = now;
}

bool NodePages::earn(std::size_t bytes, std::int64_t in) {
    earned_ns_ += (call_ns + static_cast<std::int64_t>(bytes) / bytes_in_ns) / in;
    if (earned_ns_ < 0) return false;
    const std::size_t before = end_;
    const auto begin = Clock::now();
    bring(end_ + some_bytes);
    if (end_ == before) return false; // the system has no memory for more
    const std::chrono::nanoseconds took = Clock::now() - begin;
    const auto most = static_cast<std::int64_t>((end_ - before) / page_bytes + 1) * most_ns_of_page;
    earned_ns_ -= readers_share * std::min<std::int64_t>(took.count(), most);
    return true;
}

} // namespace switchyard::algorithms
