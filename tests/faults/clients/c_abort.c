/* A run that does not end as it should. Arguments: MODE [CALLS]. After CALLS calls the last rank leaves in
 * the way MODE says, while the others sit in their next call: abort, exit, _exit, segv, fatal (an MPI error
 * under the default handler), kill. Mode `leave` has every rank return from main without MPI_Finalize. */
#include "client.h"

#include <signal.h>
#include <unistd.h>

static void exchange_once(int rank, int ranks, int round) {
    int send[client_max_ranks] = {0}, recv[client_max_ranks] = {0}, counts[client_max_ranks] = {0},
        displs[client_max_ranks] = {0};
    for (int peer = 0; peer < ranks; ++peer) {
        send[peer] = 100 * rank + peer + round;
        counts[peer] = 1;
        displs[peer] = peer;
    }
    MPI_Alltoallv(send, counts, displs, MPI_INT, recv, counts, displs, MPI_INT, MPI_COMM_WORLD);
    for (int peer = 0; peer < ranks; ++peer)
        if (recv[peer] != 100 * peer + rank + round)
            client_fail("rank %d got %d from %d", rank, recv[peer], peer);
}

static void end(const char* mode, int ranks) {
    if (strcmp(mode, "abort") == 0) MPI_Abort(MPI_COMM_WORLD, 7);
    if (strcmp(mode, "exit") == 0) exit(7);
    if (strcmp(mode, "_exit") == 0) _exit(7);
    if (strcmp(mode, "segv") == 0) raise(SIGSEGV);
    if (strcmp(mode, "fatal") == 0) MPI_Send(&ranks, 1, MPI_INT, ranks + 5, 0, MPI_COMM_WORLD);
    if (strcmp(mode, "kill") == 0) raise(SIGKILL);
    fprintf(stderr, "unknown mode %s\n", mode);
    exit(99);
}

int main(int argc, char** argv) {
    MPI_Init(&argc, &argv);
    const char* mode = argc > 1 ? argv[1] : "abort";
    int calls = argc > 2 ? atoi(argv[2]) : 20, rank, ranks;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    for (int round = 0; round < calls; ++round) exchange_once(rank, ranks, round);
    if (rank == 0) {
        printf("made calls=%d\n", calls);
        fflush(stdout);
    }
    /* The line above must be out, and every rank past its calls, before anything is torn down. */
    PMPI_Barrier(MPI_COMM_WORLD);
    usleep(200000);
    if (strcmp(mode, "leave") == 0) return 0;
    if (rank == ranks - 1) end(mode, ranks);
    exchange_once(rank, ranks, calls);
    MPI_Finalize();
    return 0;
}
