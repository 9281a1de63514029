// Which ranks share a node: the ranks of one system.
#pragma once

#include <cstdint>

namespace switchyard::shim {

// A number made from the running system's boot id and its host name. Two systems hardly ever have the same
// number. Containers of one machine have the same boot id, and usually different names. The MPI knows more
// only if a launcher emulates nodes; asking it takes a communicator, and every rank waits for that.
std::uint64_t name_of_system() noexcept;

} // namespace switchyard::shim
