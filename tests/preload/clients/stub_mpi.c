/* A stand-in for an MPI, for one rank: what a program of c_standard_abi.c calls, and what the shim asks. It has the standard
 * ABI in the version that STUB_ABI_VERSION names, as Open MPI's and MPICH's have: with their own version string. Compiled
 * with UNKNOWN, it is an MPI of nobody's. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define EXPORT __attribute__((visibility("default")))

EXPORT int PMPI_Init(int* count, char*** words) {
    (void)count, (void)words;
    return 0;
}

#ifdef UNKNOWN
EXPORT int PMPI_Get_library_version(char* version, int* length) {
    *length = sprintf(version, "Nobody's MPI 7.5\na stand-in");
    return 0;
}
#else
EXPORT int PMPI_Get_library_version(char* version, int* length) {
    *length = sprintf(version, "Open MPI v6.0.0\na stand-in");
    return 0;
}

EXPORT int PMPI_Abi_get_version(int* major, int* minor) {
    const char* version = getenv("STUB_ABI_VERSION");
    *major = 1, *minor = 0;
    return version == NULL || sscanf(version, "%d.%d", major, minor) == 2 ? 0 : 16;
}
#endif

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
