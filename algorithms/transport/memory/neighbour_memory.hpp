// The memory of another process of this node, read without its help: one copy, which the kernel
// makes. The system may forbid it. Where containers number processes differently, the neighbour's
// number may be another process's here. So each read also brings a proof: a number that only the
// neighbour has at that address. No MPI.
#pragma once

#include <cstddef>
#include <cstdint>
#include <sys/types.h>

namespace switchyard::algorithms {

class NeighbourMemory {
  public:
    NeighbourMemory() = default;
    NeighbourMemory(pid_t process, std::uint64_t proof) : process_(process), proof_(proof) {}

    // False after the first failure: the next read would fail as well.
    bool can_be_read() const { return process_ != 0; }

    // `from` and `proof` are addresses in the neighbour: of the bytes, and of its proof. False: the bytes
    // could not be read, and bytes at `to` may have changed.
    bool read(std::byte* to, std::uintptr_t from, std::size_t bytes, std::uintptr_t proof);

  private:
    pid_t process_ = 0;
    std::uint64_t proof_ = 0;
};

} // namespace switchyard::algorithms
