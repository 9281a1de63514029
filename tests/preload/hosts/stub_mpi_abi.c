/* A stand-in for an MPI with the standard ABI of MPI-5, for one rank: what a program of c_standard_abi.c calls. Like the
 * real ones it states the version of the MPI that it belongs to. */
#include <stdio.h>
#include <string.h>

#define EXPORT __attribute__((visibility("default")))

EXPORT int PMPI_Init(int* count, char*** words) {
    (void)count, (void)words;
    return 0;
}

EXPORT int PMPI_Get_library_version(char* version, int* length) {
    *length = sprintf(version, "Open MPI v6.0.0, a stand-in");
    return 0;
}

EXPORT int PMPI_Alltoall(const void* send, int sendcount, void* sendtype, void* recv, int recvcount,
                         void* recvtype, void* comm) {
    (void)sendtype, (void)recvcount, (void)recvtype, (void)comm;
    memcpy(recv, send, (size_t)sendcount);
    return 0;
}

EXPORT int MPI_Init(int*, char***) __attribute__((alias("PMPI_Init")));
EXPORT int MPI_Alltoall(const void*, int, void*, void*, int, void*, void*)
    __attribute__((alias("PMPI_Alltoall")));

/* Looked for where the MPI is searched. */
EXPORT int PMPI_Alltoallv(void) {
    return 16;
}
