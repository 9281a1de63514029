/* A plug-in that is an MPI program in itself; the program that loads it, c_plugin_loader, is not linked to MPI at all. */
#include "client.h"

int plugin_main(int argc, char** argv);

__attribute__((visibility("default"))) int plugin_main(int argc, char** argv) {
    int rank, ranks, send[client_max_ranks], recv[client_max_ranks], counts[client_max_ranks],
        displs[client_max_ranks];
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    for (int round = 0; round < 10; ++round) {
        for (int peer = 0; peer < ranks; ++peer) {
            send[peer] = 1000 * rank + 10 * peer + round;
            recv[peer] = 0;
            counts[peer] = 1;
            displs[peer] = peer;
        }
        struct client_arguments call = {.which = client_alltoallv,
                                        .send = send,
                                        .sendcounts = counts,
                                        .sdispls = displs,
                                        .sendtype = MPI_INT,
                                        .recv = recv,
                                        .recvcounts = counts,
                                        .rdispls = displs,
                                        .recvtype = MPI_INT,
                                        .comm = MPI_COMM_WORLD};
        client_check(client_run, &call, MPI_COMM_WORLD, rank, recv, sizeof(int) * (size_t)ranks, "plug-in");
    }
    client_finish();
    MPI_Finalize();
    return 0;
}
