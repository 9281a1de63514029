#include "neighbour_memory.hpp"

#include <array>
#include <cerrno>
#include <sys/uio.h>

namespace switchyard::algorithms {

namespace {

void* as_pointer(std::uintptr_t address) {
    return reinterpret_cast<void*>(address);
}

} // namespace

bool NeighbourMemory::read(std::byte* to, std::uintptr_t from, std::size_t bytes, std::uintptr_t proof) {
    const int error = errno; // the program's
    std::uint64_t found = 0;
    const std::array<iovec, 2> here{{{&found, sizeof found}, {to, bytes}}},
        there{{{as_pointer(proof), sizeof found}, {as_pointer(from), bytes}}};
    const auto read = process_vm_readv(process_, here.data(), here.size(), there.data(), there.size(), 0);
    const bool is_whole = read == static_cast<ssize_t>(sizeof found + bytes) && found == proof_;
    if (!is_whole) process_ = 0;
    errno = error;
    return is_whole;
}

} // namespace switchyard::algorithms
