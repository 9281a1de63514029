/* Calls whose counts, displacements or bytes come near the end of an int. Most pages of its buffers are never
 * touched. Argument: what comes near.
 *   count          a count of 2^30 items of no bytes          displacement   a displacement of 2^30
 *   bytes          2^30 bytes in all, sent by rank 0          below          one less: nothing comes near
 *   mistaken       a negative count that no overflow leaves
 *   negative       a negative count, which MPI refuses        low            a displacement below 0, by right
 *   wide           2^30 bytes by the function with large counts (MPI 4)
 *   equal          MPI_Alltoall with blocks of 2^30 items of no bytes
 */
#define _DEFAULT_SOURCE
#include "client.h"

#include <sys/mman.h>

static char* lazy_memory(size_t bytes) {
    void* memory =
        mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (memory == MAP_FAILED) client_fail("no address space for %zu bytes", bytes);
    return memory;
}

static const int near = 1 << 30;
static int rank, ranks;
static int sendcounts[client_max_ranks], recvcounts[client_max_ranks];
static int sdispls[client_max_ranks], rdispls[client_max_ranks];

static int exchange(char* send, char* recv, MPI_Datatype type) {
    client_count(MPI_COMM_WORLD);
    return MPI_Alltoallv(send, sendcounts, sdispls, type, recv, recvcounts, rdispls, type, MPI_COMM_WORLD);
}

/* Every rank sends a byte to each other rank and checks what it gets. */
static void bytes_to_all(char* send, char* recv) {
    for (int i = 0; i < ranks; ++i) {
        sendcounts[i] = recvcounts[i] = i == rank ? 0 : 1;
        send[sdispls[i]] = (char)(10 * rank + i);
    }
    if (exchange(send, recv, MPI_CHAR) != MPI_SUCCESS) client_fail("the call failed");
    for (int i = 0; i < ranks; ++i)
        if (i != rank && recv[rdispls[i]] != (char)(10 * i + rank)) client_fail("wrong byte of %d", i);
}

/* Rank 0 sends as much to the last rank. */
static void much_to_last(char* send, char* recv, int bytes) {
    sendcounts[ranks - 1] = rank == 0 ? bytes : 0;
    recvcounts[0] = rank == ranks - 1 ? bytes : 0;
    if (exchange(send, recv, MPI_CHAR) != MPI_SUCCESS) client_fail("the call failed");
}

int main(int argc, char** argv) {
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    const char* what = argc > 1 ? argv[1] : "below";
    const int calls = argc > 2 ? atoi(argv[2]) : 1;
    const size_t room = ((size_t)near + 4096) * 2;
    char *send = lazy_memory(room), *recv = lazy_memory(room);
    MPI_Datatype nothing;
    MPI_Type_contiguous(0, MPI_CHAR, &nothing);
    MPI_Type_commit(&nothing);
    for (int i = 0; i < ranks; ++i) sdispls[i] = rdispls[i] = i;
    for (int call = 0; call < calls; ++call) {
        if (strcmp(what, "count") == 0) {
            sendcounts[1] = rank == 0 ? near : 0;
            recvcounts[0] = rank == 1 ? near : 0;
            if (exchange(send, recv, nothing) != MPI_SUCCESS) client_fail("the call failed");
        } else if (strcmp(what, "displacement") == 0) {
            if (rank == ranks - 1) rdispls[ranks - 1] = rdispls[0] = near;
            rdispls[ranks - 1] += rank == ranks - 1 ? 1 : 0;
            bytes_to_all(send, recv);
        } else if (strcmp(what, "low") == 0) {
            for (int i = 0; i < ranks; ++i) rdispls[i] = sdispls[i] = -i - 1;
            bytes_to_all(send + 4096, recv + 4096);
        } else if (strcmp(what, "bytes") == 0) {
            much_to_last(send, recv, near);
        } else if (strcmp(what, "below") == 0) {
            much_to_last(send, recv, 1 << 20);
            for (int i = 0; i < ranks; ++i) sdispls[i] = rdispls[i] = i == 0 ? near - 1 : i;
            bytes_to_all(send, recv);
        } else if (strcmp(what, "equal") == 0) {
            client_count(MPI_COMM_WORLD);
            if (MPI_Alltoall(send, near, nothing, recv, near, nothing, MPI_COMM_WORLD) != MPI_SUCCESS)
                client_fail("the call failed");
        } else if (strcmp(what, "negative") == 0 || strcmp(what, "mistaken") == 0) {
            MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
            MPI_Comm alone;
            MPI_Comm_dup(MPI_COMM_SELF, &alone);
            MPI_Comm_set_errhandler(alone, MPI_ERRORS_RETURN);
            sendcounts[0] =
                *what == 'n' ? (int)(2u * (unsigned)near) : -65535; /* the first as an overflow leaves it */
            recvcounts[0] = sendcounts[0];
            if (rank == ranks - 1 && MPI_Alltoallv(send, sendcounts, sdispls, MPI_CHAR, recv, recvcounts,
                                                   rdispls, MPI_CHAR, alone) == MPI_SUCCESS)
                client_fail("MPI takes a negative count");
            MPI_Comm_free(&alone);
        } else if (strcmp(what, "wide") == 0) {
#if MPI_VERSION >= 4
            MPI_Count counts[2][client_max_ranks] = {{0}};
            MPI_Aint places[client_max_ranks] = {0};
            counts[0][ranks - 1] = rank == 0 ? near : 0;
            counts[1][0] = rank == ranks - 1 ? near : 0;
            client_count(MPI_COMM_WORLD);
            MPI_Alltoallv_c(send, counts[0], places, MPI_CHAR, recv, counts[1], places, MPI_CHAR,
                            MPI_COMM_WORLD);
#endif
        }
    }
    MPI_Type_free(&nothing);
    client_finish();
    MPI_Finalize();
    return 0;
}
