// One rank's records and names, on disk from the first moment on, so that a killed run can still be read.
//
// Records are written into a small mapped file, `<rank>.ring`, whose pages stay in the cache; when one of its
// halves is full it goes to the end of `<rank>.calls` with one write. (Mapping the long file itself costs a
// page fault every 64 calls, three times as much; a plain buffer would be lost with the process.)
#pragma once

#include "record.hpp"

#include <array>
#include <atomic>
#include <cstddef>
#include <mutex>
#include <string>
#include <vector>

namespace switchyard::shim::log {

class Recorder {
  public:
    // Files `<directory>/ranks/<rank>.calls`, `.ring` and `.names`; where they cannot be made, the records
    // stay in memory (less of them) and `problem()` says why. `threads`: more than one thread may record at
    // once.
    Recorder(const std::string& directory, int rank, int ranks, bool threads);
    ~Recorder();
    Recorder(const Recorder&) = delete;
    Recorder& operator=(const Recorder&) = delete;

    // Any thread, at any time; full means dropped and counted. Does not mix with keep().
    void add(const CallRecord& record) noexcept {
        for_each_slot(record, [this](const Slot& slot) { add(slot); });
    }
    // A slot that stays in its place and may be written to again and again (detail `summary`); null when
    // full.
    Slot* keep(const Slot& slot) noexcept;

    // A line of JSON that explains the numbers in records: a communicator, a decision.
    void add_name(const std::string& line);

    // At the end of the run; nothing may be recorded any more.
    std::vector<const Slot*> finish(); // all slots, in the order of their numbers
    std::string names() const;
    void remove_files(); // the run's log has been written from them

    std::uint64_t dropped() const { return dropped_.load(std::memory_order_relaxed); }
    const std::string& problem() const { return problem_; } // why in memory, or ""

    static constexpr std::size_t halves = 2;
    static constexpr std::size_t slots_per_half = 4096; // 256 KiB
    static constexpr std::size_t slots_in_ring = halves * slots_per_half;

  private:
    struct Half {
        std::atomic<std::uint64_t> lap{0};    // how often it has been emptied
        std::atomic<std::size_t> finished{0}; // slots written since
    };
    bool open_files(const std::string& directory, int rank, int ranks);
    int create(const char* part);
    void forget_files();
    bool append(const void* data, std::size_t size) noexcept;
    Slot* map_ring(int file);
    Slot* place(std::uint64_t number, const Slot& slot) noexcept;
    void add(const Slot& slot) noexcept;
    std::uint64_t claim() noexcept;
    void empty(std::size_t half) noexcept;
    void store(const Slot* slots, std::size_t count) noexcept;

    static constexpr std::uint64_t most_on_disk = 16'000'000;  // 1 GB
    static constexpr std::uint64_t most_in_memory = 1'000'000; // 64 MB

    bool threads_;
    int calls_file_ = -1, names_file_ = -1;
    std::string base_, problem_;
    std::vector<std::string> created_; // files of ours, and only those, may be removed
    std::size_t calls_bytes_ = 0;      // of the calls file that are good
    Slot* ring_ = nullptr;             // null: there is not even memory for it
    std::array<Half, halves> halves_;
    std::atomic<std::uint64_t> next_{0};
    std::uint64_t stored_ = 0;    // slots in the file or in memory
    std::vector<Slot> in_memory_; // where there is no file
    std::atomic<std::uint64_t> dropped_{0};
    void* mapped_calls_ = nullptr; // after finish()
    std::size_t mapped_bytes_ = 0;
    std::string names_in_memory_;
    mutable std::mutex naming_;
};

} // namespace switchyard::shim::log
