/* Sessions only: MPI_Init is never called, MPI_Initialized stays false, there is no MPI_COMM_WORLD. */
#include "host.h"

static void check_round(MPI_Comm comm, int rank, int ranks, int round) {
    int send[host_max_ranks * 3], recv[host_max_ranks * 3], counts[host_max_ranks],
        recvcounts[host_max_ranks], displs[host_max_ranks];
    for (int peer = 0; peer < ranks; ++peer) {
        counts[peer] = (rank + 2 * peer + round) % 4;
        recvcounts[peer] = (peer + 2 * rank + round) % 4;
        displs[peer] = 3 * peer;
    }
    for (int i = 0; i < 3 * ranks; ++i) send[i] = 100 * rank + i + round;
    memset(recv, 0, sizeof recv);
    size_t bytes = 3 * sizeof(int) * (size_t)ranks;
    struct host_arguments v = {.which = host_alltoallv,
                               .send = send,
                               .sendcounts = counts,
                               .sdispls = displs,
                               .sendtype = MPI_INT,
                               .recv = recv,
                               .recvcounts = recvcounts,
                               .rdispls = displs,
                               .recvtype = MPI_INT,
                               .comm = comm};
    host_check(host_run, &v, comm, rank, recv, bytes, "alltoallv in a session");
    struct host_arguments f = {.which = host_alltoall,
                               .send = send,
                               .sendcount = 3,
                               .sendtype = MPI_INT,
                               .recv = recv,
                               .recvcount = 3,
                               .recvtype = MPI_INT,
                               .comm = comm};
    host_check(host_run, &f, comm, rank, recv, bytes, "alltoall in a session");
    f.which = host_allgather;
    host_check(host_run, &f, comm, rank, recv, bytes, "allgather in a session");
}

int main(void) {
    MPI_Session session;
    MPI_Group group;
    MPI_Comm comm;
    int initialized, rank, ranks;
    MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &session);
    MPI_Group_from_session_pset(session, "mpi://WORLD", &group);
    MPI_Comm_create_from_group(group, "switchyard.tests", MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &comm);
    MPI_Group_free(&group);
    MPI_Initialized(&initialized);
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &ranks);
    if (initialized) printf("note: MPI_Initialized is true in a sessions-only program\n");
    for (int round = 0; round < 8; ++round) check_round(comm, rank, ranks, round);
    host_finish_on(comm);
    MPI_Comm_free(&comm);
    MPI_Session_finalize(&session);
    return 0;
}
