#include "agree.hpp"

namespace switchyard::algorithms {

bool all_agree(bool here, MPI_Comm comm) {
    int mine = here ? 1 : 0, all = 0;
    return PMPI_Allreduce(&mine, &all, 1, MPI_INT, MPI_MIN, comm) == MPI_SUCCESS && all == 1;
}

unsigned common_bits(unsigned here, MPI_Comm comm) {
    unsigned common = 0;
    return PMPI_Allreduce(&here, &common, 1, MPI_UNSIGNED, MPI_BAND, comm) == MPI_SUCCESS ? common : 0;
}

// MPI_Comm_dup would run the application's attribute copy functions.
MPI_Comm create_private(MPI_Comm comm) {
    MPI_Group group = MPI_GROUP_NULL;
    MPI_Comm copy = MPI_COMM_NULL;
    if (PMPI_Comm_group(comm, &group) != MPI_SUCCESS) return MPI_COMM_NULL;
    if (PMPI_Comm_create(comm, group, &copy) != MPI_SUCCESS) copy = MPI_COMM_NULL;
    PMPI_Group_free(&group);
    if (copy != MPI_COMM_NULL) PMPI_Comm_set_errhandler(copy, MPI_ERRORS_RETURN);
    return copy;
}

} // namespace switchyard::algorithms
