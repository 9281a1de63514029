// One rank's records and names, on disk from the first moment on, so that a killed run can still be read.
#pragma once

#include "record.hpp"

#include <atomic>
#include <cstddef>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <vector>

namespace switchyard::shim::log {

class Recorder {
  public:
    // Files `<directory>/ranks/<rank>.calls` and `.names`; where they cannot be made, the records stay in memory
    // (less of them) and `in_memory()` says so. Throws std::bad_alloc only.
    // `threads`: more than one thread may record at once.
    Recorder(const std::string& directory, int rank, int ranks, bool threads);
    ~Recorder();
    Recorder(const Recorder&) = delete;
    Recorder& operator=(const Recorder&) = delete;

    // Any thread, at any time; full means dropped and counted.
    void add(const CallRecord& record) noexcept { keep(record); }
    // A record that is written to again and again (detail `summary`); null when full.
    CallRecord* keep(const CallRecord& record) noexcept;

    // A line of JSON that explains the numbers in records: a communicator, a decision.
    void add_name(const std::string& line);

    // At the end of the run.
    std::string names() const;
    std::vector<const CallRecord*> finished_records() const; // in the order of their slots
    std::uint64_t dropped() const { return dropped_.load(std::memory_order_relaxed); }
    bool in_memory() const { return calls_file_ < 0; }
    const std::string& problem() const { return problem_; } // why in memory, or ""
    // The run's log has been written from the records: the files go.
    void remove_files();

    static constexpr std::size_t records_per_segment = 2048; // 256 KiB

  private:
    CallRecord* slot(std::uint64_t number) noexcept;
    std::uint64_t claim() noexcept {
        if (threads_) return next_.fetch_add(1, std::memory_order_relaxed);
        auto number = next_.load(std::memory_order_relaxed); // alone: no need for a locked instruction
        next_.store(number + 1, std::memory_order_relaxed);
        return number;
    }
    CallRecord* map_segment(std::size_t index) noexcept;

    static constexpr std::size_t most_segments_on_disk = 4096; // 1 GiB, 8 million calls
    static constexpr std::size_t most_segments_in_memory = 256; // 64 MiB

    bool threads_;
    int calls_file_ = -1;
    int names_file_ = -1;
    std::string calls_path_, names_path_, problem_;
    std::string names_in_memory_;
    std::size_t most_segments_;
    std::unique_ptr<std::atomic<CallRecord*>[]> segments_;
    std::atomic<std::uint64_t> next_{0};
    std::atomic<std::uint64_t> dropped_{0};
    std::mutex growing_;
    mutable std::mutex naming_;
};

} // namespace switchyard::shim::log
