/* A small profiling tool of the classic kind: a preloaded library that defines MPI_ names, counts, and goes
 * on to PMPI_. It counts as the client programs do, once per communicator, so its number is the number of lines a
 * complete log has. */
#include <mpi.h>
#include <stdatomic.h>
#include <stdio.h>

#define EXPORTED __attribute__((visibility("default")))

static atomic_llong calls[5];

static void count(int which, MPI_Comm comm) {
    int rank = 1;
    if (comm != MPI_COMM_NULL) PMPI_Comm_rank(comm, &rank);
    if (rank == 0) atomic_fetch_add(&calls[which], 1);
}

EXPORTED int MPI_Alltoallv(const void* send, const int* sendcounts, const int* sdispls, MPI_Datatype sendtype,
                           void* recv, const int* recvcounts, const int* rdispls, MPI_Datatype recvtype,
                           MPI_Comm comm) {
    count(0, comm);
    return PMPI_Alltoallv(send, sendcounts, sdispls, sendtype, recv, recvcounts, rdispls, recvtype, comm);
}

EXPORTED int MPI_Alltoall(const void* send, int sendcount, MPI_Datatype sendtype, void* recv, int recvcount,
                          MPI_Datatype recvtype, MPI_Comm comm) {
    count(1, comm);
    return PMPI_Alltoall(send, sendcount, sendtype, recv, recvcount, recvtype, comm);
}

EXPORTED int MPI_Allgather(const void* send, int sendcount, MPI_Datatype sendtype, void* recv, int recvcount,
                           MPI_Datatype recvtype, MPI_Comm comm) {
    count(2, comm);
    return PMPI_Allgather(send, sendcount, sendtype, recv, recvcount, recvtype, comm);
}

EXPORTED int MPI_Allgatherv(const void* send, int sendcount, MPI_Datatype sendtype, void* recv,
                            const int* recvcounts, const int* rdispls, MPI_Datatype recvtype, MPI_Comm comm) {
    count(3, comm);
    return PMPI_Allgatherv(send, sendcount, sendtype, recv, recvcounts, rdispls, recvtype, comm);
}

EXPORTED int MPI_Alltoallw(const void* send, const int* sendcounts, const int* sdispls,
                           const MPI_Datatype* sendtypes, void* recv, const int* recvcounts,
                           const int* rdispls, const MPI_Datatype* recvtypes, MPI_Comm comm) {
    count(4, comm);
    return PMPI_Alltoallw(send, sendcounts, sdispls, sendtypes, recv, recvcounts, rdispls, recvtypes, comm);
}

EXPORTED int MPI_Finalize(void) {
    long long mine[5], all[5] = {0};
    int rank;
    for (int i = 0; i < 5; ++i) mine[i] = atomic_load(&calls[i]);
    PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
    PMPI_Reduce(mine, all, 5, MPI_LONG_LONG, MPI_SUM, 0, MPI_COMM_WORLD);
    if (rank == 0)
        fprintf(stderr,
                "pmpi_tool: calls=%lld alltoallv=%lld alltoall=%lld allgather=%lld allgatherv=%lld "
                "alltoallw=%lld\n",
                all[0] + all[1] + all[2] + all[3] + all[4], all[0], all[1], all[2], all[3], all[4]);
    return PMPI_Finalize();
}
