/* Wrong arguments: the error class, and how often the application's own handler runs, are those of the bare
 * library. All ranks make the same mistake, as an error that one rank alone makes leaves the others waiting
 * in any MPI. */
#include "client.h"

static int handler_runs;
static int erroneous;

static void count_error(MPI_Comm* comm, int* code, ...) {
    (void)comm, (void)code;
    ++handler_runs;
}

static int sends_to_everybody(const struct client_arguments* call) {
    return call->which == client_allgather || call->which == client_allgatherv;
}

/* One type for all blocks; alltoallw has it in an array. */
static void take_types(struct client_arguments* call, MPI_Datatype sendtype, MPI_Datatype recvtype) {
    static MPI_Datatype sendtypes[client_max_ranks], recvtypes[client_max_ranks];
    for (int peer = 0; peer < client_max_ranks; ++peer) {
        sendtypes[peer] = sendtype;
        recvtypes[peer] = recvtype;
    }
    call->sendtype = sendtype;
    call->recvtype = recvtype;
    call->sendtypes = sendtypes;
    call->recvtypes = recvtypes;
}

static int class_of(int code) {
    int class = MPI_SUCCESS;
    MPI_Error_class(code, &class);
    return class;
}

/* Open MPI and MPICH report MPI_COMM_NULL to the handler of MPI_COMM_WORLD, so that one is set, too. */
static void check_answer(const struct client_arguments* call, const char* what, int own_handler) {
    handler_runs = 0;
    int bare = client_run(call, 1), bare_runs = handler_runs;
    handler_runs = 0;
    int code = client_run(call, 0), runs = handler_runs;
    ++erroneous;
    if (class_of(code) != class_of(bare))
        client_fail("%s: error class %d, bare %d", what, class_of(code), class_of(bare));
    if (own_handler && runs != bare_runs)
        client_fail("%s: the handler ran %d times, bare %d", what, runs, bare_runs);
}

static void check_mistake(const struct client_arguments* call, const char* what, int own_handler) {
    check_answer(call, what, own_handler);
    if (class_of(client_run(call, 1)) == MPI_SUCCESS) client_fail("%s: no error at all", what);
}

/* One buffer for both sides: MPICH refuses it, Open MPI takes it. */
static void check_aliases(struct client_arguments call, int own_handler) {
    int rank;
    MPI_Comm_rank(call.comm, &rank);
    call.recvtypes = call.sendtypes;
    call.send = sends_to_everybody(&call) ? (int*)call.recv + rank * call.recvcount : call.recv;
    check_answer(&call, "one buffer for both sides", own_handler);
}

/* Types that are not committed, of plain bytes and with a gap, on either side. MPICH refuses them all, Open MPI some. */
static void check_uncommitted(struct client_arguments call, int own_handler) {
    MPI_Datatype types[2];
    MPI_Type_contiguous(1, MPI_INT, &types[0]);
    MPI_Type_create_resized(MPI_INT, 0, 8, &types[1]);
    static int send[2 * client_max_ranks], recv[2 * client_max_ranks];
    call.send = send;
    call.recv = recv;
    for (int i = 0; i < 2; ++i) {
        take_types(&call, MPI_INT, types[i]);
        check_answer(&call, "receive type not committed", own_handler);
        take_types(&call, types[i], MPI_INT);
        check_answer(&call, "send type not committed", own_handler);
        take_types(&call, MPI_INT, MPI_INT);
        MPI_Type_free(&types[i]);
    }
}

static void check_mistakes(MPI_Comm comm, int ranks, int own_handler) {
    static int send[client_max_ranks], recv[client_max_ranks], counts[client_max_ranks],
        displs[client_max_ranks], bytes[client_max_ranks], negative[client_max_ranks];
    char library[MPI_MAX_LIBRARY_VERSION_STRING];
    int length;
    MPI_Get_library_version(library, &length);
    for (int peer = 0; peer < ranks; ++peer) {
        counts[peer] = 1;
        negative[peer] = peer == ranks - 1 ? -1 : 1;
        displs[peer] = peer;
        bytes[peer] = ranks > 1 ? peer * (int)sizeof(int) : 0;
    }
    const struct client_arguments right = {.which = client_alltoallv,
                                           .send = send,
                                           .sendcounts = counts,
                                           .sdispls = displs,
                                           .sendcount = 1,
                                           .sendtype = MPI_INT,
                                           .recv = recv,
                                           .recvcounts = counts,
                                           .rdispls = displs,
                                           .recvcount = 1,
                                           .recvtype = MPI_INT,
                                           .comm = comm};
    for (int which = client_alltoallv; which <= client_alltoallw; ++which) {
        /* Open MPI 4.1's Allgather and Allgatherv look into their handles before they check them, and crash on the
         * null ones. */
        struct client_arguments call = right;
        call.which = (enum client_collective)which;
        int check_nulls = !sends_to_everybody(&call) || !strstr(library, "Open MPI");
        if (which == client_alltoallw) call.sdispls = call.rdispls = bytes;
        take_types(&call, MPI_INT, MPI_INT);
        call.comm = MPI_COMM_NULL;
        if (check_nulls) check_mistake(&call, "null communicator", own_handler);
        call.comm = comm;
        take_types(&call, MPI_INT, MPI_DATATYPE_NULL);
        if (check_nulls) check_mistake(&call, "null datatype", own_handler);
        take_types(&call, MPI_INT, MPI_INT);
        call.sendcounts = negative;
        call.sendcount = -1;
        check_mistake(&call, "negative send count", own_handler);
        call.sendcounts = counts;
        call.sendcount = 1;
        /* Open MPI 4.1's Allgatherv crashes on it. */
        if (which == client_alltoallv || which == client_alltoallw ||
            (which == client_allgatherv && check_nulls)) {
            call.recvcounts = negative;
            check_mistake(&call, "negative receive count", own_handler);
            call.recvcounts = counts;
        }
        check_uncommitted(call, own_handler);
        check_aliases(call, own_handler);
    }
}

static void check_right(MPI_Comm comm, int rank, int ranks) {
    int send[client_max_ranks], recv[client_max_ranks] = {0};
    for (int peer = 0; peer < ranks; ++peer) send[peer] = 100 * rank + peer;
    struct client_arguments call = {.which = client_alltoall,
                                    .send = send,
                                    .sendcount = 1,
                                    .sendtype = MPI_INT,
                                    .recv = recv,
                                    .recvcount = 1,
                                    .recvtype = MPI_INT,
                                    .comm = comm};
    client_check(client_run, &call, comm, rank, recv, sizeof(int) * (size_t)ranks, "after the mistakes");
}

int main(int argc, char** argv) {
    MPI_Init(&argc, &argv);
    int rank, ranks;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    MPI_Comm comm;
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    MPI_Errhandler handler;
    MPI_Comm_create_errhandler(count_error, &handler);
    check_right(comm, rank, ranks);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
    check_mistakes(comm, ranks, 0);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, handler);
    MPI_Comm_set_errhandler(comm, handler);
    check_mistakes(comm, ranks, 1);
    check_right(comm, rank, ranks);
    MPI_Errhandler_free(&handler);
    MPI_Comm_free(&comm);
    if (rank == 0) printf("erroneous=%d\n", erroneous);
    client_finish();
    MPI_Finalize();
    return 0;
}
