/* Uses MPI_T, once, in the midst of its run. MPICH 4.0.2 crashes where a process starts MPI_T again after it ended it: nobody else
 * may do so for the program. */
#include "client.h"

static int variables(void) {
    int provided = 0, count = 0;
    if (MPI_T_init_thread(MPI_THREAD_SINGLE, &provided) != MPI_SUCCESS) client_fail("no MPI_T");
    if (MPI_T_cvar_get_num(&count) != MPI_SUCCESS) client_fail("MPI_T does not count its variables");
    if (MPI_T_finalize() != MPI_SUCCESS) client_fail("MPI_T does not end");
    return count;
}

int main(int count, char** words) {
    int rank, ranks, send[client_max_ranks], recv[client_max_ranks];
    MPI_Init(&count, &words);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    if (variables() <= 0) client_fail("MPI_T has no variables");
    for (int i = 0; i < ranks; ++i) send[i] = 100 * rank + i;
    struct client_arguments call = {.which = client_alltoall,
                                    .send = send,
                                    .sendcount = 1,
                                    .sendtype = MPI_INT,
                                    .recv = recv,
                                    .recvcount = 1,
                                    .recvtype = MPI_INT,
                                    .comm = MPI_COMM_WORLD};
    client_check(client_run, &call, MPI_COMM_WORLD, rank, recv, sizeof(int) * (size_t)ranks, "a call");
    client_finish();
    MPI_Finalize();
    return 0;
}
