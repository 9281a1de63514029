/* A program that has a tool for MPI_Alltoallv linked in: c_tool_next. */
#include "client.h"

int main(int count, char** words) {
    MPI_Init(&count, &words);
    int rank, ranks, counts[client_max_ranks], displs[client_max_ranks], send[client_max_ranks],
        recv[client_max_ranks];
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    for (int peer = 0; peer < ranks; ++peer) {
        counts[peer] = 1;
        displs[peer] = peer;
        send[peer] = 100 * rank + peer;
    }
    for (int i = 0; i < 10; ++i) {
        memset(recv, -1, sizeof recv);
        MPI_Alltoallv(send, counts, displs, MPI_INT, recv, counts, displs, MPI_INT, MPI_COMM_WORLD);
        client_count(MPI_COMM_WORLD);
        for (int peer = 0; peer < ranks; ++peer)
            if (recv[peer] != 100 * peer + rank) client_fail("got %d from %d", recv[peer], peer);
    }
    client_finish();
    MPI_Finalize();
    return 0;
}
