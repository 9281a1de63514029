/* A tool that takes MPI_Alltoallv and passes it on as the next MPI_Alltoallv, whoever that is. As a preloaded library, and linked
 * into c_linked_tool. */
#include <dlfcn.h>
#include <mpi.h>
#include <stddef.h>

__attribute__((visibility("default"))) int
MPI_Alltoallv(const void* send, const int* sendcounts, const int* sdispls, MPI_Datatype sendtype, void* recv,
              const int* recvcounts, const int* rdispls, MPI_Datatype recvtype, MPI_Comm comm) {
    static int (*next)(const void*, const int*, const int*, MPI_Datatype, void*, const int*, const int*,
                       MPI_Datatype, MPI_Comm) = NULL;
    if (next == NULL) *(void**)&next = dlsym(RTLD_NEXT, "MPI_Alltoallv");
    return next(send, sendcounts, sdispls, sendtype, recv, recvcounts, rdispls, recvtype, comm);
}
