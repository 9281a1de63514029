/* Preloaded, it gives the MPI's own collectives exact times on a clock of its own: 10 us, and 1 ns for each byte that a
 * rank sends. So a test of measured times knows the result beforehand.
 *
 * SLOW_CALLS="alltoallv:1024-4096:100" lets calls with blocks of 1024 to 4096 bytes take 100 times as long. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define EXPORTED __attribute__((visibility("default")))

static double now_us;

/* Between two looks at the clock passes a microsecond, so that no call takes no time. */
EXPORTED double PMPI_Wtime(void) {
    now_us += 1;
    return now_us * 1e-6;
}

/* PMPI_Wtime may not be what the program's own MPI_Wtime calls. */
EXPORTED double MPI_Wtime(void) {
    return PMPI_Wtime();
}

static double slowness(const char* function, double block) {
    const char* slow = getenv("SLOW_CALLS");
    char name[32];
    double first = 0, last = 0, times = 1;
    if (!slow || sscanf(slow, "%31[^:]:%lf-%lf:%lf", name, &first, &last, &times) != 4) return 1;
    return strcmp(name, function) == 0 && block >= first && block <= last ? times : 1;
}

static void pass(const char* function, double block, double blocks) {
    now_us += (10 + block * blocks * 1e-3) * slowness(function, block);
}

static double size_of(MPI_Datatype type) {
    int size = 0;
    PMPI_Type_size(type, &size);
    return size;
}

static int ranks_of(MPI_Comm comm) {
    int ranks = 1;
    PMPI_Comm_size(comm, &ranks);
    return ranks;
}

/* The function of the MPI that the program is linked with. */
#define NEXT(name) __typeof__(&name) next = (__typeof__(&name))dlsym(RTLD_NEXT, #name)

EXPORTED int PMPI_Alltoall(const void* send, int sends, MPI_Datatype sent, void* recv, int recvs,
                           MPI_Datatype received, MPI_Comm comm) {
    NEXT(PMPI_Alltoall);
    pass("alltoall", sends * size_of(sent), ranks_of(comm));
    return next(send, sends, sent, recv, recvs, received, comm);
}

EXPORTED int PMPI_Alltoallv(const void* send, const int* sends, const int* from, MPI_Datatype sent,
                            void* recv, const int* recvs, const int* to, MPI_Datatype received,
                            MPI_Comm comm) {
    NEXT(PMPI_Alltoallv);
    pass("alltoallv", sends[0] * size_of(sent), ranks_of(comm));
    return next(send, sends, from, sent, recv, recvs, to, received, comm);
}

EXPORTED int PMPI_Alltoallw(const void* send, const int* sends, const int* from, const MPI_Datatype* sent,
                            void* recv, const int* recvs, const int* to, const MPI_Datatype* received,
                            MPI_Comm comm) {
    NEXT(PMPI_Alltoallw);
    pass("alltoallw", sends[0] * size_of(sent[0]), ranks_of(comm));
    return next(send, sends, from, sent, recv, recvs, to, received, comm);
}

EXPORTED int PMPI_Allgather(const void* send, int sends, MPI_Datatype sent, void* recv, int recvs,
                            MPI_Datatype received, MPI_Comm comm) {
    NEXT(PMPI_Allgather);
    pass("allgather", sends * size_of(sent), ranks_of(comm));
    return next(send, sends, sent, recv, recvs, received, comm);
}

EXPORTED int PMPI_Allgatherv(const void* send, int sends, MPI_Datatype sent, void* recv, const int* recvs,
                             const int* to, MPI_Datatype received, MPI_Comm comm) {
    NEXT(PMPI_Allgatherv);
    pass("allgatherv", sends * size_of(sent), ranks_of(comm));
    return next(send, sends, sent, recv, recvs, to, received, comm);
}

EXPORTED int PMPI_Bcast(void* data, int count, MPI_Datatype type, int root, MPI_Comm comm) {
    NEXT(PMPI_Bcast);
    pass("bcast", count * size_of(type), 1);
    return next(data, count, type, root, comm);
}
