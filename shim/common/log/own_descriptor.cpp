#include "own_descriptor.hpp"

#include <cerrno>
#include <sys/stat.h>
#include <unistd.h>
#include <utility>

namespace switchyard::shim::log {

OwnDescriptor::OwnDescriptor(int file) noexcept {
    if (file < 0) return;
    struct stat facts {};
    number_ = algorithms::moved_up(file);
    if (fstat(number_, &facts) != 0) return;
    device_ = facts.st_dev;
    inode_ = facts.st_ino;
    opened_ = true;
}

OwnDescriptor::OwnDescriptor(OwnDescriptor&& other) noexcept
    : number_(std::exchange(other.number_, -1)), opened_(std::exchange(other.opened_, false)),
      device_(other.device_), inode_(other.inode_) {}

OwnDescriptor& OwnDescriptor::operator=(OwnDescriptor&& other) noexcept {
    if (this == &other) return *this;
    close();
    number_ = std::exchange(other.number_, -1);
    opened_ = std::exchange(other.opened_, false);
    device_ = other.device_;
    inode_ = other.inode_;
    return *this;
}

bool OwnDescriptor::leads_to_ours(int file) const noexcept {
    if (!opened_ || file < 0) return false;
    const int before = errno;
    struct stat facts {};
    const bool same = fstat(file, &facts) == 0 && facts.st_dev == device_ && facts.st_ino == inode_;
    errno = before;
    return same;
}

bool OwnDescriptor::close() noexcept {
    const int before = errno;
    const bool good = !leads_to_ours(number_) || ::close(number_) == 0;
    errno = before;
    number_ = -1;
    opened_ = false;
    return good;
}

} // namespace switchyard::shim::log
