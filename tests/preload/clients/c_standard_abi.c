/* A program for the standard ABI of MPI-5, with nothing but one call. As a plug-in it is for c_plugin_loader. */
#include <stdio.h>
#include <string.h>

#include "shim/back_end/standard_abi/mpi.h"

int MPI_Init(int* count, char*** words);
int MPI_Alltoall(const void* send, int sendcount, MPI_Datatype sendtype, void* recv, int recvcount,
                 MPI_Datatype recvtype, MPI_Comm comm);

#ifdef AS_PLUGIN
__attribute__((visibility("default"))) int plugin_main(int count, char** words);
#define main plugin_main
#endif

int main(int count, char** words) {
    char received[4] = "";
    MPI_Init(&count, &words);
    if (MPI_Alltoall("abc", 4, MPI_BYTE, received, 4, MPI_BYTE, MPI_COMM_WORLD) != 0) return 1;
    if (strcmp(received, "abc") != 0) return 1;
    puts("ok calls=1");
    return 0;
}
