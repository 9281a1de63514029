/* Calls of all five collectives on one communicator, of one group or of two, each compared with its PMPI_
 * twin as client_check does. */
#ifndef SWITCHYARD_TESTS_PRELOAD_GROUPS_H
#define SWITCHYARD_TESTS_PRELOAD_GROUPS_H

#include "client.h"

enum { group_spacing = 8, group_calls = 5 };

struct group_calls {
    MPI_Comm comm;
    int world_rank;
    int counts_calls; /* this rank, for its job */
    int self, peers;  /* its number in both groups together, and the ranks that it sends to */
    int first_peer;   /* their first number */
};

/* Numbers of ranks of the second group begin here. */
enum { group_second = client_max_ranks };

static struct group_calls calls_on(MPI_Comm comm, int world_rank, int counts_calls) {
    struct group_calls calls = {.comm = comm, .world_rank = world_rank, .counts_calls = counts_calls};
    MPI_Comm_rank(comm, &calls.self);
    MPI_Comm_size(comm, &calls.peers);
    return calls;
}

/* `side`: 0 or 1, other ones in the other group. */
static struct group_calls calls_between(MPI_Comm inter, int side, int world_rank, int counts_calls) {
    struct group_calls calls = calls_on(inter, world_rank, counts_calls);
    MPI_Comm_remote_size(inter, &calls.peers);
    if (side)
        calls.self += group_second;
    else
        calls.first_peer = group_second;
    return calls;
}

static int group_items(int source, int destination, int round) {
    return (source + 2 * destination + round) % 4;
}

static void group_check(const struct group_calls* calls, struct client_arguments* call, const char* what) {
    size_t items = group_spacing * (size_t)calls->peers;
    int* region = malloc(items * sizeof *region);
    for (size_t i = 0; i < items; ++i) region[i] = -7; /* also between the blocks */
    call->recv = region;
    call->comm = calls->comm;
    client_check(client_run, call, calls->counts_calls ? MPI_COMM_SELF : MPI_COMM_NULL, calls->world_rank,
                 region, items * sizeof *region, what);
    free(region);
}

/* One call of each collective. */
static void check_all_five(const struct group_calls* calls, int round) {
    int counts[client_max_ranks], recvcounts[client_max_ranks], displs[client_max_ranks],
        bytes[client_max_ranks], send[client_max_ranks * group_spacing];
    MPI_Datatype types[client_max_ranks];
    for (int i = 0; i < calls->peers; ++i) {
        int peer = calls->first_peer + i;
        counts[i] = group_items(calls->self, peer, round);
        recvcounts[i] = group_items(peer, calls->self, round);
        displs[i] = group_spacing * i;
        bytes[i] = displs[i] * (int)sizeof(int);
        types[i] = MPI_INT;
    }
    for (int i = 0; i < group_spacing * calls->peers; ++i) send[i] = 1000 * calls->self + 10 * i + round;
    struct client_arguments v = {.which = client_alltoallv,
                                 .send = send,
                                 .sendcounts = counts,
                                 .sdispls = displs,
                                 .sendtype = MPI_INT,
                                 .recvcounts = recvcounts,
                                 .rdispls = displs,
                                 .recvtype = MPI_INT};
    group_check(calls, &v, "alltoallv");
    struct client_arguments w = v;
    w.which = client_alltoallw;
    w.sdispls = w.rdispls = bytes;
    w.sendtypes = w.recvtypes = types;
    group_check(calls, &w, "alltoallw");
    struct client_arguments f = {.which = client_alltoall,
                                 .send = send,
                                 .sendcount = 2,
                                 .sendtype = MPI_INT,
                                 .recvcount = 2,
                                 .recvtype = MPI_INT};
    group_check(calls, &f, "alltoall");
    f.which = client_allgather;
    group_check(calls, &f, "allgather");
    for (int i = 0; i < calls->peers; ++i) recvcounts[i] = (calls->first_peer + i + round) % 3;
    struct client_arguments g = {.which = client_allgatherv,
                                 .send = send,
                                 .sendcount = (calls->self + round) % 3,
                                 .sendtype = MPI_INT,
                                 .recvcounts = recvcounts,
                                 .rdispls = displs,
                                 .recvtype = MPI_INT};
    group_check(calls, &g, "allgatherv");
}

#endif
