/* A library with a call of its own. Under a name of an MPI's Fortran layer its call is the application's. */
#include <mpi.h>

int layer_alltoall(const void* send, void* recv, MPI_Comm comm);

__attribute__((visibility("default"))) int layer_alltoall(const void* send, void* recv, MPI_Comm comm) {
    int code = PMPI_Alltoall(send, 1, MPI_INT, recv, 1, MPI_INT, comm);
    return code; /* no tail call: the return address tells who called */
}
