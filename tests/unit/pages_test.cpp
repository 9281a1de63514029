// What the system says of pages: as they are now, not as they were.
#include "tests/support/catch.hpp"

#include "shim/entry/pages.hpp"

#include <cerrno>
#include <cstdint>
#include <sys/mman.h>
#include <unistd.h>

using switchyard::shim::page_of;
using switchyard::shim::Pages;
using Access = Pages::Access;

namespace {

// Pages of this process, each with a protection of its own.
class Memory {
  public:
    explicit Memory(std::size_t pages)
        : bytes_(pages * page_bytes()),
          begin_(mmap(nullptr, bytes_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)) {}
    Memory(const Memory&) = delete;
    Memory& operator=(const Memory&) = delete;
    ~Memory() { munmap(begin_, bytes_); }

    static std::size_t page_bytes() { return static_cast<std::size_t>(sysconf(_SC_PAGESIZE)); }
    std::uintptr_t page(std::size_t number) const {
        return reinterpret_cast<std::uintptr_t>(begin_) + number * page_bytes();
    }
    void protect(std::size_t number, int protection) const {
        REQUIRE(mprotect(reinterpret_cast<void*>(page(number)), page_bytes(), protection) == 0);
    }

  private:
    std::size_t bytes_;
    void* begin_;
};

} // namespace

TEST_CASE("pages say whether they may be written to", "[pages]") {
    const Memory memory(4);
    memory.protect(1, PROT_READ);
    memory.protect(2, PROT_NONE);
    errno = 7;
    Pages pages;
    CHECK(pages.at(memory.page(0)) == Access::writable);
    CHECK(pages.at(memory.page(1) - 1) == Access::writable);
    CHECK(pages.at(memory.page(1)) == Access::read_only);
    CHECK(pages.at(memory.page(2) - 1) == Access::read_only);
    CHECK(pages.at(memory.page(2)) == Access::none);
    CHECK(pages.at(memory.page(3)) == Access::writable);
    CHECK(pages.at(reinterpret_cast<std::uintptr_t>(&pages)) == Access::writable);
    CHECK(pages.at(reinterpret_cast<std::uintptr_t>(&page_of)) == Access::read_only);
    CHECK(errno == 7);
}

TEST_CASE("a new look sees what has changed", "[pages]") {
    const Memory memory(1);
    CHECK(Pages().at(memory.page(0)) == Access::writable);
    memory.protect(0, PROT_READ);
    CHECK(Pages().at(memory.page(0)) == Access::read_only);
}

TEST_CASE("of addresses without memory nothing is known", "[pages]") {
    CHECK(Pages().at(0) == Access::unknown);
    CHECK(Pages().at(UINTPTR_MAX) == Access::unknown);
}

TEST_CASE("a page begins where its number says", "[pages]") {
    const Memory memory(2);
    CHECK(page_of(memory.page(1)) == memory.page(1));
    CHECK(page_of(memory.page(1) + 1) == memory.page(1));
    CHECK(page_of(memory.page(1) - 1) == memory.page(0));
}
