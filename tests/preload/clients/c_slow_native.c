/* A preloaded library that makes the MPI's own collectives slow: whatever else is tried is faster. */
#include <mpi.h>
#include <unistd.h>

#define EXPORTED __attribute__((visibility("default")))

enum { delay_us = 100000 };

EXPORTED int MPI_Alltoallv(const void* send, const int* sendcounts, const int* sdispls, MPI_Datatype sendtype,
                           void* recv, const int* recvcounts, const int* rdispls, MPI_Datatype recvtype,
                           MPI_Comm comm) {
    usleep(delay_us);
    return PMPI_Alltoallv(send, sendcounts, sdispls, sendtype, recv, recvcounts, rdispls, recvtype, comm);
}

EXPORTED int MPI_Allgather(const void* send, int sendcount, MPI_Datatype sendtype, void* recv, int recvcount,
                           MPI_Datatype recvtype, MPI_Comm comm) {
    usleep(delay_us);
    return PMPI_Allgather(send, sendcount, sendtype, recv, recvcount, recvtype, comm);
}

EXPORTED int MPI_Allgatherv(const void* send, int sendcount, MPI_Datatype sendtype, void* recv,
                            const int* recvcounts, const int* rdispls, MPI_Datatype recvtype, MPI_Comm comm) {
    usleep(delay_us);
    return PMPI_Allgatherv(send, sendcount, sendtype, recv, recvcounts, rdispls, recvtype, comm);
}
