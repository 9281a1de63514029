#include "own_file.hpp"

#include <cerrno>
#include <sys/stat.h>
#include <unistd.h>
#include <utility>

namespace switchyard::shim::log {

OwnFile::OwnFile(const Folder& folder, std::string name) : folder_(&folder), name_(std::move(name)) {
    descriptor_ = folder_->create(name_);
}

int OwnFile::reached() noexcept {
    const int number = descriptor_.number();
    if (number >= 0 || !is_made()) return number;
    auto again = folder_->found_again(name_, descriptor_);
    if (again.was_opened())
        descriptor_ = std::move(again); // the lost number stays as it is: it is no longer ours
    return descriptor_.number();
}

bool OwnFile::append(const void* data, std::size_t size) noexcept {
    const int file = reached();
    if (file < 0) return false;
    const auto end = static_cast<off_t>(size_);
    if (write_all(file, {static_cast<const char*>(data), size}, end)) {
        size_ += size;
        return true;
    }
    const int reason = errno;
    [[maybe_unused]] const int cut = ftruncate(file, end);
    errno = reason;
    return false;
}

std::uint64_t OwnFile::size_on_disk() noexcept {
    struct stat facts {};
    return fstat(reached(), &facts) == 0 ? static_cast<std::uint64_t>(facts.st_size) : 0;
}

std::size_t OwnFile::read(std::uint64_t offset, void* data, std::size_t size) noexcept {
    const int file = reached();
    std::size_t done = 0;
    while (file >= 0 && done < size) {
        const auto got =
            pread(file, static_cast<char*>(data) + done, size - done, static_cast<off_t>(offset + done));
        if (got < 0 && errno == EINTR) continue;
        if (got <= 0) break;
        done += static_cast<std::size_t>(got);
    }
    return done;
}

// Removes the name only while it still leads to our file.
void OwnFile::remove() noexcept {
    if (!is_made()) return;
    if (folder_->found_again(name_, descriptor_).was_opened()) folder_->remove(name_);
    descriptor_.close();
}

} // namespace switchyard::shim::log
