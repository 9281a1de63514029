/* A plug-in that is an MPI program in itself; its host, c_plugin_host, is not linked to MPI at all. */
#include "host.h"

int plugin_main(int argc, char** argv);

__attribute__((visibility("default"))) int plugin_main(int argc, char** argv) {
    int rank, ranks, send[host_max_ranks], recv[host_max_ranks], counts[host_max_ranks],
        displs[host_max_ranks];
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
        struct host_arguments call = {.which = host_alltoallv,
                                      .send = send,
                                      .sendcounts = counts,
                                      .sdispls = displs,
                                      .sendtype = MPI_INT,
                                      .recv = recv,
                                      .recvcounts = counts,
                                      .rdispls = displs,
                                      .recvtype = MPI_INT,
                                      .comm = MPI_COMM_WORLD};
        host_check(host_run, &call, MPI_COMM_WORLD, rank, recv, sizeof(int) * (size_t)ranks, "plug-in");
    }
    host_finish();
    MPI_Finalize();
    return 0;
}
