#include "recorder.hpp"

#include "file_size_signal.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <sched.h>
#include <sys/mman.h>
#include <unistd.h>

namespace switchyard::shim::log {

namespace {

constexpr std::size_t ring_bytes = Recorder::slots_in_ring * sizeof(Slot);

// Writes all of it, or nothing that counts.
bool write_all(int file, const void* data, std::size_t size) {
    const auto* bytes = static_cast<const char*>(data);
    while (size > 0) {
        auto written = write(file, bytes, size);
        if (written < 0 && errno == EINTR) continue;
        if (written <= 0) return false;
        bytes += written;
        size -= static_cast<std::size_t>(written);
    }
    return true;
}

// Out of the way of programs that expect the low numbers for files of their own, or close them all.
int moved_up(int file) {
    constexpr int high = 200;
    int moved = file >= 0 ? fcntl(file, F_DUPFD_CLOEXEC, high) : -1;
    if (moved < 0) return file;
    close(file);
    return moved;
}

} // namespace

Recorder::Recorder(const std::string& directory, int rank, int ranks, bool threads)
    : threads_(threads),
      base_(std::filesystem::absolute(directory).string() + "/ranks/" + std::to_string(rank)) {
    FileSizeSignalBlocked blocked;
    if (open_files(directory, rank, ranks)) return;
    problem_ = std::strerror(errno);
    forget_files();
    ring_ = map_ring(-1);
}

int Recorder::create(const char* part) {
    auto path = base_ + part;
    int file = moved_up(open(path.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0644));
    if (file >= 0) created_.push_back(path);
    return file;
}

bool Recorder::open_files(const std::string& directory, int rank, int ranks) {
    // On a host that does not see rank 0's file system the directory may not exist yet.
    std::error_code error;
    std::filesystem::create_directories(directory + "/ranks", error);
    calls_file_ = create(".calls");
    if (calls_file_ < 0) return false;
    names_file_ = create(".names");
    if (names_file_ < 0) return false;
    int ring_file = create(".ring");
    if (ring_file < 0) return false;
    RecordFileHeader header;
    header.rank = rank;
    header.ranks = ranks;
    if (append(&header, sizeof header)) ring_ = map_ring(ring_file);
    int reason = errno;
    close(ring_file);
    errno = reason;
    return ring_ != nullptr;
}

void Recorder::forget_files() {
    if (calls_file_ >= 0) close(calls_file_);
    if (names_file_ >= 0) close(names_file_);
    calls_file_ = names_file_ = -1;
    for (const auto& path : created_) unlink(path.c_str());
    created_.clear();
}

// All of it, or nothing: what a full disk took of it is taken back, so that the next half lies where it
// should.
bool Recorder::append(const void* data, std::size_t size) noexcept {
    if (write_all(calls_file_, data, size)) {
        calls_bytes_ += size;
        return true;
    }
    int reason = errno;
    [[maybe_unused]] int cut = ftruncate(calls_file_, static_cast<off_t>(calls_bytes_));
    lseek(calls_file_, static_cast<off_t>(calls_bytes_), SEEK_SET);
    errno = reason;
    return false;
}

Recorder::~Recorder() {
    if (ring_ != nullptr) munmap(ring_, ring_bytes);
    if (mapped_calls_ != nullptr) munmap(mapped_calls_, mapped_bytes_);
    if (calls_file_ >= 0) close(calls_file_);
    if (names_file_ >= 0) close(names_file_);
}

Slot* Recorder::map_ring(int file) {
    // Blocks must really be there: writing to a hole on a full disk would be a SIGBUS in somebody's program.
    if (file >= 0)
        if (int error = posix_fallocate(file, 0, ring_bytes)) {
            errno = error;
            return nullptr;
        }
    int flags = file >= 0 ? MAP_SHARED : MAP_PRIVATE | MAP_ANONYMOUS;
    void* memory = mmap(nullptr, ring_bytes, PROT_READ | PROT_WRITE, flags, file, 0);
    return memory == MAP_FAILED ? nullptr : static_cast<Slot*>(memory);
}

std::uint64_t Recorder::claim() noexcept {
    if (threads_) return next_.fetch_add(1, std::memory_order_relaxed);
    auto number = next_.load(std::memory_order_relaxed); // alone: no need for a locked instruction
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

void Recorder::add(const Slot& slot) noexcept {
    if (ring_ == nullptr) {
        dropped_.fetch_add(1, std::memory_order_relaxed);
        return;
    }
    auto number = claim();
    auto index = number / slots_per_half % halves;
    auto& half = halves_[index];
    // Another thread may still be emptying it. It is a write of 256 KiB away from being done.
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

// By whoever finished its last slot. The slots are in the file before they leave the ring; a reader that
// finds them in both knows by their numbers.
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
    if (calls_file_ >= 0) {
        stored = slots->number + count <= most_on_disk && append(slots, count * sizeof *slots);
    } else if (slots->number + count <= most_in_memory) {
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

void Recorder::add_name(const std::string& line) {
    FileSizeSignalBlocked blocked;
    std::lock_guard lock(naming_);
    auto text = line + "\n";
    bool on_disk = names_file_ >= 0 && names_in_memory_.empty();
    if (on_disk && write_all(names_file_, text.data(), text.size())) return;
    // A disk that is full. A torn line ends here, and no other follows it in the file.
    names_in_memory_ += (on_disk ? "\n" : "") + text;
}

std::string Recorder::names() const {
    std::lock_guard lock(naming_);
    if (names_file_ < 0) return names_in_memory_;
    // By its number: the name may be gone, to a cleaner of temporary files for one.
    auto size = lseek(names_file_, 0, SEEK_END);
    std::string text(static_cast<std::size_t>(std::max<off_t>(size, 0)), '\0');
    auto got = pread(names_file_, text.data(), text.size(), 0);
    text.resize(static_cast<std::size_t>(std::max<ssize_t>(got, 0)));
    return text + names_in_memory_;
}

std::vector<const Slot*> Recorder::finish() {
    std::vector<const Slot*> slots;
    if (calls_file_ >= 0) {
        mapped_bytes_ = static_cast<std::size_t>(std::max<off_t>(lseek(calls_file_, 0, SEEK_END), 0));
        void* memory = mmap(nullptr, mapped_bytes_, PROT_READ, MAP_SHARED, calls_file_, 0);
        if (memory != MAP_FAILED) mapped_calls_ = memory;
        if (mapped_calls_ != nullptr)
            for (std::size_t i = 1; i < mapped_bytes_ / sizeof(Slot); ++i) // the first is the header
                slots.push_back(static_cast<const Slot*>(mapped_calls_) + i);
    }
    for (const auto& slot : in_memory_) slots.push_back(&slot);
    auto stored = static_cast<std::ptrdiff_t>(slots.size());
    for (std::size_t i = 0; ring_ != nullptr && i < slots_in_ring; ++i)
        if (ring_[i].kind != SlotKind::none) slots.push_back(ring_ + i);
    std::sort(slots.begin() + stored, slots.end(),
              [](const Slot* left, const Slot* right) { return left->number < right->number; });
    return slots;
}

void Recorder::remove_files() {
    forget_files();
}

} // namespace switchyard::shim::log
