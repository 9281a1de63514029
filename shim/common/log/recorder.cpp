#include "recorder.hpp"

#include "algorithms/transport/memory/file_room.hpp"
#include "file_size_signal.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <sched.h>
#include <sys/mman.h>
#include <sys/vfs.h>
#include <utility>

namespace switchyard::shim::log {

namespace {

// Whether a server, on this machine or another, has the file's pages.
bool is_served(int file) {
    constexpr std::array served = {0x65735546L /* FUSE */, 0x6969L /* NFS */, 0xFF534D42L /* CIFS */,
                                   0xFE534D42L /* SMB2 */};
    struct statfs system {};
    return fstatfs(file, &system) == 0 && std::ranges::find(served, long{system.f_type}) != served.end();
}

// Pages of a local file come one by one, as they are touched. Otherwise the kernel clears the whole file's
// pages at the first touch, 0.2 to 4 ms of every rank's start, and most runs need few of them.
//
// Takes all pages of a served file into memory now, which costs milliseconds. The first touch of a page asks
// the server for it, and if the server has gone by then, the answer is a SIGBUS in somebody's program. Before
// Linux 5.14 pages come as they are touched. False: they could not come.
bool prepare_pages(int file, void* memory, std::size_t bytes) {
    if (!is_served(file)) {
        madvise(memory, bytes, MADV_RANDOM);
        return true;
    }
#ifndef MADV_POPULATE_WRITE
    constexpr int MADV_POPULATE_WRITE = 23;
#endif
    return madvise(memory, bytes, MADV_POPULATE_WRITE) == 0 || errno == EINVAL;
}

} // namespace

Recorder::Recorder(const Folder& run, int rank, int ranks, bool threads)
    : threads_(threads), folder_(run.inside("ranks")) {
    FileSizeSignalBlocked blocked;
    if (folder_.is_open() ? open_ring(rank, ranks) : (errno = folder_.error(), false)) return;
    problem_ = std::strerror(errno);
    remove_files();
    map_ring(-1);
}

bool Recorder::open_ring(int rank, int ranks) {
    name_ = std::to_string(rank);
    ring_file_ = OwnFile(folder_, name_ + ".ring");
    if (!ring_file_.is_made()) return false;
    map_ring(ring_file_.reached());
    if (ring_ == nullptr) return false;
    RecordFileHeader header;
    header.rank = rank;
    header.ranks = ranks;
    std::memcpy(ring_file() + ring_file::header_at, &header, sizeof header);
    return true;
}

Recorder::~Recorder() {
    if (ring_ != nullptr) munmap(ring_, ring_file::end);
}

void Recorder::map_ring(int file) {
    // The file must have its disk space now: writing to a hole on a full disk would be a
    // SIGBUS in somebody's program.
    if (file >= 0)
        if (int error = algorithms::make_room(file, 0, ring_file::end)) {
            errno = error;
            return;
        }
    int flags = file >= 0 ? MAP_SHARED : MAP_PRIVATE | MAP_ANONYMOUS;
    void* memory = mmap(nullptr, ring_file::end, PROT_READ | PROT_WRITE, flags, file, 0);
    if (memory == MAP_FAILED) return;
    if (file < 0 || prepare_pages(file, memory, ring_file::end)) {
        ring_ = static_cast<Slot*>(memory);
        return;
    }
    const int error = errno;
    munmap(memory, ring_file::end);
    errno = error;
}

// Made when a half of the ring is full for the first time. If making it fails, the next half tries again.
bool Recorder::has_calls_file() noexcept {
    if (!problem_.empty() || (!calls_file_.is_made() && !make_calls_file())) return false;
    return calls_file_.reached() >= 0;
}

bool Recorder::make_calls_file() noexcept {
    try {
        OwnFile file(folder_, name_ + ".calls");
        if (!file.is_made()) return false;
        if (file.append(ring_file() + ring_file::header_at, sizeof(RecordFileHeader))) {
            calls_file_ = std::move(file);
            return true;
        }
        file.remove();
    } catch (...) { // no memory
    }
    return false;
}

// Made when there is no room for a name next to the ring.
bool Recorder::has_names_file() noexcept {
    try {
        if (problem_.empty() && !names_file_.is_made()) names_file_ = OwnFile(folder_, name_ + ".names");
    } catch (...) { // no memory
    }
    return names_file_.is_made();
}

// Writes what waited in memory until the file could be made.
bool Recorder::empty_memory() noexcept {
    if (in_memory_.empty()) return true;
    if (!calls_file_.append(in_memory_.data(), in_memory_.size() * sizeof(Slot))) return false;
    in_memory_.clear();
    return true;
}

std::uint64_t Recorder::claim() noexcept {
    if (threads_) return next_.fetch_add(1, std::memory_order_relaxed);
    auto number = next_.load(std::memory_order_relaxed); // one thread: no need for a locked instruction
    next_.store(number + 1, std::memory_order_relaxed);
    return number;
}

Slot* Recorder::place(std::uint64_t number, const Slot& slot) noexcept {
    auto* place = ring_ + number % slots_in_ring;
    auto copy = slot;
    copy.number = number;
    copy.kind = SlotKind::none;
    *place = copy;
    std::atomic_ref(place->kind).store(slot.kind, std::memory_order_release);
    return place;
}

void Recorder::add_slot(const Slot& slot) noexcept {
    if (ring_ == nullptr) {
        dropped_.fetch_add(1, std::memory_order_relaxed);
        return;
    }
    auto number = claim();
    auto index = number / slots_per_half % halves;
    auto& half = halves_[index];
    // Another thread may still be emptying this half. That takes one write of 256 KiB.
    const auto lap = number / slots_in_ring;
    while (half.lap.load(std::memory_order_acquire) != lap) sched_yield();
    place(number, slot);
    std::size_t finished = 0;
    if (threads_) {
        finished = half.finished.fetch_add(1, std::memory_order_acq_rel) + 1;
    } else {
        finished = half.finished.load(std::memory_order_relaxed) + 1;
        half.finished.store(finished, std::memory_order_relaxed);
    }
    if (finished == slots_per_half) empty(index);
}

// Called by the thread that finished the half's last slot. The slots are in the file before they leave the
// ring; a reader that finds a slot in both knows it by its number.
void Recorder::empty(std::size_t index) noexcept {
    auto& half = halves_[index];
    auto* slots = ring_ + index * slots_per_half;
    // Halves are filled in turn but may be finished out of turn.
    auto turn = slots->number;
    while (std::atomic_ref(stored_).load(std::memory_order_acquire) != turn) sched_yield();
    store(slots, slots_per_half);
    for (std::size_t i = 0; i < slots_per_half; ++i) slots[i].kind = SlotKind::none;
    half.finished.store(0, std::memory_order_relaxed);
    std::atomic_ref(stored_).store(turn + slots_per_half, std::memory_order_release);
    half.lap.fetch_add(1, std::memory_order_release);
}

void Recorder::store(const Slot* slots, std::size_t count) noexcept {
    FileSizeSignalBlocked blocked;
    int before = errno; // the application may be about to look at it
    bool stored = false;
    if (has_calls_file() && empty_memory()) {
        stored = slots->number + count <= most_on_disk && calls_file_.append(slots, count * sizeof *slots);
    } else if (in_memory_.size() + count <= most_in_memory) {
        try {
            in_memory_.insert(in_memory_.end(), slots, slots + count);
            stored = true;
        } catch (...) { // no memory for it
        }
    }
    if (!stored) dropped_.fetch_add(count, std::memory_order_relaxed);
    errno = before;
}

Slot* Recorder::keep(const Slot& slot) noexcept {
    auto number = claim();
    if (ring_ != nullptr && number < slots_in_ring) return place(number, slot);
    dropped_.fetch_add(1, std::memory_order_relaxed);
    return nullptr;
}

void Recorder::add_name(CommunicatorName name) {
    const auto line = name.to_line();
    name.members = {};
    FileSizeSignalBlocked blocked;
    const std::lock_guard lock(naming_);
    const bool has_room = names_.communicators.size() < most_communicators_in_memory;
    if (has_room) names_.communicators.push_back(name);
    append_to_names(line);
    if (has_room) return;
    if (unwritten_names_.empty())
        has_names_in_file_ = true;
    else
        names_.communicators.push_back(std::move(name));
}

void Recorder::add_name(DecisionName name) {
    const auto line = name.to_line();
    FileSizeSignalBlocked blocked;
    const std::lock_guard lock(naming_);
    names_.decisions.push_back(std::move(name));
    append_to_names(line);
}

void Recorder::append_to_names(const std::string& line) {
    if (put_beside_ring(line)) return;
    unwritten_names_ += line;
    unwritten_names_ += '\n';
    write_names();
}

// False: there is no room, or later names are in the file already.
bool Recorder::put_beside_ring(const std::string& line) noexcept {
    const std::size_t end = ring_file::names_at + names_beside_ring_ + line.size() + 1;
    if (ring_ == nullptr || names_file_.is_made() || end >= ring_file::end) return false;
    std::byte* const place = ring_file() + ring_file::names_at + names_beside_ring_;
    std::memcpy(place, line.data(), line.size());
    place[line.size()] = std::byte{'\n'};
    names_beside_ring_ += line.size() + 1;
    return true;
}

// If it fails, the next name or the end of the run tries again. Until then a report on a
// killed run misses these names.
void Recorder::write_names() noexcept {
    if (unwritten_names_.empty() || !has_names_file()) return;
    if (names_file_.append(unwritten_names_.data(), unwritten_names_.size())) unwritten_names_.clear();
}

void Recorder::finish() {
    if (std::exchange(finished_, true)) return;
    const auto slots_of = [](std::uint64_t bytes) {
        return bytes / sizeof(Slot) - (bytes < sizeof(Slot) ? 0 : 1);
    };
    const auto written = slots_of(calls_file_.size()); // without the header
    in_file_ = written == 0 ? 0 : std::min(written, slots_of(calls_file_.size_on_disk()));
    dropped_.fetch_add(written - in_file_); // the program truncated the file, or removed it
    // The pages behind the last slot were never touched.
    const auto used = std::min<std::uint64_t>(next_.load(), slots_in_ring);
    for (std::size_t i = 0; ring_ != nullptr && i < used; ++i)
        if (ring_[i].kind != SlotKind::none) in_ring_.push_back(ring_ + i);
    std::ranges::sort(in_ring_, {}, &Slot::number);
    write_names();
    if (has_names_in_file_) read_names_back();
    names_.sort();
}

// A name from the file may also be in memory.
void Recorder::read_names_back() {
    std::string text, rest;
    text.resize(std::size_t{64} << 10);
    Names found;
    for (std::uint64_t offset = 0; offset < names_file_.size();) {
        const auto bytes = names_file_.read(offset, text.data(), text.size());
        if (bytes == 0) break; // the file is lost
        offset += bytes;
        rest.append(text.data(), bytes);
        std::size_t begin = 0;
        for (std::size_t end = 0; (end = rest.find('\n', begin)) != std::string::npos; begin = end + 1)
            found.add(std::string_view(rest).substr(begin, end - begin));
        rest.erase(0, begin);
    }
    auto& known = names_.communicators;
    for (auto& name : found.communicators) {
        name.members = {};
        known.push_back(std::move(name));
    }
    std::ranges::stable_sort(known, {}, &CommunicatorName::number);
    const auto twice = std::ranges::unique(known, {}, &CommunicatorName::number);
    known.erase(twice.begin(), twice.end());
}

std::size_t Recorder::read(std::uint64_t first, Slot* into, std::size_t count) noexcept {
    if (first < in_file_) {
        const auto some = std::min<std::uint64_t>(count, in_file_ - first) * sizeof(Slot);
        return calls_file_.read(sizeof(RecordFileHeader) + first * sizeof(Slot), into, some) / sizeof(Slot);
    }
    const auto from = first - in_file_;
    if (from < in_memory_.size()) {
        const auto some = std::min<std::uint64_t>(count, in_memory_.size() - from);
        std::copy_n(in_memory_.begin() + static_cast<std::ptrdiff_t>(from), some, into);
        return some;
    }
    const auto start = std::min<std::uint64_t>(from - in_memory_.size(), in_ring_.size());
    const auto some = std::min<std::uint64_t>(count, in_ring_.size() - start);
    for (std::size_t i = 0; i < some; ++i) into[i] = *in_ring_[start + i];
    return some;
}

void Recorder::remove_files() {
    const int reason = errno;
    for (auto* file : {&calls_file_, &names_file_, &ring_file_}) file->remove();
    errno = reason;
}

} // namespace switchyard::shim::log
