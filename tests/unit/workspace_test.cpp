// A communicator's scratch memory: what it promises an algorithm, and what it leaves of the program's heap.
#include "algorithms/workspace.hpp"
#include "tests/support/catch.hpp"

#include <cstdint>
#include <cstring>
#include <malloc.h>

using switchyard::algorithms::Workspace;

namespace {

constexpr std::size_t large = std::size_t{1} << 20;

bool is_aligned(const std::span<std::byte>& bytes) {
    return reinterpret_cast<std::uintptr_t>(bytes.data()) % Workspace::alignment == 0;
}

} // namespace

TEST_CASE("scratch memory is aligned and apart, and no more than was reserved", "[workspace]") {
    for (const std::size_t bytes : {std::size_t{1}, std::size_t{1000}, std::size_t{65'000}, large}) {
        Workspace workspace;
        REQUIRE(workspace.reserve(2 * Workspace::rounded(bytes)));
        const auto one = workspace.take(bytes), other = workspace.take(bytes);
        REQUIRE(one.size() == bytes);
        REQUIRE(other.size() == bytes);
        CHECK((is_aligned(one) && is_aligned(other)));
        CHECK(other.data() - one.data() == static_cast<std::ptrdiff_t>(Workspace::rounded(bytes)));
        std::memset(one.data(), 1, bytes);
        std::memset(other.data(), 2, bytes);
        CHECK((one.back() == std::byte{1} && other.back() == std::byte{2}));
        CHECK(workspace.take(1).data() == nullptr);
    }
}

TEST_CASE("scratch memory grows, and a size that overflowed leaves the earlier memory", "[workspace]") {
    Workspace workspace;
    REQUIRE(workspace.reserve(100));
    REQUIRE(workspace.reserve(large)); // from malloc's memory to a mapping
    CHECK(workspace.capacity() == large);
    REQUIRE(workspace.reserve(2 * large));
    CHECK_FALSE(workspace.reserve(SIZE_MAX - 100));
    const auto all = workspace.take(2 * large);
    REQUIRE(all.size() == 2 * large);
    std::memset(all.data(), 3, all.size());
}

// free() of so much may shrink the heap under a program that still uses what it freed.
TEST_CASE("large scratch memory is none of malloc's", "[workspace]") {
    const auto before = mallinfo2();
    Workspace workspace;
    REQUIRE(workspace.reserve(large));
    const auto since = mallinfo2();
    CHECK(since.uordblks < before.uordblks + large);
    CHECK(since.hblkhd == before.hblkhd); // bytes of large chunks
}
