/* What the standard allows and few programs do. First argument:
 * exit_handler   MPI is used and finalized from an exit handler that was registered before MPI_Init
 * spawn          calls on communicators shared with spawned processes, which have no shim in front of them
 * spawn_threads  the same in a program that may call with several threads
 * types          contiguous types of Fortran's and, with MPI-4, of large counts
 * truncate       one rank expects too little, of another rank: an error there, and only there
 * truncate_own   every rank expects too little of itself: an error, and nothing written beyond
 * longer_alltoall, longer_allgather, longer_allgatherv
 *                first one rank, then every rank sends longer blocks than it receives: an error there, and only there
 * unequal_neighbors
 *                neighbours expect more than comes, then less, then as much
 * many COUNT     so many calls of rank 0 alone; says how much memory MPI_Finalize took */
#include "client.h"

#include <sys/resource.h>

enum { block = 8, spacing = 32 };

static int one[client_max_ranks], all[client_max_ranks];

static void alltoall(MPI_Comm comm) {
    MPI_Alltoall(one, 1, MPI_INT, all, 1, MPI_INT, comm);
    client_count(comm);
}

static void finalize_late(void) {
    MPI_Comm half;
    int rank;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    alltoall(MPI_COMM_WORLD);
    MPI_Comm_split(MPI_COMM_WORLD, rank / 2, rank, &half);
    alltoall(half);
    MPI_Comm_free(&half);
    client_finish();
    MPI_Finalize();
}

static void spawn(char* program) {
    MPI_Comm parent, others, merged;
    MPI_Comm_get_parent(&parent);
    char* arguments[] = {(char*)"spawn", NULL};
    if (parent == MPI_COMM_NULL)
        MPI_Comm_spawn(program, arguments, 2, MPI_INFO_NULL, 0, MPI_COMM_WORLD, &others, MPI_ERRCODES_IGNORE);
    else
        others = parent;
    alltoall(others);
    MPI_Intercomm_merge(others, parent != MPI_COMM_NULL, &merged);
    MPI_Allgather(one, 1, MPI_INT, all, 1, MPI_INT, merged);
    client_count(merged);
    MPI_Comm half;
    int rank;
    MPI_Comm_rank(merged, &rank);
    MPI_Comm_split(merged, rank % 2, rank, &half); /* one of each kind, or more */
    alltoall(half);
    alltoall(MPI_COMM_WORLD);
    MPI_Comm_free(&half);
    MPI_Comm_free(&merged);
    MPI_Comm_disconnect(&others);
}

static void call_with(MPI_Datatype type, int ranks, int rank) {
    static double send[2 * client_max_ranks], recv[2 * client_max_ranks];
    int counts[client_max_ranks], displs[client_max_ranks];
    for (int peer = 0; peer < ranks; ++peer) {
        counts[peer] = 1;
        displs[peer] = peer;
        send[2 * peer] = send[2 * peer + 1] = 100 * rank + peer;
    }
    MPI_Type_commit(&type);
    MPI_Alltoallv(send, counts, displs, type, recv, counts, displs, type, MPI_COMM_WORLD);
    client_count(MPI_COMM_WORLD);
    for (int peer = 0; peer < ranks; ++peer)
        if (recv[2 * peer] != 100 * peer + rank || recv[2 * peer + 1] != 100 * peer + rank)
            client_fail("wrong data from %d", peer);
    MPI_Type_free(&type);
}

static void types(int ranks, int rank) {
    MPI_Datatype real, pair;
    MPI_Type_create_f90_real(15, MPI_UNDEFINED, &real);
    MPI_Type_contiguous(2, real, &pair);
    call_with(pair, ranks, rank);
#if MPI_VERSION >= 4
    MPI_Type_contiguous_c(2, MPI_DOUBLE, &pair);
    call_with(pair, ranks, rank);
    MPI_Datatype large;
    MPI_Type_contiguous_c(2, MPI_DOUBLE, &large);
    MPI_Type_dup(large, &pair);
    MPI_Type_free(&large);
    call_with(pair, ranks, rank);
#endif
}

static void truncate_call(int ranks, int rank, int own) {
    static int send[spacing * client_max_ranks], recv[spacing * client_max_ranks];
    int counts[client_max_ranks], expected[client_max_ranks], displs[client_max_ranks];
    for (int peer = 0; peer < ranks; ++peer) {
        counts[peer] = expected[peer] = block;
        displs[peer] = spacing * peer;
    }
    int wrong = own || rank == 1;
    if (wrong) expected[own ? rank : (rank + 1) % ranks] = block / 2;
    for (int i = 0; i < spacing * ranks; ++i) recv[i] = -1;
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    int code = MPI_Alltoallv(send, counts, displs, MPI_INT, recv, expected, displs, MPI_INT, MPI_COMM_WORLD);
    client_count(MPI_COMM_WORLD);
    int class = MPI_SUCCESS;
    MPI_Error_class(code, &class);
    if (wrong && class != MPI_ERR_TRUNCATE) client_fail("error class %d", class);
    if (!wrong && code != MPI_SUCCESS) client_fail("error class %d", class);
    if (own && recv[spacing * rank + block / 2] != -1) client_fail("written beyond its own block");
}

/* All blocks have one length, and a rank sends longer ones than it receives. Only that rank hears of it. */
static void send_longer(int ranks, int rank, enum client_collective which, int wrong) {
    static int send[2 * block * client_max_ranks], recv[spacing * client_max_ranks];
    int counts[client_max_ranks], places[client_max_ranks];
    const int sent = wrong ? 2 * block : block;
    for (int i = 0; i < ranks; ++i) counts[i] = block, places[i] = i * block;
    for (int i = 0; i < sent * ranks; ++i) send[i] = 1000 * rank + i;
    for (int i = 0; i < spacing * ranks; ++i) recv[i] = -1;
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    const struct client_arguments call = {.which = which,
                                          .send = send,
                                          .sendcount = sent,
                                          .sendtype = MPI_INT,
                                          .recv = recv,
                                          .recvcounts = counts,
                                          .rdispls = places,
                                          .recvcount = block,
                                          .recvtype = MPI_INT,
                                          .comm = MPI_COMM_WORLD};
    int code = client_run(&call, 0);
    client_count(MPI_COMM_WORLD);
    int class = MPI_SUCCESS;
    MPI_Error_class(code, &class);
    if (class != (wrong ? MPI_ERR_TRUNCATE : MPI_SUCCESS)) client_fail("error class %d", class);
    for (int i = block * ranks; i < spacing * ranks; ++i)
        if (recv[i] != -1) client_fail("written beyond the receive buffer");
    for (int i = 0; i < block * ranks; ++i)
        if (recv[i] / 1000 != i / block) client_fail("%d from rank %d", recv[i], i / block);
}

/* Each rank sends to the next one of a ring. A program that expects less hears of it; MPI forbids both. */
static void expect_another_size(int ranks, int rank) {
    enum { few = 25, many = 500 };
    static int send[many], recv[2 * many];
    const int sizes[][2] = {
        {few, many}, {many, many}, {many, few}, {few, few}, {many, many}}; /* sent, expected */
    const int next = (rank + 1) % ranks, last = (rank + ranks - 1) % ranks, weights[] = {1};
    MPI_Comm ring;
    MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 1, &last, weights, 1, &next, weights, MPI_INFO_NULL, 0,
                                   &ring);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN); /* MPICH 4.0's for a request */
    MPI_Comm_set_errhandler(ring, MPI_ERRORS_RETURN);
    for (size_t call = 0; call < sizeof sizes / sizeof *sizes; ++call) {
        const int sent = sizes[call][0], expected = sizes[call][1], place = 0;
        const int arriving = sent < expected ? sent : expected;
        for (int i = 0; i < many; ++i) send[i] = 1000 * rank + i;
        for (int i = 0; i < 2 * many; ++i) recv[i] = -1;
        const int code =
            MPI_Neighbor_alltoallv(send, &sent, &place, MPI_INT, recv, &expected, &place, MPI_INT, ring);
        client_count(ring);
        int class = MPI_SUCCESS;
        MPI_Error_class(code, &class);
        if (class != (sent > expected ? MPI_ERR_TRUNCATE : MPI_SUCCESS)) client_fail("error class %d", class);
        for (int i = 0; i < 2 * many; ++i)
            if (i >= expected && recv[i] != -1) client_fail("written beyond the receive buffer");
        for (int i = 0; i < arriving && sent <= expected; ++i)
            if (recv[i] != 1000 * last + i) client_fail("%d at %d", recv[i], i);
        MPI_Barrier(ring);
    }
    MPI_Comm_free(&ring);
}

static void call_alone(int count) {
    for (int i = 0; i < count; ++i) alltoall(MPI_COMM_SELF);
}

static long most_memory_kb(void) {
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    return usage.ru_maxrss;
}

static void finalize(int rank, const char* mode) {
    long before = most_memory_kb();
    MPI_Finalize();
    if (strcmp(mode, "many") == 0 && rank == 0) printf("finalize_kb=%ld\n", most_memory_kb() - before);
}

int main(int argc, char** argv) {
    const char* mode = argc > 1 ? argv[1] : "";
    if (strcmp(mode, "exit_handler") == 0) atexit(finalize_late);
    int rank, ranks, provided;
    const int has_threads = strcmp(mode, "spawn_threads") == 0;
    MPI_Init_thread(&argc, &argv, has_threads ? MPI_THREAD_MULTIPLE : MPI_THREAD_SINGLE, &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    if (strcmp(mode, "exit_handler") == 0) {
        alltoall(MPI_COMM_WORLD);
        return 0;
    }
    if (strcmp(mode, "spawn") == 0 || has_threads) spawn(argv[0]);
    if (strcmp(mode, "types") == 0) types(ranks, rank);
    if (strcmp(mode, "many") == 0 && rank == 0) call_alone(argc > 2 ? atoi(argv[2]) : 0);
    if (strcmp(mode, "truncate") == 0) truncate_call(ranks, rank, 0);
    if (strcmp(mode, "truncate_own") == 0) truncate_call(ranks, rank, 1);
    if (strcmp(mode, "unequal_neighbors") == 0) expect_another_size(ranks, rank);
    for (int turn = 0; turn < 2 && strncmp(mode, "longer_", 7) == 0; ++turn)
        send_longer(ranks, rank,
                    strcmp(mode, "longer_allgather") == 0    ? client_allgather
                    : strcmp(mode, "longer_allgatherv") == 0 ? client_allgatherv
                                                             : client_alltoall,
                    turn == 1 || rank == 1);
    client_finish();
    finalize(rank, mode);
    return 0;
}
