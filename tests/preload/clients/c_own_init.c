/* Defines MPI_Init itself, as a linked tool does: nobody in front of it sees the call. Frees no communicator. */
#include "client.h"

int MPI_Init(int* count, char*** words) {
    return PMPI_Init(count, words);
}

int main(int count, char** words) {
    MPI_Init(&count, &words);
    int rank, ranks, send[client_max_ranks], recv[client_max_ranks];
    MPI_Comm comm;
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &ranks);
    for (int i = 0; i < ranks; ++i) send[i] = 100 * rank + i;
    const MPI_Comm comms[] = {MPI_COMM_WORLD, comm};
    for (int i = 0; i < 6; ++i) {
        struct client_arguments call = {.which = i % 2 ? client_alltoall : client_allgather,
                                        .send = send,
                                        .sendcount = 1,
                                        .sendtype = MPI_INT,
                                        .recv = recv,
                                        .recvcount = 1,
                                        .recvtype = MPI_INT,
                                        .comm = comms[i / 3]};
        client_check(client_run, &call, comms[i / 3], rank, recv, sizeof(int) * (size_t)ranks, "a call");
    }
    client_finish();
    MPI_Finalize();
    return 0;
}
