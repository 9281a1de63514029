#include "node_memory.hpp"

#include "file_room.hpp"
#include "high_descriptor.hpp"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <fcntl.h>
#include <new>
#include <random>
#include <string_view>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

namespace switchyard::algorithms {

namespace {

std::size_t page_bytes() {
    static const auto bytes = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
    return bytes;
}

// The file begins with a page that has only its key. By the key a process knows that it has opened the right
// file, even where numbers of processes and files mean something else to it.
bool has_key(int file, std::uint64_t key) {
    std::uint64_t found = 0;
    return pread(file, &found, sizeof found, 0) == sizeof found && found == key;
}

// Looks at the name, since opening a file may mean something to the program that owns it.
bool is_ours(const char* path) {
    constexpr std::string_view name = "/memfd:switchyard";
    char target[64];
    const auto length = readlink(path, target, sizeof target);
    return length > 0 && std::string_view(target, static_cast<std::size_t>(length)).starts_with(name);
}

std::uint64_t new_key() {
    std::random_device device;
    return (std::uint64_t{device()} << 32 | device()) | 1U;
}

// A file that grows beyond the program's limit for files would raise a signal.
bool may_have_size(std::uint64_t bytes) {
    rlimit limit{};
    return getrlimit(RLIMIT_FSIZE, &limit) == 0 &&
           (limit.rlim_cur == RLIM_INFINITY || bytes <= limit.rlim_cur);
}

} // namespace

NodeMemory::~NodeMemory() {
    for (const Mapping& mapping : mappings_) munmap(mapping.begin, stride());
    if (owns_file()) close(file_);
    for (const Guest& guest : guests_)
        if (has_key(guest.file, guest.key)) close(guest.file); // else the number is the program's by now
}

std::size_t NodeMemory::stride() const {
    return (head_bytes + section_bytes_ + page_bytes() - 1) / page_bytes() * page_bytes();
}

bool NodeMemory::open_file() {
    if (!may_have_size(page_bytes())) return false;
    file_ = moved_up(memfd_create("switchyard", MFD_CLOEXEC));
    if (file_ < 0) return false;
    struct stat facts {};
    fstat(file_, &facts);
    device_ = facts.st_dev;
    inode_ = facts.st_ino;
    key_ = new_key();
    return pwrite(file_, &key_, sizeof key_, 0) == sizeof key_;
}

// The program may have closed the number, and its own next file may have got it.
bool NodeMemory::owns_file() const {
    struct stat facts {};
    return file_ >= 0 && fstat(file_, &facts) == 0 && facts.st_dev == device_ && facts.st_ino == inode_;
}

void NodeMemory::prepare() {
    const std::lock_guard lock(mutex_);
    if (file_ < 0) open_file();
}

std::byte* NodeMemory::map(int file, std::uint64_t offset) {
    void* memory =
        mmap(nullptr, stride(), PROT_READ | PROT_WRITE, MAP_SHARED, file, static_cast<off_t>(offset));
    return memory == MAP_FAILED ? nullptr : static_cast<std::byte*>(memory);
}

NodeMemory::Place NodeMemory::lend() {
    const std::lock_guard lock(mutex_);
    for (Section& section : sections_) {
        if (section.is_lent && head_of(section.data).left.load(std::memory_order_acquire) < section.users)
            continue;
        section.is_lent = true;
        section.users = UINT32_MAX; // until set_users()
        return section.place;
    }
    if (sections_.size() == most_sections) return {};
    if (sections_.empty() && !owns_file() && !open_file()) return {};
    const Place place{key_, page_bytes() + sections_.size() * stride(), getpid(), file_};
    const std::uint64_t end = place.offset + stride();
    const std::size_t first = std::min(first_bytes, stride());
    if (!owns_file() || !may_have_size(end) || ftruncate(file_, static_cast<off_t>(end)) != 0 ||
        !make_room_in(place, 0, first))
        return {};
    sections_.reserve(sections_.size() + 1);
    mappings_.reserve(mappings_.size() + 1);
    std::byte* const begin = map(file_, place.offset);
    if (begin == nullptr) return {};
    mappings_.push_back({place.key, place.offset, begin});
    new (begin) Head{};
    sections_.push_back({place, begin + head_bytes, first - head_bytes, UINT32_MAX, true});
    return place;
}

bool NodeMemory::extend(const Place& place, std::size_t end) {
    const std::lock_guard lock(mutex_);
    Section* const section = section_at(place);
    if (section == nullptr || end > section_bytes_) return false;
    if (end <= section->there) return true;
    const int error = errno; // the program's
    const bool has_memory =
        owns_file() && make_room_in(place, head_bytes + section->there, end - section->there);
    errno = error;
    if (has_memory) section->there = end;
    return has_memory;
}

// Call it only for new pages: the system clears old pages that nobody has touched yet.
bool NodeMemory::make_room_in(const Place& place, std::size_t from, std::size_t bytes) const {
    return make_room(file_, static_cast<off_t>(place.offset + from), static_cast<off_t>(bytes)) == 0;
}

void NodeMemory::warm(std::byte* from, std::size_t bytes) {
#ifndef MADV_POPULATE_WRITE
    constexpr int MADV_POPULATE_WRITE = 23;
#endif
    const int error = errno; // the program's
    const auto begin = reinterpret_cast<std::uintptr_t>(from) / page_bytes() * page_bytes();
    madvise(reinterpret_cast<void*>(begin), reinterpret_cast<std::uintptr_t>(from) + bytes - begin,
            MADV_POPULATE_WRITE);
    errno = error;
}

NodeMemory::Section* NodeMemory::section_at(const Place& place) {
    const auto found = std::ranges::find_if(
        sections_, [&](const Section& section) { return section.place.offset == place.offset; });
    return found == sections_.end() ? nullptr : &*found;
}

void NodeMemory::set_users(const Place& place, std::uint32_t users) {
    const std::lock_guard lock(mutex_);
    Section* const section = section_at(place);
    if (section == nullptr) return;
    section->users = users;
    head_of(section->data).left.store(0, std::memory_order_release);
}

void NodeMemory::take_back(const Place& place) {
    const std::lock_guard lock(mutex_);
    if (Section* const section = section_at(place)) section->is_lent = false;
}

std::byte* NodeMemory::data_at(const Place& place) {
    if (!place) return nullptr;
    const std::lock_guard lock(mutex_);
    const auto known = std::ranges::find_if(mappings_, [&](const Mapping& mapping) {
        return mapping.key == place.key && mapping.offset == place.offset;
    });
    if (known != mappings_.end()) return known->begin + head_bytes;
    mappings_.reserve(mappings_.size() + 1);
    std::byte* const begin = map_of_other(place);
    if (begin == nullptr) return nullptr;
    mappings_.push_back({place.key, place.offset, begin});
    return begin + head_bytes;
}

std::byte* NodeMemory::map_of_other(const Place& place) {
    const auto guest = std::ranges::find(guests_, place.key, &Guest::key);
    if (guest != guests_.end()) return map_if_right(guest->file, place);
    char path[64];
    std::snprintf(path, sizeof path, "/proc/%d/fd/%d", place.process, place.file);
    if (!is_ours(path)) return nullptr;
    const int file = open(path, O_RDWR | O_CLOEXEC | O_NONBLOCK);
    if (file < 0) return nullptr;
    std::byte* const begin = map_if_right(file, place);
    close(file);
    return begin;
}

std::byte* NodeMemory::map_if_right(int file, const Place& place) {
    struct stat facts {};
    const bool is_right = fstat(file, &facts) == 0 && has_key(file, place.key) &&
                          static_cast<std::uint64_t>(facts.st_size) >= place.offset + stride();
    return is_right ? map(file, place.offset) : nullptr;
}

namespace {

// Half of the key. Whoever sees the door still has to guess the other half.
std::uint32_t door_of(std::uint64_t key) {
    return static_cast<std::uint32_t>(key >> 32);
}

} // namespace

bool NodeMemory::listen() {
    const std::lock_guard lock(mutex_);
    if (key_ != 0 && !introduction_) introduction_.reset(new (std::nothrow) Introduction(door_of(key_)));
    return introduction_ && introduction_->is_open();
}

bool NodeMemory::introduce_to(const Place& neighbour) const {
    const std::lock_guard lock(mutex_);
    return neighbour.key == key_ || (owns_file() && Introduction::send(door_of(neighbour.key), file_));
}

void NodeMemory::meet_guests() {
    const std::lock_guard lock(mutex_);
    if (!introduction_) return;
    const auto listener = std::move(introduction_);
    for (const int taken : listener->take()) {
        const int file = moved_up(taken);
        std::uint64_t key = 0;
        const bool is_known = pread(file, &key, sizeof key, 0) != sizeof key ||
                              std::ranges::find(guests_, key, &Guest::key) != guests_.end();
        if (is_known)
            close(file);
        else
            guests_.push_back({key, file});
    }
}

void NodeMemory::leave(std::byte* data) {
    head_of(data).left.fetch_add(1, std::memory_order_acq_rel);
}

} // namespace switchyard::algorithms
