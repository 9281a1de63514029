// Which ranks share a node: the ranks of one system.
#pragma once

#include <cstdint>

namespace switchyard::shim {

// A number of the running system and its host name. Two systems hardly ever have the same. Containers of one
// machine have the same number, and most often other names. The MPI knows more only where a launcher emulates
// nodes; to ask it takes a communicator, which every rank waits for.
std::uint64_t name_of_system() noexcept;

} // namespace switchyard::shim
