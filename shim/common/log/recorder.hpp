// One rank's records and names, on disk from the first moment, so a killed run can still be read.
//
// Records go into a small mapped file, `<rank>.ring`, whose pages stay in the cache. A full half is appended
// to `<rank>.calls` with one write. (Mapping the long file itself costs a page fault every 64 calls, three
// times as much; a plain buffer would be lost with the process.) A run with few calls makes only the ring:
// each file of each rank is work for the file system at the start and at the end.
#pragma once

#include "folder.hpp"
#include "merge.hpp"
#include "own_file.hpp"
#include "record.hpp"
#include "ring_file.hpp"

#include <array>
#include <atomic>
#include <cstddef>
#include <mutex>
#include <string>
#include <vector>

namespace switchyard::shim::log {

class Recorder {
  public:
    // Makes `ranks/<rank>.ring` in the run's folder, and `.calls` and `.names` once they are needed. If the
    // ring cannot be made, the records stay in memory (fewer of them) and `problem()` says why. `threads`:
    // more than one thread may record at once.
    Recorder(const Folder& run, int rank, int ranks, bool threads);
    ~Recorder();
    Recorder(const Recorder&) = delete;
    Recorder& operator=(const Recorder&) = delete;

    // Any thread, at any time. When full, it drops the record and counts it. Do not mix with keep().
    // `Record`: CallHead, CallRecord or CountedRecord.
    template <typename Record>
    void add(const Record& record) noexcept {
        for_each_slot(record, [this](const Slot& slot) { add_slot(slot); });
    }
    // A slot that stays in its place and may be written to again and again (detail
    // `summary`); null when full.
    Slot* keep(const Slot& slot) noexcept;

    // What numbers in records stand for. May throw.
    void add_name(CommunicatorName name);
    void add_name(DecisionName name);

    // At the end of the run; nothing may be recorded any more. May throw.
    void finish();
    // After finish(): how many slots there are, and some of them, in the order of their numbers. read()
    // returns how many it could read; if it read fewer, the rest of the file is lost.
    std::uint64_t slots() const { return in_file_ + in_memory_.size() + in_ring_.size(); }
    std::size_t read(std::uint64_t first, Slot* into, std::size_t count) noexcept;
    // After finish(): all names from add_name(), without the members of communicators. Before
    // finish(): of many communicators only the first ones, which stay in memory, since files can be
    // lost. Later communicators are only in the file, so memory does not grow in a program that makes
    // communicators in a loop.
    const Names& names() const { return names_; }
    static constexpr std::size_t most_communicators_in_memory = 4096;
    void remove_files(); // the run's log has been written from them
    // After finish(): slots that are in no file, and lost unless the log is written from them.
    std::uint64_t slots_in_memory() const { return problem_.empty() ? in_memory_.size() : slots(); }

    // A ring_file, or memory in its place; null: not even memory. It lives as long as the recorder.
    std::byte* ring_file() const { return reinterpret_cast<std::byte*>(ring_); }

    std::uint64_t dropped() const { return dropped_.load(std::memory_order_relaxed); }
    const std::string& problem() const { return problem_; } // why in memory, or ""

    static constexpr std::size_t halves = 2;
    static constexpr std::size_t slots_per_half = 4096; // 256 KiB
    static constexpr std::size_t slots_in_ring = halves * slots_per_half;
    static_assert(slots_in_ring == ring_file::slots);

  private:
    void append_to_names(const std::string& line);
    struct Half {
        std::atomic<std::uint64_t> lap{0};    // how often it has been emptied
        std::atomic<std::size_t> finished{0}; // slots written since
    };
    bool open_ring(int rank, int ranks);
    void write_names() noexcept;
    void read_names_back();
    void map_ring(int file);
    bool has_calls_file() noexcept;
    bool make_calls_file() noexcept;
    bool empty_memory() noexcept;
    bool has_names_file() noexcept;
    bool put_beside_ring(const std::string& line) noexcept;
    Slot* place(std::uint64_t number, const Slot& slot) noexcept;
    void add_slot(const Slot& slot) noexcept;
    std::uint64_t claim() noexcept;
    void empty(std::size_t half) noexcept;
    void store(const Slot* slots, std::size_t count) noexcept;

    static constexpr std::uint64_t most_on_disk = 16'000'000;  // 1 GB
    static constexpr std::uint64_t most_in_memory = 1'000'000; // 64 MB

    bool threads_;
    std::string problem_;
    Folder folder_;
    std::string name_; // of the files, before the dot
    OwnFile ring_file_, calls_file_, names_file_;
    std::size_t names_beside_ring_ = 0; // bytes
    Slot* ring_ = nullptr;              // null: there is not even memory for it
    std::array<Half, halves> halves_;
    std::atomic<std::uint64_t> next_{0};
    std::uint64_t stored_ = 0;    // slots in the file or in memory
    std::vector<Slot> in_memory_; // where there is no file
    std::atomic<std::uint64_t> dropped_{0};
    // After finish():
    bool finished_ = false;
    std::uint64_t in_file_ = 0; // slots
    std::vector<const Slot*> in_ring_;
    Names names_;
    bool has_names_in_file_ = false; // and not in memory
    std::string unwritten_names_;    // not on disk yet
    std::mutex naming_;
};

// Each earlier call of the communicator also left a slot, so the slot's number is no smaller. Threads take
// numbers in any order, but never more than a ring apart. `slots_before`: of the rank, dropped ones included.
constexpr bool is_possible_sequence(std::uint32_t sequence, std::uint64_t slots_before) {
    return sequence > 0 && sequence <= slots_before + Recorder::slots_in_ring;
}

} // namespace switchyard::shim::log
