/* Large counts by weak references, as in binaries for many MPIs: where the name is found, the program calls it. With the
 * argument `too_many` also with a count that fits no int, where the MPI cannot take it. */
#include "client.h"

extern int MPI_Alltoallv_c(const void*, const MPI_Count[], const MPI_Aint[], MPI_Datatype, void*,
                           const MPI_Count[], const MPI_Aint[], MPI_Datatype, MPI_Comm) __attribute__((weak));
extern int MPI_Alltoall_c(const void*, MPI_Count, MPI_Datatype, void*, MPI_Count, MPI_Datatype, MPI_Comm)
    __attribute__((weak));
extern int MPI_Allgather_c(const void*, MPI_Count, MPI_Datatype, void*, MPI_Count, MPI_Datatype, MPI_Comm)
    __attribute__((weak));
extern int MPI_Allgatherv_c(const void*, MPI_Count, MPI_Datatype, void*, const MPI_Count[], const MPI_Aint[],
                            MPI_Datatype, MPI_Comm) __attribute__((weak));

extern int MPI_Alltoallw_c(const void*, const MPI_Count[], const MPI_Aint[], const MPI_Datatype[], void*,
                           const MPI_Count[], const MPI_Aint[], const MPI_Datatype[], MPI_Comm)
    __attribute__((weak));

static int rank, ranks, send[2 * client_max_ranks], recv[2 * client_max_ranks];

static void check(const char* what, int code, int gathers) {
    if (code != MPI_SUCCESS) client_fail("%s: error %d", what, code);
    for (int peer = 0; peer < ranks; ++peer) {
        const int wanted = gathers ? 100 * peer : 100 * peer + rank;
        if (recv[2 * peer] != wanted) client_fail("%s: %d from %d", what, recv[2 * peer], peer);
    }
    client_digest_add(what, rank, recv, sizeof recv);
    client_count(MPI_COMM_WORLD);
}

static void fill(int* data) {
    memset(recv, 0, sizeof recv);
    for (int peer = 0; peer < ranks; ++peer) data[2 * peer] = data[2 * peer + 1] = 100 * rank + peer;
}

int main(int count, char** words) {
    MPI_Init(&count, &words);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    MPI_Count counts[client_max_ranks];
    MPI_Aint places[client_max_ranks];
    for (int i = 0; i < ranks; ++i) {
        counts[i] = 2;
        places[i] = 2 * i;
    }
    int made = 0;
    if (MPI_Alltoallv_c) {
        fill(send);
        check("alltoallv",
              MPI_Alltoallv_c(send, counts, places, MPI_INT, recv, counts, places, MPI_INT, MPI_COMM_WORLD),
              0);
        fill(recv);
        check(
            "alltoallv in place",
            MPI_Alltoallv_c(MPI_IN_PLACE, NULL, NULL, MPI_INT, recv, counts, places, MPI_INT, MPI_COMM_WORLD),
            0);
        made += 2;
    }
    if (MPI_Allgatherv_c) {
        fill(send);
        check("allgatherv", MPI_Allgatherv_c(send, 2, MPI_INT, recv, counts, places, MPI_INT, MPI_COMM_WORLD),
              1);
        fill(send);
        memcpy(recv + 2 * rank, send, 2 * sizeof *send);
        check("allgatherv in place",
              MPI_Allgatherv_c(MPI_IN_PLACE, (MPI_Count)1 << 40, MPI_DATATYPE_NULL, recv, counts, places,
                               MPI_INT, MPI_COMM_WORLD),
              1);
        made += 2;
    }
    if (MPI_Alltoallw_c) {
        MPI_Aint bytes[client_max_ranks];
        MPI_Datatype types[client_max_ranks];
        for (int i = 0; i < ranks; ++i) {
            bytes[i] = places[i] * (MPI_Aint)sizeof(int);
            types[i] = MPI_INT;
        }
        fill(send);
        check("alltoallw",
              MPI_Alltoallw_c(send, counts, bytes, types, recv, counts, bytes, types, MPI_COMM_WORLD), 0);
        fill(recv);
        check("alltoallw in place",
              MPI_Alltoallw_c(MPI_IN_PLACE, NULL, NULL, NULL, recv, counts, bytes, types, MPI_COMM_WORLD), 0);
        made += 2;
    }
    if (MPI_Alltoall_c && MPI_Allgather_c) {
        fill(send);
        check("alltoall", MPI_Alltoall_c(send, 2, MPI_INT, recv, 2, MPI_INT, MPI_COMM_WORLD), 0);
        check("allgather", MPI_Allgather_c(send, 2, MPI_INT, recv, 2, MPI_INT, MPI_COMM_WORLD), 1);
        made += 2;
        MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
        int major, minor, class = MPI_SUCCESS;
        MPI_Get_version(&major, &minor);
        if (major < 4 && count > 1) {
            const MPI_Count many = (MPI_Count)1 << 40;
            MPI_Error_class(MPI_Alltoall_c(send, many, MPI_BYTE, recv, many, MPI_BYTE, MPI_COMM_WORLD),
                            &class);
            if (class != MPI_ERR_COUNT) client_fail("too large a count: error class %d", class);
        }
    }
    if (rank == 0) printf("found=%d\n", made);
    client_finish();
    MPI_Finalize();
    return 0;
}
