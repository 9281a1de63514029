#include "recorder.hpp"

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <sys/mman.h>
#include <unistd.h>

namespace switchyard::shim::log {

namespace {

constexpr std::size_t segment_bytes = Recorder::records_per_segment * sizeof(CallRecord);

// Takes the page faults of a segment at once, not one every 32 calls. (MAP_POPULATE would not do it: it maps shared
// pages for reading only.)
void touch(std::byte* segment) {
    const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
    for (std::size_t offset = 0; offset < segment_bytes; offset += page)
        static_cast<volatile std::byte*>(segment)[offset] = std::byte{0};
}

int create(const std::string& path) { return open(path.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0644); }

} // namespace

Recorder::Recorder(const std::string& directory, int rank, int ranks, bool threads)
    : threads_(threads), calls_path_(directory + "/ranks/" + std::to_string(rank) + ".calls"),
      names_path_(directory + "/ranks/" + std::to_string(rank) + ".names"),
      most_segments_(most_segments_on_disk),
      segments_(new std::atomic<CallRecord*>[most_segments_on_disk]()) {
    // On a host that does not see rank 0's file system the directory may not exist yet.
    std::error_code error;
    std::filesystem::create_directories(directory + "/ranks", error);
    calls_file_ = create(calls_path_);
    if (calls_file_ >= 0) names_file_ = create(names_path_);
    if (calls_file_ >= 0 && (names_file_ < 0 || map_segment(0) == nullptr)) {
        problem_ = std::strerror(errno);
        remove_files();
    } else if (calls_file_ < 0) {
        problem_ = std::strerror(errno);
    }
    if (in_memory()) {
        most_segments_ = most_segments_in_memory;
        if (map_segment(0) == nullptr) most_segments_ = 0;
    }
    if (most_segments_ == 0) return;
    // The header takes the first slot, so that records stay aligned.
    RecordFileHeader header;
    header.rank = rank;
    header.ranks = ranks;
    std::memcpy(static_cast<void*>(segments_[0].load()), &header, sizeof header);
    next_ = 1;
}

Recorder::~Recorder() {
    for (std::size_t i = 0; i < most_segments_on_disk; ++i)
        if (auto* segment = segments_[i].load()) munmap(segment, segment_bytes);
    if (calls_file_ >= 0) close(calls_file_);
    if (names_file_ >= 0) close(names_file_);
}

CallRecord* Recorder::map_segment(std::size_t index) noexcept {
    void* memory = nullptr;
    if (in_memory()) {
        memory = mmap(nullptr, segment_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    } else {
        auto offset = static_cast<off_t>(index * segment_bytes);
        // Blocks must really be there: writing to a hole on a full disk would be a SIGBUS in somebody's program.
        if (int error = posix_fallocate(calls_file_, offset, segment_bytes)) {
            errno = error;
            return nullptr;
        }
        memory = mmap(nullptr, segment_bytes, PROT_READ | PROT_WRITE, MAP_SHARED, calls_file_, offset);
    }
    if (memory == MAP_FAILED) return nullptr;
    touch(static_cast<std::byte*>(memory));
    auto* segment = static_cast<CallRecord*>(memory);
    segments_[index].store(segment, std::memory_order_release);
    return segment;
}

CallRecord* Recorder::slot(std::uint64_t number) noexcept {
    auto index = number / records_per_segment;
    if (index >= most_segments_) {
        dropped_.fetch_add(1, std::memory_order_relaxed);
        return nullptr;
    }
    auto* segment = segments_[index].load(std::memory_order_acquire);
    if (segment == nullptr) {
        std::lock_guard lock(growing_);
        segment = segments_[index].load(std::memory_order_acquire);
        if (segment == nullptr) segment = map_segment(index);
        if (segment == nullptr) {
            dropped_.fetch_add(1, std::memory_order_relaxed);
            return nullptr;
        }
    }
    return segment + number % records_per_segment;
}

CallRecord* Recorder::keep(const CallRecord& record) noexcept {
    auto* place = slot(claim());
    if (place == nullptr) return nullptr;
    std::memcpy(static_cast<void*>(place), &record, sizeof record); // its kind is still `none`
    std::atomic_ref(place->kind).store(RecordKind::call, std::memory_order_release);
    return place;
}

void Recorder::add_name(const std::string& line) {
    std::lock_guard lock(naming_);
    auto text = line + "\n";
    bool on_disk = names_file_ >= 0 && names_in_memory_.empty();
    if (on_disk && write(names_file_, text.data(), text.size()) == static_cast<ssize_t>(text.size())) return;
    // A disk that is full. A torn line ends here, and no other follows it in the file.
    names_in_memory_ += (on_disk ? "\n" : "") + text;
}

std::string Recorder::names() const {
    std::lock_guard lock(naming_);
    if (names_file_ < 0) return names_in_memory_;
    std::ifstream file(names_path_, std::ios::binary);
    std::ostringstream text;
    text << file.rdbuf();
    return text.str() + names_in_memory_;
}

std::vector<const CallRecord*> Recorder::finished_records() const {
    std::vector<const CallRecord*> records;
    auto end = next_.load(std::memory_order_acquire);
    for (std::uint64_t number = 1; number < end; ++number) {
        auto index = number / records_per_segment;
        if (index >= most_segments_) break;
        auto* segment = segments_[index].load(std::memory_order_acquire);
        if (segment == nullptr) continue;
        auto* record = segment + number % records_per_segment;
        if (record->kind == RecordKind::call) records.push_back(record);
    }
    return records;
}

void Recorder::remove_files() {
    if (calls_file_ >= 0) close(calls_file_);
    if (names_file_ >= 0) close(names_file_);
    calls_file_ = names_file_ = -1;
    unlink(calls_path_.c_str());
    unlink(names_path_.c_str());
}

} // namespace switchyard::shim::log
