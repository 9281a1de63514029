/* MPI_THREAD_MULTIPLE: threads make collectives that are only counted at once, each on its own communicator. */
#include "client.h"

#include <pthread.h>

enum { threads = 4, rounds = 500 };

static void* work(void* pointer) {
    MPI_Comm comm = *(MPI_Comm*)pointer;
    for (int round = 0; round < rounds; ++round) {
        int one = round, sum = 0;
        MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, comm);
        MPI_Barrier(comm);
        client_digest_add("allreduce", round, &sum, sizeof sum);
    }
    return NULL;
}

int main(int argument_count, char** words) {
    int provided, rank, ranks;
    MPI_Init_thread(&argument_count, &words, MPI_THREAD_MULTIPLE, &provided);
    if (provided != MPI_THREAD_MULTIPLE) client_fail("the MPI has no MPI_THREAD_MULTIPLE");
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    MPI_Comm comms[threads];
    pthread_t all[threads];
    for (int i = 0; i < threads; ++i) MPI_Comm_dup(MPI_COMM_WORLD, &comms[i]);
    for (int i = 0; i < threads; ++i) pthread_create(&all[i], NULL, work, &comms[i]);
    for (int i = 0; i < threads; ++i) pthread_join(all[i], NULL);
    for (int i = 0; i < threads; ++i) MPI_Comm_free(&comms[i]);
    const int calls = threads * rounds * ranks;
    if (rank == 0)
        printf("seen allreduce calls=%d bytes=%d\nseen barrier calls=%d bytes=0\n", calls,
               calls * (int)sizeof(int), calls);
    client_finish();
    MPI_Finalize();
    return 0;
}
