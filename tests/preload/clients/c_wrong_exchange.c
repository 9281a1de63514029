/* A preloaded library in which one byte of the first exchange arrives wrong: the last one of MPI_Alltoallv or MPI_Alltoallw. */
#include <mpi.h>

#define EXPORTED __attribute__((visibility("default")))

static int done;

static void change_last_byte(char* block, int count, MPI_Datatype type) {
    MPI_Aint lower, extent, true_lower, true_extent;
    MPI_Type_get_extent(type, &lower, &extent);
    MPI_Type_get_true_extent(type, &true_lower, &true_extent);
    block[(count - 1) * extent + true_lower + true_extent - 1] ^= 1;
    done = 1;
}

EXPORTED int MPI_Alltoallv(const void* send, const int* sendcounts, const int* sdispls, MPI_Datatype sendtype,
                           void* recv, const int* recvcounts, const int* rdispls, MPI_Datatype recvtype,
                           MPI_Comm comm) {
    int size,
        code = PMPI_Alltoallv(send, sendcounts, sdispls, sendtype, recv, recvcounts, rdispls, recvtype, comm);
    MPI_Aint lower, extent;
    MPI_Type_get_extent(recvtype, &lower, &extent);
    MPI_Comm_size(comm, &size);
    for (int i = size - 1; i >= 0 && !done; --i)
        if (recvcounts[i] > 0) change_last_byte((char*)recv + rdispls[i] * extent, recvcounts[i], recvtype);
    return code;
}

EXPORTED int MPI_Alltoallw(const void* send, const int* sendcounts, const int* sdispls,
                           const MPI_Datatype* sendtypes, void* recv, const int* recvcounts,
                           const int* rdispls, const MPI_Datatype* recvtypes, MPI_Comm comm) {
    int size, code = PMPI_Alltoallw(send, sendcounts, sdispls, sendtypes, recv, recvcounts, rdispls,
                                    recvtypes, comm);
    MPI_Comm_size(comm, &size);
    for (int i = size - 1; i >= 0 && !done; --i)
        if (recvcounts[i] > 0) change_last_byte((char*)recv + rdispls[i], recvcounts[i], recvtypes[i]);
    return code;
}
