// What the system says about this process's memory: which pages may be written to.
#pragma once

#include <cstdint>

namespace switchyard::shim {

class Pages {
  public:
    enum class Access : std::uint8_t { unknown, none, read_only, writable };
    // The access to the page at this address, as it was at some moment since this object was
    // made. Reads /proc/self/maps, and remembers the range that it found there: most questions
    // are about the same few ranges.
    Access at(std::uintptr_t address);

  private:
    std::uintptr_t begin_ = 0, end_ = 0;
    Access access_ = Access::unknown;
};

// The first address of the page.
std::uintptr_t page_of(std::uintptr_t address);

} // namespace switchyard::shim
