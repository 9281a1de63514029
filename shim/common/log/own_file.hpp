// A file that we make, append to, read and perhaps remove, in a program that may close
// its descriptor at any time.
#pragma once

#include "folder.hpp"

#include <cstddef>
#include <cstdint>
#include <string>

namespace switchyard::shim::log {

class OwnFile {
  public:
    OwnFile() = default;
    // A new file. The folder must outlive it. If it cannot be made, is_made() is false and errno says why.
    OwnFile(const Folder& folder, std::string name);

    bool is_made() const { return descriptor_.was_opened(); }
    std::uint64_t size() const { return size_; } // bytes that append() wrote
    // All or nothing: if the disk fills up, the part that was written is cut off again.
    bool append(const void* data, std::size_t size) noexcept;
    std::uint64_t size_on_disk() noexcept; // 0: the file is lost
    // Reads as many bytes as it can.
    std::size_t read(std::uint64_t offset, void* data, std::size_t size) noexcept;
    // The descriptor; opened again by the file's name if the program closed it; -1: the file is lost.
    int reached() noexcept;
    void remove() noexcept;

  private:
    const Folder* folder_ = nullptr;
    std::string name_;
    OwnDescriptor descriptor_;
    std::uint64_t size_ = 0;
};

} // namespace switchyard::shim::log
