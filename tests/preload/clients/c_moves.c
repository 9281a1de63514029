/* Calls with known partners. Arguments: kind, number of calls.
 *   ring      MPI_Alltoallv: 3 bytes to the next rank, 5 to the rank itself, nothing to others
 *   typed     the same by MPI_Alltoallw, in ints
 *   equal     MPI_Alltoall of 4 bytes             gathered   MPI_Allgatherv: rank 0 has 7 bytes, others none
 *   turns     ring, and every second call sends 1 byte to everybody */
#include "client.h"

static int rank, ranks;
static int sendcounts[client_max_ranks], recvcounts[client_max_ranks], displs[client_max_ranks];
static MPI_Datatype types[client_max_ranks];

static void count_ring(int next, int own) {
    for (int i = 0; i < ranks; ++i) sendcounts[i] = recvcounts[i] = 0;
    sendcounts[(rank + 1) % ranks] = next;
    recvcounts[(rank + ranks - 1) % ranks] = next;
    sendcounts[rank] = recvcounts[rank] = own;
}

static void count_all(int each) {
    for (int i = 0; i < ranks; ++i) sendcounts[i] = recvcounts[i] = each;
}

int main(int argc, char** argv) {
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    const char* kind = argc > 1 ? argv[1] : "ring";
    const int calls = argc > 2 ? atoi(argv[2]) : 1;
    static char send[4096], recv[4096];
    for (int i = 0; i < ranks; ++i) {
        displs[i] = 32 * i;
        types[i] = MPI_INT;
    }
    for (int call = 0; call < calls; ++call) {
        client_count(MPI_COMM_WORLD);
        for (int i = 0; i < (int)sizeof send; ++i) send[i] = (char)(rank + 1);
        count_ring(3, 5);
        if (strcmp(kind, "equal") == 0) {
            MPI_Alltoall(send, 4, MPI_CHAR, recv, 4, MPI_CHAR, MPI_COMM_WORLD);
            continue;
        }
        if (strcmp(kind, "gathered") == 0) {
            for (int i = 0; i < ranks; ++i) recvcounts[i] = i == 0 ? 7 : 0;
            MPI_Allgatherv(send, recvcounts[rank], MPI_CHAR, recv, recvcounts, displs, MPI_CHAR,
                           MPI_COMM_WORLD);
            if (recv[6] != 1) client_fail("wrong byte");
            continue;
        }
        if (strcmp(kind, "turns") == 0 && call % 2 == 1) count_all(1);
        if (strcmp(kind, "typed") == 0)
            MPI_Alltoallw(send, sendcounts, displs, types, recv, recvcounts, displs, types, MPI_COMM_WORLD);
        else
            MPI_Alltoallv(send, sendcounts, displs, MPI_CHAR, recv, recvcounts, displs, MPI_CHAR,
                          MPI_COMM_WORLD);
        const int from = (rank + ranks - 1) % ranks;
        if (recv[displs[from]] != (char)(from + 1)) client_fail("wrong byte of %d", from);
    }
    client_finish();
    MPI_Finalize();
    return 0;
}
