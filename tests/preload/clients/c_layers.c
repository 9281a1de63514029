/* Closes a library that made a call, and opens another library at its addresses: c_layers LIBRARY OTHER. */
#include "client.h"

#include <dlfcn.h>

static void* call_in(const char* path, int rank, int ranks) {
    void* library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (!library) client_fail("%s", dlerror());
    int (*alltoall)(const void*, void*, MPI_Comm);
    *(void**)&alltoall = dlsym(library, "layer_alltoall");
    void* const address = *(void**)&alltoall;
    int send[client_max_ranks], recv[client_max_ranks];
    for (int peer = 0; peer < ranks; ++peer) send[peer] = 100 * rank + peer;
    alltoall(send, recv, MPI_COMM_WORLD);
    for (int peer = 0; peer < ranks; ++peer)
        if (recv[peer] != 100 * peer + rank) client_fail("wrong data from %d", peer);
    dlclose(library);
    return address;
}

int main(int count, char** words) {
    int rank, ranks, again = 0;
    MPI_Init(&count, &words);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    void* const first = call_in(words[1], rank, ranks);
    const int same = call_in(words[2], rank, ranks) == first;
    PMPI_Allreduce(&same, &again, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
    if (rank == 0) printf("same_addresses=%d\n", again);
    client_finish();
    MPI_Finalize();
    return 0;
}
