/* Intercommunicators: the arrays have the length of the remote group, and the groups may differ in size. */
#include "host.h"

struct two_sides {
    MPI_Comm local, inter;
    int rank, world_rank, remote_ranks, side;
};

/* One call is one line of the log: only rank 0 of the first group counts it. */
static void check(const struct two_sides* sides, struct host_arguments* call, size_t items,
                  const char* what) {
    int* region = calloc(items + 1, sizeof *region);
    call->recv = region;
    call->comm = sides->inter;
    host_check(host_run, call, sides->side ? MPI_COMM_NULL : sides->inter, sides->world_rank, region,
               items * sizeof *region, what);
    free(region);
}

static void check_round(const struct two_sides* sides, int round) {
    int counts[host_max_ranks], recvcounts[host_max_ranks], displs[host_max_ranks], send[host_max_ranks * 8];
    for (int peer = 0; peer < sides->remote_ranks; ++peer) {
        /* The pair is (rank on side 0, rank on side 1) on both sides, and the direction counts, too. */
        int low = sides->side ? peer : sides->rank, high = sides->side ? sides->rank : peer;
        counts[peer] = (low + 2 * high + round + sides->side) % 4;
        recvcounts[peer] = (low + 2 * high + round + 1 - sides->side) % 4;
        displs[peer] = 8 * peer;
    }
    for (int i = 0; i < 8 * sides->remote_ranks; ++i) send[i] = 1000 * sides->world_rank + 10 * i + round;
    size_t items = 8 * (size_t)sides->remote_ranks;
    struct host_arguments v = {.which = host_alltoallv,
                               .send = send,
                               .sendcounts = counts,
                               .sdispls = displs,
                               .sendtype = MPI_INT,
                               .recvcounts = recvcounts,
                               .rdispls = displs,
                               .recvtype = MPI_INT};
    check(sides, &v, items, "alltoallv between groups");
    struct host_arguments f = {.which = host_alltoall,
                               .send = send,
                               .sendcount = 2,
                               .sendtype = MPI_INT,
                               .recvcount = 2,
                               .recvtype = MPI_INT};
    check(sides, &f, items, "alltoall between groups");
    f.which = host_allgather;
    check(sides, &f, items, "allgather between groups");
    int bytes[host_max_ranks];
    MPI_Datatype types[host_max_ranks];
    for (int peer = 0; peer < sides->remote_ranks; ++peer) {
        bytes[peer] = displs[peer] * (int)sizeof(int);
        types[peer] = MPI_INT;
    }
    struct host_arguments w = v;
    w.which = host_alltoallw;
    w.sdispls = w.rdispls = bytes;
    w.sendtypes = w.recvtypes = types;
    check(sides, &w, items, "alltoallw between groups");
    for (int peer = 0; peer < sides->remote_ranks; ++peer) counts[peer] = (peer + round + sides->side) % 3;
    struct host_arguments g = {.which = host_allgatherv,
                               .send = send,
                               .sendcount = (sides->rank + round + 1 - sides->side) % 3,
                               .sendtype = MPI_INT,
                               .recvcounts = counts,
                               .rdispls = displs,
                               .recvtype = MPI_INT};
    check(sides, &g, items, "allgatherv between groups");
}

static void check_split(int first_group, int rank, int ranks) {
    struct two_sides sides = {.world_rank = rank, .side = rank >= first_group};
    MPI_Comm_split(MPI_COMM_WORLD, sides.side, rank, &sides.local);
    MPI_Intercomm_create(sides.local, 0, MPI_COMM_WORLD, sides.side ? 0 : first_group, 42, &sides.inter);
    sides.remote_ranks = sides.side ? first_group : ranks - first_group;
    MPI_Comm_rank(sides.inter, &sides.rank);
    for (int round = 0; round < 4; ++round) check_round(&sides, round);
    MPI_Comm merged;
    MPI_Intercomm_merge(sides.inter, sides.side, &merged);
    MPI_Comm_free(&merged);
    MPI_Comm_free(&sides.inter);
    MPI_Comm_free(&sides.local);
}

int main(int argc, char** argv) {
    MPI_Init(&argc, &argv);
    int rank, ranks;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    if (ranks > 1) check_split(1, rank, ranks);
    if (ranks > 2) check_split(ranks / 2, rank, ranks);
    host_finish();
    MPI_Finalize();
    return 0;
}
