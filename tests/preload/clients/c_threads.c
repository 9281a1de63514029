/* MPI_THREAD_MULTIPLE: threads call at once, each on its own communicator, the first use of each included.
 * Arguments: [threads] [rounds]. */
#include "client.h"

#include <pthread.h>

enum { max_threads = 4 };

static int rounds = 60;
static int world_rank;

struct work {
    pthread_t thread;
    MPI_Comm comm;
    int index;
};

static void one_round(const struct work* work, int rank, int ranks, int round) {
    int send[client_max_ranks * 4], recv[client_max_ranks * 4], sendcounts[client_max_ranks],
        recvcounts[client_max_ranks], displs[client_max_ranks];
    for (int peer = 0; peer < ranks; ++peer) {
        sendcounts[peer] = (rank + 2 * peer + round) % 4;
        recvcounts[peer] = (peer + 2 * rank + round) % 4;
        displs[peer] = 4 * peer;
    }
    for (int i = 0; i < 4 * ranks; ++i) send[i] = (work->index << 24) + (round << 16) + (world_rank << 8) + i;
    memset(recv, 0, sizeof recv);
    size_t bytes = sizeof(int) * 4 * (size_t)ranks;
    char what[32];
    snprintf(what, sizeof what, "thread %d round %d", work->index, round);
    struct client_arguments v = {.which = client_alltoallv,
                                 .send = send,
                                 .sendcounts = sendcounts,
                                 .sdispls = displs,
                                 .sendtype = MPI_INT,
                                 .recv = recv,
                                 .recvcounts = recvcounts,
                                 .rdispls = displs,
                                 .recvtype = MPI_INT,
                                 .comm = work->comm};
    client_check(client_run, &v, work->comm, world_rank, recv, bytes, what);
    struct client_arguments f = {.which = client_alltoall,
                                 .send = send,
                                 .sendcount = 4,
                                 .sendtype = MPI_INT,
                                 .recv = recv,
                                 .recvcount = 4,
                                 .recvtype = MPI_INT,
                                 .comm = work->comm};
    client_check(client_run, &f, work->comm, world_rank, recv, bytes, what);
    f.which = client_allgather;
    client_check(client_run, &f, work->comm, world_rank, recv, bytes, what);
}

static void* run(void* pointer) {
    const struct work* work = pointer;
    int rank, ranks;
    MPI_Comm_rank(work->comm, &rank);
    MPI_Comm_size(work->comm, &ranks);
    for (int round = 0; round < rounds; ++round) one_round(work, rank, ranks, round);
    return NULL;
}

int main(int argc, char** argv) {
    int provided;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
    if (provided < MPI_THREAD_MULTIPLE) client_fail("no MPI_THREAD_MULTIPLE");
    MPI_Comm_rank(MPI_COMM_WORLD, &world_rank);
    int threads = argc > 1 ? atoi(argv[1]) : 3;
    if (threads > max_threads) threads = max_threads;
    if (argc > 2) rounds = atoi(argv[2]);
    struct work work[max_threads];
    for (int i = 0; i < threads; ++i) {
        work[i].index = i;
        if (i % 2)
            MPI_Comm_split(MPI_COMM_WORLD, 0, -world_rank, &work[i].comm);
        else
            MPI_Comm_dup(MPI_COMM_WORLD, &work[i].comm);
    }
    for (int i = 0; i < threads; ++i) pthread_create(&work[i].thread, NULL, run, &work[i]);
    for (int i = 0; i < threads; ++i) pthread_join(work[i].thread, NULL);
    for (int i = 0; i < threads; ++i) MPI_Comm_free(&work[i].comm);
    client_finish();
    MPI_Finalize();
    return 0;
}
