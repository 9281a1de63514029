/* Sessions only: MPI_Init is never called, MPI_Initialized stays false, there is no MPI_COMM_WORLD. */
#include "client.h"

#include <pthread.h>

static void check_round(MPI_Comm comm, int rank, int ranks, int round) {
    int send[client_max_ranks * 3], recv[client_max_ranks * 3], counts[client_max_ranks],
        recvcounts[client_max_ranks], displs[client_max_ranks];
    for (int peer = 0; peer < ranks; ++peer) {
        counts[peer] = (rank + 2 * peer + round) % 4;
        recvcounts[peer] = (peer + 2 * rank + round) % 4;
        displs[peer] = 3 * peer;
    }
    for (int i = 0; i < 3 * ranks; ++i) send[i] = 100 * rank + i + round;
    memset(recv, 0, sizeof recv);
    size_t bytes = 3 * sizeof(int) * (size_t)ranks;
    struct client_arguments v = {.which = client_alltoallv,
                                 .send = send,
                                 .sendcounts = counts,
                                 .sdispls = displs,
                                 .sendtype = MPI_INT,
                                 .recv = recv,
                                 .recvcounts = recvcounts,
                                 .rdispls = displs,
                                 .recvtype = MPI_INT,
                                 .comm = comm};
    client_check(client_run, &v, comm, rank, recv, bytes, "alltoallv in a session");
    struct client_arguments f = {.which = client_alltoall,
                                 .send = send,
                                 .sendcount = 3,
                                 .sendtype = MPI_INT,
                                 .recv = recv,
                                 .recvcount = 3,
                                 .recvtype = MPI_INT,
                                 .comm = comm};
    client_check(client_run, &f, comm, rank, recv, bytes, "alltoall in a session");
    f.which = client_allgather;
    client_check(client_run, &f, comm, rank, recv, bytes, "allgather in a session");
}

static MPI_Comm create_comm_of(MPI_Session session, const char* processes, const char* tag) {
    MPI_Group group;
    MPI_Comm comm;
    MPI_Group_from_session_pset(session, processes, &group);
    MPI_Comm_create_from_group(group, tag, MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &comm);
    MPI_Group_free(&group);
    return comm;
}

static MPI_Comm create_comm(MPI_Session session, const char* tag) {
    return create_comm_of(session, "mpi://WORLD", tag);
}

static void check_rounds(MPI_Comm comm) {
    int rank, ranks;
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &ranks);
    for (int round = 0; round < 8; ++round) check_round(comm, rank, ranks, round);
}

static void* check_in_thread(void* comm) {
    check_rounds(*(MPI_Comm*)comm);
    return NULL;
}

/* The first calls of the process, by two threads at once. */
static void check_in_threads(MPI_Session session) {
    MPI_Comm comms[2] = {create_comm(session, "switchyard.tests.0"),
                         create_comm(session, "switchyard.tests.1")};
    pthread_t threads[2];
    for (int i = 0; i < 2; ++i) pthread_create(&threads[i], NULL, check_in_thread, &comms[i]);
    for (int i = 0; i < 2; ++i) pthread_join(threads[i], NULL);
    for (int i = 0; i < 2; ++i) MPI_Comm_free(&comms[i]);
}

/* The ranks' last calls before MPI_Init were on different communicators. */
static void then_init(MPI_Session session, MPI_Comm comm, int* count, char*** words) {
    MPI_Comm self = create_comm_of(session, "mpi://SELF", "switchyard.tests.self");
    int rank;
    MPI_Comm_rank(comm, &rank);
    if (rank != 0) check_rounds(self);
    MPI_Init(count, words);
    check_rounds(comm);
    check_rounds(MPI_COMM_WORLD);
    check_rounds(comm);
    MPI_Comm_free(&self);
}

/* c_sessions [threads | then_init] */
int main(int count, char** words) {
    const char* mode = count > 1 ? words[1] : "";
    MPI_Session session;
    MPI_Info info;
    int initialized;
    MPI_Info_create(&info);
    MPI_Info_set(info, "thread_level", "MPI_THREAD_MULTIPLE");
    MPI_Session_init(info, MPI_ERRORS_ARE_FATAL, &session);
    MPI_Info_free(&info);
    MPI_Comm comm = create_comm(session, "switchyard.tests");
    MPI_Initialized(&initialized);
    if (initialized) printf("note: MPI_Initialized is true in a sessions-only program\n");
    if (strcmp(mode, "threads") == 0) check_in_threads(session);
    check_rounds(comm);
    if (strcmp(mode, "then_init") == 0) then_init(session, comm, &count, &words);
    client_finish_on(comm);
    MPI_Comm_free(&comm);
    if (strcmp(mode, "then_init") == 0) MPI_Finalize();
    MPI_Session_finalize(&session);
    return 0;
}
