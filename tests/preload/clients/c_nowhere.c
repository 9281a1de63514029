/* Buffers that are nowhere. First argument:
 * errors CASES  null buffers of blocks with bytes, and MPI_IN_PLACE on the wrong side, which MPI may refuse: prints the class of
 *               each error
 * legal         null buffers of no bytes, on one rank or on all; MPI_BOTTOM with absolute addresses */
#include "client.h"

enum { items = 2, most = items * client_max_ranks };

static int send[most], recv[most], counts[client_max_ranks], none[client_max_ranks], displs[client_max_ranks],
    bytes[client_max_ranks];
static MPI_Datatype types[client_max_ranks];
static MPI_Comm comm;
static int rank, ranks;

static int erroneous_call(int which) {
    switch (which) {
    case 0: return MPI_Alltoall(send, items, MPI_INT, MPI_IN_PLACE, items, MPI_INT, comm);
    case 1: return MPI_Alltoall(NULL, items, MPI_INT, recv, items, MPI_INT, comm);
    case 2: return MPI_Alltoall(send, items, MPI_INT, NULL, items, MPI_INT, comm);
    case 3: return MPI_Alltoall(MPI_IN_PLACE, items, MPI_INT, NULL, items, MPI_INT, comm);
    case 4: return MPI_Alltoallv(NULL, counts, displs, MPI_INT, recv, counts, displs, MPI_INT, comm);
    case 5: return MPI_Alltoallv(send, counts, displs, MPI_INT, NULL, counts, displs, MPI_INT, comm);
    case 6: return MPI_Alltoallv(MPI_IN_PLACE, counts, displs, MPI_INT, NULL, counts, displs, MPI_INT, comm);
    case 7: return MPI_Alltoallw(NULL, counts, bytes, types, recv, counts, bytes, types, comm);
    case 8: return MPI_Alltoallw(send, counts, bytes, types, NULL, counts, bytes, types, comm);
    case 9: return MPI_Allgather(NULL, items, MPI_INT, recv, items, MPI_INT, comm);
    case 10: return MPI_Allgather(send, items, MPI_INT, NULL, items, MPI_INT, comm);
    case 11: return MPI_Allgather(send, items, MPI_INT, MPI_IN_PLACE, items, MPI_INT, comm);
    case 12: return MPI_Allgatherv(NULL, items, MPI_INT, recv, counts, displs, MPI_INT, comm);
    case 13: return MPI_Allgatherv(send, items, MPI_INT, NULL, counts, displs, MPI_INT, comm);
    default: return MPI_Allgatherv(send, items, MPI_INT, MPI_IN_PLACE, counts, displs, MPI_INT, comm);
    }
}

/* Every call of each collective before goes well, so that the calls after it are alike. */
static void call_well(void) {
    for (int i = 0; i < 3; ++i) {
        MPI_Alltoall(send, items, MPI_INT, recv, items, MPI_INT, comm);
        MPI_Alltoallv(send, counts, displs, MPI_INT, recv, counts, displs, MPI_INT, comm);
        MPI_Alltoallw(send, counts, bytes, types, recv, counts, bytes, types, comm);
        MPI_Allgather(send, items, MPI_INT, recv, items, MPI_INT, comm);
        MPI_Allgatherv(send, items, MPI_INT, recv, counts, displs, MPI_INT, comm);
        for (int k = 0; k < 5; ++k) client_count(comm);
    }
}

static void print_errors(int count, char** cases) {
    MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    for (int i = 0; i < count; ++i) {
        int class = -1;
        call_well();
        MPI_Error_class(erroneous_call(atoi(cases[i])), &class);
        if (rank == 0) printf("case %s: class %d\n", cases[i], class);
        if (class == MPI_SUCCESS) client_fail("no error");
    }
}

static void expect(const char* what, int from) {
    for (int peer = 0; peer < ranks; ++peer)
        for (int i = 0; i < items; ++i) {
            const int wanted = peer == from || from < 0 ? 1000 * peer + 10 * rank + i : -1;
            if (recv[peer * items + i] != wanted)
                client_fail("%s: rank %d got %d from %d", what, rank, recv[peer * items + i], peer);
        }
}

static void alltoallv_from(int source) {
    memset(recv, -1, sizeof recv);
    int received[client_max_ranks] = {0};
    received[source] = items;
    const int sends = rank == source;
    MPI_Alltoallv(sends ? send : NULL, sends ? counts : none, displs, MPI_INT, recv, received, displs,
                  MPI_INT, comm);
    client_count(comm);
    expect("one rank sends", source);
}

static void alltoallv_to(int destination) {
    memset(recv, -1, sizeof recv);
    int sent[client_max_ranks] = {0};
    sent[destination] = items;
    const int receives = rank == destination;
    MPI_Alltoallv(send, sent, displs, MPI_INT, receives ? recv : NULL, receives ? counts : none, displs,
                  MPI_INT, comm);
    client_count(comm);
    if (receives) expect("one rank receives", -1);
}

static void all_empty(void) {
    int other[client_max_ranks] = {0}; /* one array for both sides is an alias, to some MPIs */
    MPI_Alltoall(NULL, 0, MPI_INT, NULL, 0, MPI_INT, comm);
    MPI_Alltoallv(NULL, none, displs, MPI_INT, NULL, other, displs, MPI_INT, comm);
    MPI_Allgather(NULL, 0, MPI_INT, NULL, 0, MPI_INT, comm);
    MPI_Allgatherv(NULL, 0, MPI_INT, NULL, none, displs, MPI_INT, comm);
    for (int k = 0; k < 4; ++k) client_count(comm);
}

static MPI_Datatype at_address(const void* place, int length) {
    MPI_Aint address;
    MPI_Datatype type;
    MPI_Get_address(place, &address);
    MPI_Type_create_hindexed(1, &length, &address, MPI_INT, &type);
    MPI_Type_commit(&type);
    return type;
}

static void absolute_addresses(int on_this_rank) {
    MPI_Datatype sent[client_max_ranks], received[client_max_ranks];
    int one[client_max_ranks], at_zero[client_max_ranks] = {0};
    memset(recv, -1, sizeof recv);
    for (int peer = 0; peer < ranks; ++peer) {
        one[peer] = 1;
        sent[peer] = at_address(send + peer * items, items);
        received[peer] = at_address(recv + peer * items, items);
    }
    if (on_this_rank)
        MPI_Alltoallw(MPI_BOTTOM, one, at_zero, sent, MPI_BOTTOM, one, at_zero, received, comm);
    else
        MPI_Alltoallw(send, counts, bytes, types, recv, counts, bytes, types, comm);
    client_count(comm);
    expect("absolute addresses", -1);
    for (int peer = 0; peer < ranks; ++peer) {
        MPI_Type_free(&sent[peer]);
        MPI_Type_free(&received[peer]);
    }
}

static void call_legally(void) {
    for (int round = 0; round < 3; ++round) {
        call_well();
        for (int peer = 0; peer < ranks; ++peer) {
            alltoallv_from(peer);
            alltoallv_to(peer);
            absolute_addresses(rank == peer);
        }
        all_empty();
    }
}

int main(int count, char** words) {
    MPI_Init(&count, &words);
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &ranks);
    for (int peer = 0; peer < ranks; ++peer) {
        counts[peer] = items;
        displs[peer] = peer * items;
        bytes[peer] = displs[peer] * (int)sizeof(int);
        types[peer] = MPI_INT;
        for (int i = 0; i < items; ++i) send[peer * items + i] = 1000 * rank + 10 * peer + i;
    }
    if (count > 1 && strcmp(words[1], "errors") == 0)
        print_errors(count - 2, words + 2);
    else
        call_legally();
    client_finish();
    MPI_Finalize();
    return 0;
}
