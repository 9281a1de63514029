/* Functions of MPI-4 by weak references and by name, as in binaries for many MPIs: the program calls what it finds. Where its
 * MPI lacks them, switchyard must not make it find them. Argument: a library to open, c_counted_later. Prints the calls that were
 * made, as c_counted does. */
#include "client.h"

#include <dlfcn.h>

extern int MPI_Allreduce_c(const void*, void*, MPI_Count, MPI_Datatype, MPI_Op, MPI_Comm)
    __attribute__((weak));
extern int MPI_Barrier_init(MPI_Comm, MPI_Info, MPI_Request*) __attribute__((weak));

static void must(const char* what, int code) {
    if (code != MPI_SUCCESS) client_fail("%s: error %d", what, code);
}

int main(int count, char** words) {
    MPI_Init(&count, &words);
    int rank, ranks;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    int found[] = {
        MPI_Allreduce_c != NULL, MPI_Barrier_init != NULL, dlsym(RTLD_DEFAULT, "MPI_Ialltoall_c") != NULL,
        dlsym(RTLD_DEFAULT, "MPI_Allgather_init") != NULL, dlsym(RTLD_DEFAULT, "PMPI_Reduce_c") != NULL};
    int sum = -1;
    if (MPI_Allreduce_c) must("allreduce", MPI_Allreduce_c(&rank, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD));
    /* Starts of a request that is no collective, and of one whose handle may be that of a freed one, do not count. */
    MPI_Request requests[2];
    MPI_Status statuses[2];
    for (int round = 0; round < 3; ++round) {
        if (MPI_Barrier_init) {
            must("barrier", MPI_Barrier_init(MPI_COMM_WORLD, MPI_INFO_NULL, &requests[0]));
            must("start", MPI_Start(&requests[0]));
            must("wait", MPI_Wait(&requests[0], MPI_STATUS_IGNORE));
            must("free", MPI_Request_free(&requests[0]));
        }
        int sent = rank, received = -1;
        must("send", MPI_Send_init(&sent, 1, MPI_INT, rank, 0, MPI_COMM_WORLD, &requests[0]));
        must("recv", MPI_Recv_init(&received, 1, MPI_INT, rank, 0, MPI_COMM_WORLD, &requests[1]));
        must("startall", MPI_Startall(2, requests));
        must("waitall", MPI_Waitall(2, requests, statuses));
        must("start", MPI_Start(&requests[1]));
        must("start", MPI_Start(&requests[0]));
        must("waitall", MPI_Waitall(2, requests, statuses));
        if (received != rank) client_fail("received %d, not %d", received, rank);
        for (int i = 0; i < 2; ++i) must("free", MPI_Request_free(&requests[i]));
    }
    int later = 0;
    if (count > 1) {
        void* library = dlopen(words[1], RTLD_NOW | RTLD_LOCAL);
        int (*counted_later)(MPI_Comm) = NULL;
        if (library) *(void**)&counted_later = dlsym(library, "counted_later");
        if (!counted_later) client_fail("%s", dlerror());
        later = counted_later(MPI_COMM_WORLD);
    }
    client_digest_add("found", rank, found, sizeof found);
    client_digest_add("sum", rank, &sum, sizeof sum);
    if (rank == 0) {
        if (count > 1) printf("seen barrier calls=%d bytes=0\n", ranks);
        const int sums = (MPI_Allreduce_c != NULL) + later;
        if (sums) printf("seen allreduce calls=%d bytes=%d\n", sums * ranks, 4 * sums * ranks);
        if (MPI_Barrier_init)
            printf("seen barrier_init calls=%d bytes=0\nseen barrier_start calls=%d bytes=0\n", 3 * ranks,
                   3 * ranks);
    }
    client_finish();
    MPI_Finalize();
    return 0;
}
