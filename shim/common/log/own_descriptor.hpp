// The descriptor of a file or folder of ours. Programs close descriptors that they did not open, and open
// files of their own, which then get our numbers. So a number counts as ours only while it leads to our
// device and inode.
#pragma once

#include "algorithms/transport/memory/high_descriptor.hpp"

#include <sys/types.h>

namespace switchyard::shim::log {

class OwnDescriptor {
  public:
    OwnDescriptor() = default;
    // Takes an open descriptor; -1: none. Moves it up, out of the way of programs that expect the low numbers
    // for files of their own, or close them all.
    explicit OwnDescriptor(int file) noexcept;
    ~OwnDescriptor() { close(); }
    OwnDescriptor(OwnDescriptor&& other) noexcept;
    OwnDescriptor& operator=(OwnDescriptor&& other) noexcept;

    bool was_opened() const noexcept { return opened_; }
    // The number; -1: none was opened, or somebody closed it.
    int number() const noexcept { return leads_to_ours(number_) ? number_ : -1; }
    // Whether this other descriptor leads to the same file or folder.
    bool leads_to_ours(int file) const noexcept;
    // Leaves the number alone if it is no longer ours. False: the system could not write the whole file.
    bool close() noexcept;

    static constexpr int lowest = algorithms::lowest_descriptor;

  private:
    int number_ = -1;
    bool opened_ = false;
    dev_t device_ = 0;
    ino_t inode_ = 0;
};

} // namespace switchyard::shim::log
