#include "ranks_of_node.hpp"

#include <array>
#include <climits>
#include <cstdint>
#include <fcntl.h>
#include <functional>
#include <string_view>
#include <unistd.h>

namespace switchyard::shim {

namespace {

// A number of the running system and its host name: two systems hardly ever have the same. Containers of one machine have
// the same number, and most often other names.
std::uint64_t name_of_system() {
    std::array<char, 512> name{};
    const int file = open("/proc/sys/kernel/random/boot_id", O_RDONLY | O_CLOEXEC);
    const ssize_t number = file < 0 ? 0 : read(file, name.data(), 64);
    if (file >= 0) close(file);
    const auto used = static_cast<std::size_t>(number > 0 ? number : 0);
    gethostname(name.data() + used, name.size() - used - 1);
    return std::hash<std::string_view>{}(name.data());
}

// Largest value of all ranks.
template <typename Value>
Value largest(Value value, MPI_Datatype type, MPI_Comm comm) {
    Value all = value;
    PMPI_Allreduce(&value, &all, 1, type, MPI_MAX, comm);
    return all;
}

int ranks_in(MPI_Comm comm) {
    int ranks = 1;
    if (comm != MPI_COMM_NULL) PMPI_Comm_size(comm, &ranks);
    return ranks;
}

// Systems of one colour are told apart by their whole names: then each of these ranks has a node of its own.
MPI_Comm split_by_system(MPI_Comm comm) {
    const std::uint64_t name = name_of_system();
    MPI_Comm system = MPI_COMM_NULL, alone = MPI_COMM_NULL;
    if (PMPI_Comm_split(comm, static_cast<int>(name & INT_MAX), 0, &system) != MPI_SUCCESS)
        return MPI_COMM_NULL;
    const auto highest = largest(name, MPI_UINT64_T, system), others = largest(~name, MPI_UINT64_T, system);
    if (highest == ~others) return system;
    int rank = 0;
    PMPI_Comm_rank(system, &rank);
    PMPI_Comm_split(system, rank, 0, &alone);
    PMPI_Comm_free(&system);
    return alone;
}

} // namespace

// MPICH 5.0.2 of Debian says that each rank has a node of its own, wherever it runs. So where an MPI says this of all
// ranks, the system is asked.
MPI_Comm ranks_of_node(MPI_Comm comm) {
    MPI_Comm node = MPI_COMM_NULL;
    const int code = PMPI_Comm_split_type(comm, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node);
    if (ranks_in(comm) == 1 || largest(ranks_in(node), MPI_INT, comm) > 1)
        return code == MPI_SUCCESS ? node : MPI_COMM_NULL;
    if (node != MPI_COMM_NULL) PMPI_Comm_free(&node);
    return split_by_system(comm);
}

} // namespace switchyard::shim
