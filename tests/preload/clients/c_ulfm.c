/* A program that goes on after one of its ranks has died, or has given a communicator up (ULFM). Arguments: what the last
 * rank does while the others are in a collective (die, revoke), the collective, the bytes of a block, calls before.
 * Every other rank prints the class of its error and how often the error handler was called. Then the living ranks make a
 * communicator of their own, and call on it. Without ULFM it prints "no ULFM". */
#include "client.h"

#include <dlfcn.h>
#include <signal.h>
#include <unistd.h>

enum { key_of_openmpi = 12, err_proc_failed = 75, err_revoked = 77, calls_after = 3, most_bytes = 1 << 20 };

static int (*give_up)(MPI_Comm);
static int (*shrink)(MPI_Comm, MPI_Comm*);
static atomic_int handled;

/* By name, since mpi.h may not have them. */
static int find_ulfm(void) {
    int *is_on = NULL, found = 0;
    *(void**)&give_up = dlsym(RTLD_DEFAULT, "MPIX_Comm_revoke");
    *(void**)&shrink = dlsym(RTLD_DEFAULT, "MPIX_Comm_shrink");
#ifdef OPEN_MPI
    MPI_Comm_get_attr(MPI_COMM_WORLD, key_of_openmpi, (void*)&is_on, &found);
#endif
    return give_up != NULL && shrink != NULL && found && *is_on;
}

static void handle(MPI_Comm* comm, int* code, ...) {
    (void)comm, (void)code;
    atomic_fetch_add(&handled, 1);
}

/* Every byte that arrives is checked where the call succeeds. */
static int call(const char* collective, int bytes, MPI_Comm comm) {
    int rank, ranks, counts[client_max_ranks], places[client_max_ranks], code;
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &ranks);
    unsigned char* out = malloc((size_t)ranks * (size_t)bytes);
    unsigned char* in = malloc((size_t)ranks * (size_t)bytes);
    for (int i = 0; i < ranks; ++i) counts[i] = bytes, places[i] = i * bytes;
    memset(out, rank + 1, (size_t)ranks * (size_t)bytes);
    memset(in, 0, (size_t)ranks * (size_t)bytes);
    if (strcmp(collective, "alltoallv") == 0)
        code = MPI_Alltoallv(out, counts, places, MPI_BYTE, in, counts, places, MPI_BYTE, comm);
    else if (strcmp(collective, "alltoall") == 0)
        code = MPI_Alltoall(out, bytes, MPI_BYTE, in, bytes, MPI_BYTE, comm);
    else
        code = MPI_Allgather(out, bytes, MPI_BYTE, in, bytes, MPI_BYTE, comm);
    for (int i = 0; code == MPI_SUCCESS && i < ranks * bytes; ++i)
        if (in[i] != i / bytes + 1) client_fail("rank %d: byte %d is %d", rank, i, in[i]);
    client_count(comm);
    free(out);
    free(in);
    return code;
}

/* With a dead rank, Open MPI 5.0.7 now and then stays in MPI_Finalize for ever, without switchyard, too. */
static void leave(int signal) {
    (void)signal;
    _exit(0);
}

static void end(const char* how, MPI_Comm comm) {
    usleep(500000); /* the others are inside */
    if (strcmp(how, "die") == 0) raise(SIGKILL);
    give_up(comm);
}

int main(int argc, char** argv) {
    MPI_Init(&argc, &argv);
    if (argc != 5 || !find_ulfm()) {
        printf("no ULFM\n");
        MPI_Finalize();
        return 0;
    }
    const char *how = argv[1], *collective = argv[2];
    const int bytes = atoi(argv[3]) < most_bytes ? atoi(argv[3]) : most_bytes, before = atoi(argv[4]);
    int rank, ranks, class = MPI_SUCCESS;
    MPI_Comm comm, living;
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    MPI_Errhandler handler;
    MPI_Comm_create_errhandler(handle, &handler);
    MPI_Comm_set_errhandler(comm, handler);
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &ranks);

    for (int i = 0; i < before; ++i)
        if (call(collective, bytes, comm) != MPI_SUCCESS) client_fail("rank %d: call %d", rank, i);
    if (rank == ranks - 1)
        end(how, comm);
    else
        MPI_Error_class(call(collective, bytes, comm), &class);
    printf("rank %d: %s, handled %d\n", rank,
           class == MPI_SUCCESS       ? "success"
           : class == err_revoked     ? "revoked"
           : class == err_proc_failed ? "dead"
                                      : "another error",
           atomic_load(&handled));
    fflush(stdout);

    if (shrink(comm, &living) != MPI_SUCCESS) client_fail("rank %d: no living ranks", rank);
    for (int i = 0; i < calls_after; ++i)
        if (call(collective, bytes, living) != MPI_SUCCESS) client_fail("rank %d: living call %d", rank, i);
    MPI_Comm_rank(living, &rank);
    if (rank == 0) printf("ok calls=%llu\n", (unsigned long long)atomic_load(&client_calls));
    fflush(stdout);
    if (strcmp(how, "die") == 0) signal(SIGALRM, leave), alarm(3);
    MPI_Comm_free(&living);
    MPI_Comm_free(&comm);
    MPI_Finalize();
    return 0;
}
