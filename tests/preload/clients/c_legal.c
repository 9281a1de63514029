/* Legal programs of which a careless guest makes something else: c_legal MODE [NUMBER]. */
#include "client.h"

extern int MPI_Alltoall_c(const void*, MPI_Count, MPI_Datatype, void*, MPI_Count, MPI_Datatype, MPI_Comm)
    __attribute__((weak));

static int rank, ranks;

/* One call of each collective, all of them routed where something is forced. */
static void call_on(MPI_Comm comm) {
    int send[client_max_ranks], recv[client_max_ranks], ones[client_max_ranks], places[client_max_ranks],
        size = 0, own = 0;
    MPI_Comm_size(comm, &size);
    MPI_Comm_rank(comm, &own);
    for (int i = 0; i < size; ++i) {
        send[i] = 1000 * own + i;
        ones[i] = 1;
        places[i] = i;
    }
    struct client_arguments call = {.which = client_alltoallv,
                                    .send = send,
                                    .sendcounts = ones,
                                    .sdispls = places,
                                    .sendcount = 1,
                                    .sendtype = MPI_INT,
                                    .recv = recv,
                                    .recvcounts = ones,
                                    .rdispls = places,
                                    .recvcount = 1,
                                    .recvtype = MPI_INT,
                                    .comm = comm};
    client_check(client_run, &call, comm, own, recv, sizeof(int) * (size_t)size, "alltoallv");
    call.which = client_alltoall;
    client_check(client_run, &call, comm, own, recv, sizeof(int) * (size_t)size, "alltoall");
    call.which = client_allgather;
    client_check(client_run, &call, comm, own, recv, sizeof(int) * (size_t)size, "allgather");
    call.which = client_allgatherv;
    client_check(client_run, &call, comm, own, recv, sizeof(int) * (size_t)size, "allgatherv");
    int bytes[client_max_ranks];
    MPI_Datatype types[client_max_ranks];
    for (int peer = 0; peer < size; ++peer) {
        bytes[peer] = peer * (int)sizeof(int);
        types[peer] = MPI_INT;
    }
    call.which = client_alltoallw;
    call.sdispls = call.rdispls = bytes;
    call.sendtypes = call.recvtypes = types;
    client_check(client_run, &call, comm, own, recv, sizeof(int) * (size_t)size, "alltoallw");
}

static MPI_Comm used_duplicate(void) {
    MPI_Comm comm;
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    call_on(comm);
    return comm;
}

/* A receive outlives its communicator's handle: MPI keeps what the receive needs. */
static void free_beside_receive(void) {
    MPI_Comm comm = used_duplicate();
    int value = 17, got = 0;
    MPI_Request request = MPI_REQUEST_NULL;
    if (rank == 0) {
        MPI_Recv_init(&got, 1, MPI_INT, 1, 3, comm, &request);
        MPI_Start(&request);
    }
    if (rank == 1) MPI_Send(&value, 1, MPI_INT, 0, 3, comm);
    MPI_Comm_free(&comm);
    if (rank != 0) return;
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Request_free(&request);
    if (got != value) client_fail("the receive got %d", got);
}

/* No MPI here lets a rank wait in MPI_Comm_free for the others. */
static void free_then_send(void) {
    MPI_Comm comm = used_duplicate();
    int value = rank;
    if (rank == 0) {
        MPI_Comm_free(&comm);
        for (int peer = 1; peer < ranks; ++peer) MPI_Send(&value, 1, MPI_INT, peer, 4, MPI_COMM_WORLD);
    } else {
        MPI_Recv(&value, 1, MPI_INT, 0, 4, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Comm_free(&comm);
    }
}

/* A communicator without a handler of its own follows MPI_COMM_WORLD's in MPICH. */
static void follow_handler(void) {
    MPI_Comm comm = used_duplicate();
    int value = 0, class = -1;
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    int code = MPI_Send(&value, 1, MPI_INT, 99, 0, comm);
    MPI_Error_class(code, &class);
    if (class != MPI_ERR_RANK) client_fail("the error's class is %d", class);
    MPI_Comm_free(&comm);
}

/* Where no rank has anything to gather, MPIs let each rank pass alone, and a program may come to need that. */
static void gather_nothing(int number) {
    MPI_Comm comm = used_duplicate();
    PMPI_Barrier(comm);
    int out = 1, in = -1, zeros[client_max_ranks] = {0}, turn = 0;
    for (int i = 0; i < number; ++i) {
        if (rank > 0) MPI_Recv(&turn, 1, MPI_INT, rank - 1, i, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Allgather(&out, 0, MPI_INT, &in, 0, MPI_INT, comm);
        client_count(comm);
        MPI_Allgatherv(&out, 0, MPI_INT, &in, zeros, zeros, MPI_INT, comm);
        client_count(comm);
        if (rank + 1 < ranks) MPI_Send(&turn, 1, MPI_INT, rank + 1, i, MPI_COMM_WORLD);
    }
    if (in != -1) client_fail("%d came from nobody", in);
    call_on(comm);
    MPI_Comm_free(&comm);
}

/* Many communicators live at once, and the MPI has a number for each. */
static void live_together(int number) {
    MPI_Comm* comms = malloc(sizeof *comms * (size_t)number);
    for (int i = 0; i < number; ++i) comms[i] = used_duplicate();
    for (int i = number; i-- > 0;) MPI_Comm_free(&comms[i]);
    free(comms);
}

/* Many communicators of the world live, and then comes one of the first two ranks, which share a node. */
static void part_after_many(int number) {
    MPI_Comm* comms = malloc(sizeof *comms * (size_t)number);
    MPI_Comm part;
    for (int i = 0; i < number; ++i) comms[i] = used_duplicate();
    MPI_Comm_split(MPI_COMM_WORLD, rank / 2, rank, &part);
    call_on(part);
    MPI_Comm_free(&part);
    for (int i = number; i-- > 0;) MPI_Comm_free(&comms[i]);
    free(comms);
}

/* Parts of the world, in another order than the world's, of which some live on while others go. */
static void overlap(int number) {
    MPI_Comm kept = MPI_COMM_NULL;
    for (int i = 0; i < number; ++i) {
        MPI_Comm part;
        MPI_Comm_split(MPI_COMM_WORLD, (rank + i) % 3 == 0, ranks - rank, &part);
        call_on(part);
        if (kept != MPI_COMM_NULL) {
            call_on(kept);
            if (i % 2) MPI_Comm_free(&kept);
        }
        if (kept == MPI_COMM_NULL)
            kept = part;
        else
            MPI_Comm_free(&part);
    }
    if (kept != MPI_COMM_NULL) MPI_Comm_free(&kept);
}

/* In one call some ranks take the function with large counts, and others do not. */
static void mix_functions(int number) {
    int send[client_max_ranks], recv[client_max_ranks];
    for (int i = 0; i < number; ++i) {
        for (int peer = 0; peer < ranks; ++peer) send[peer] = 1000 * i + 100 * rank + peer;
        if (MPI_Alltoall_c && (i + rank) % 3 == 0)
            MPI_Alltoall_c(send, 1, MPI_INT, recv, 1, MPI_INT, MPI_COMM_WORLD);
        else
            MPI_Alltoall(send, 1, MPI_INT, recv, 1, MPI_INT, MPI_COMM_WORLD);
        client_count(MPI_COMM_WORLD);
        for (int peer = 0; peer < ranks; ++peer)
            if (recv[peer] != 1000 * i + 100 * peer + rank)
                client_fail("call %d: %d from rank %d", i, recv[peer], peer);
    }
}

int main(int count, char** words) {
    MPI_Init(&count, &words);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    const char* mode = count > 1 ? words[1] : "";
    const int number = count > 2 ? atoi(words[2]) : 1;
    if (strcmp(mode, "free_beside_receive") == 0)
        free_beside_receive();
    else if (strcmp(mode, "free_then_send") == 0)
        free_then_send();
    else if (strcmp(mode, "follow_handler") == 0)
        follow_handler();
    else if (strcmp(mode, "gather_nothing") == 0)
        gather_nothing(number);
    else if (strcmp(mode, "live_together") == 0)
        live_together(number);
    else if (strcmp(mode, "part_after_many") == 0)
        part_after_many(number);
    else if (strcmp(mode, "overlap") == 0)
        overlap(number);
    else if (strcmp(mode, "mix_functions") == 0)
        mix_functions(number);
    else
        client_fail("no mode %s", mode);
    client_finish();
    MPI_Finalize();
    return 0;
}
