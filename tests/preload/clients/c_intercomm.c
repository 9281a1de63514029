/* Intercommunicators: the arrays have the length of the remote group, and the groups may differ in size. */
#include "groups.h"

static void check_split(int first_group, int rank) {
    MPI_Comm local, inter, merged;
    int side = rank >= first_group;
    MPI_Comm_split(MPI_COMM_WORLD, side, rank, &local);
    MPI_Intercomm_create(local, 0, MPI_COMM_WORLD, side ? 0 : first_group, 42, &inter);
    /* One call is one line of the log: only rank 0 of the first group counts it. */
    struct group_calls calls = calls_between(inter, side, rank, rank == 0);
    for (int round = 0; round < 4; ++round) check_all_five(&calls, round);
    MPI_Intercomm_merge(inter, side, &merged);
    MPI_Comm_free(&merged);
    MPI_Comm_free(&inter);
    MPI_Comm_free(&local);
}

int main(int argc, char** argv) {
    MPI_Init(&argc, &argv);
    int rank, ranks;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    if (ranks > 1) check_split(1, rank);
    if (ranks > 2) check_split(ranks / 2, rank);
    client_finish();
    MPI_Finalize();
    return 0;
}
