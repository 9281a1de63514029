/* Communicators made, used and freed in a loop: memory must not grow, communicator ids must not run out.
 * Arguments: [loops, default 200] [communicators that must still be available afterwards, default 100]. */
#include "client.h"

#include <unistd.h>

enum { max_held = 1000 };

static long resident_kb(void) {
    long pages = 0, resident = 0;
    FILE* file = fopen("/proc/self/statm", "r");
    if (!file || fscanf(file, "%ld %ld", &pages, &resident) != 2) resident = 0;
    if (file) fclose(file);
    return resident * (sysconf(_SC_PAGESIZE) / 1024);
}

/* Only the MPI_ names here: an oracle call would hide nothing, but it would double the communicators' own
 * state. */
static void use(MPI_Comm comm) {
    int rank, ranks, world_rank, send[client_max_ranks], recv[client_max_ranks], counts[client_max_ranks],
        displs[client_max_ranks];
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &ranks);
    MPI_Comm_rank(MPI_COMM_WORLD, &world_rank);
    for (int peer = 0; peer < ranks; ++peer) {
        send[peer] = 1000 * rank + peer;
        counts[peer] = 1;
        displs[peer] = peer;
    }
    MPI_Alltoallv(send, counts, displs, MPI_INT, recv, counts, displs, MPI_INT, comm);
    client_count(comm);
    for (int peer = 0; peer < ranks; ++peer)
        if (recv[peer] != 1000 * peer + rank)
            client_fail("rank %d got %d from %d", world_rank, recv[peer], peer);
    client_digest_add("comms", world_rank, recv, sizeof(int) * (size_t)ranks);
    MPI_Allgather(&rank, 1, MPI_INT, recv, 1, MPI_INT, comm);
    client_count(comm);
    client_digest_add("comms", world_rank, recv, sizeof(int) * (size_t)ranks);
}

static void one_loop(int loop, int world_rank) {
    MPI_Comm comm;
    if (loop % 2)
        MPI_Comm_split(MPI_COMM_WORLD, world_rank % (1 + loop % 3), world_rank, &comm);
    else
        MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    use(comm);
    MPI_Comm_free(&comm);
}

static void hold_many(int count) {
    static MPI_Comm held[max_held];
    if (count > max_held) count = max_held;
    for (int i = 0; i < count; ++i)
        if (MPI_Comm_dup(MPI_COMM_WORLD, &held[i]) != MPI_SUCCESS)
            client_fail("communicator %d could not be made: ids have leaked", i);
    for (int i = 0; i < count; ++i) MPI_Comm_free(&held[i]);
}

int main(int argc, char** argv) {
    MPI_Init(&argc, &argv);
    int loops = argc > 1 ? atoi(argv[1]) : 200, held = argc > 2 ? atoi(argv[2]) : 100, world_rank;
    MPI_Comm_rank(MPI_COMM_WORLD, &world_rank);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    int warm_up = loops / 4;
    long before = 0;
    for (int loop = 0; loop < loops; ++loop) {
        if (loop == warm_up) before = resident_kb();
        one_loop(loop, world_rank);
    }
    long growth = resident_kb() - before, largest = 0;
    PMPI_Reduce(&growth, &largest, 1, MPI_LONG, MPI_MAX, 0, MPI_COMM_WORLD);
    if (world_rank == 0) printf("rss_growth_kb=%ld\n", largest);
    hold_many(held);
    client_finish();
    MPI_Finalize();
    return 0;
}
