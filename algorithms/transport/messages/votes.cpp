#include "votes.hpp"

#include "mpi_types.hpp"

namespace switchyard::algorithms {

bool all_agree(bool here, Comm comm) {
    int mine = here ? 1 : 0, all = 0;
    return PMPI_Allreduce(&mine, &all, 1, MPI_INT, MPI_MIN, mpi_of(comm)) == MPI_SUCCESS && all == 1;
}

unsigned common_bits(unsigned here, Comm comm) {
    unsigned common = 0;
    return PMPI_Allreduce(&here, &common, 1, MPI_UNSIGNED, MPI_BAND, mpi_of(comm)) == MPI_SUCCESS ? common
                                                                                                  : 0;
}

Status largest_of_all(std::span<const std::uint64_t> numbers, std::uint64_t* largest, Comm comm) {
    return Status(PMPI_Allreduce(numbers.data(), largest, static_cast<int>(numbers.size()), MPI_UINT64_T,
                                 MPI_MAX, mpi_of(comm)));
}

// MPI_Comm_dup would run the application's attribute copy functions.
Comm create_private(Comm comm) {
    MPI_Group group = MPI_GROUP_NULL;
    MPI_Comm copy = MPI_COMM_NULL;
    if (PMPI_Comm_group(mpi_of(comm), &group) != MPI_SUCCESS) return {};
    if (PMPI_Comm_create(mpi_of(comm), group, &copy) != MPI_SUCCESS) copy = MPI_COMM_NULL;
    PMPI_Group_free(&group);
    if (copy != MPI_COMM_NULL) PMPI_Comm_set_errhandler(copy, MPI_ERRORS_RETURN);
    return comm_of(copy);
}

} // namespace switchyard::algorithms
