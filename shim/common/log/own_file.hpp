// A file that we make, append to, read and perhaps remove, in a program that may close its descriptor at any
// time.
#pragma once

#include "folder.hpp"

#include <cstddef>
#include <cstdint>
#include <string>

namespace switchyard::shim::log {

class OwnFile {
  public:
    OwnFile() = default;
    // A new file. The folder must outlive it. Where it cannot be made, is_made() is false and errno says why.
    OwnFile(const Folder& folder, std::string name);

    bool is_made() const { return descriptor_.was_opened(); }
    std::uint64_t size() const { return size_; } // of what append() wrote
    // All of it or nothing: what a full disk took of it is taken back.
    bool append(const void* data, std::size_t size) noexcept;
    std::uint64_t size_on_disk() noexcept; // 0: the file is lost
    // As many bytes as can be read.
    std::size_t read(std::uint64_t offset, void* data, std::size_t size) noexcept;
    // The descriptor, found again by the file's name where the program closed it; -1: the file is lost.
    int reached() noexcept;
    void remove() noexcept;

  private:
    const Folder* folder_ = nullptr;
    std::string name_;
    OwnDescriptor descriptor_;
    std::uint64_t size_ = 0;
};

} // namespace switchyard::shim::log
