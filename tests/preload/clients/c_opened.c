/* A library for c_opening, with references to functions of MPI-4 in every place where the loader puts addresses: in its table of
 * functions, in data that are closed after the loader's work (RELRO), and at an odd address. It has many, so that the loader
 * takes a moment for it. Built again without RELRO, and as code with addresses in it (TEXT). Each function returns how many of its
 * calls of MPI_Barrier_init switchyard should see. */
#include <mpi.h>
#include <stdint.h>
#include <sys/mman.h>
#include <unistd.h>

#define EXPORTED __attribute__((visibility("default")))
typedef int (*barrier_init)(MPI_Comm, MPI_Info, MPI_Request*);

static int run(barrier_init init, MPI_Comm comm) {
    MPI_Request request;
    int code = init(comm, MPI_INFO_NULL, &request);
    if (code != MPI_SUCCESS) return code;
    MPI_Start(&request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    return MPI_Request_free(&request);
}

#ifdef TEXT

EXPORTED int opened_use(MPI_Comm comm) {
    MPI_Barrier(comm);
    return run(MPI_Barrier_init, comm) == MPI_SUCCESS ? 0 : -1;
}

#else

#define TIMES_8(x) x, x, x, x, x, x, x, x
#define SOME                                                                                                 \
    (void*)MPI_Send, (void*)MPI_Recv, (void*)MPI_Isend, (void*)MPI_Irecv, (void*)MPI_Wait, (void*)MPI_Get
#define MANY TIMES_8(TIMES_8(SOME))
enum { place = 2 * 64 * 6 };
EXPORTED void* const opened_table[] = {MANY, MANY, (void*)MPI_Barrier_init, MANY, (void*)MPI_Bcast_c, MANY,
                                       MANY, 0};

static struct __attribute__((packed)) {
    char first;
    barrier_init second;
} packed = {1, MPI_Barrier_init};

/* What lies there now, whatever the compiler knows of it. */
static barrier_init from_table(void) {
    return (barrier_init) * (void* const volatile*)&opened_table[place];
}

EXPORTED int opened_use(MPI_Comm comm) {
    MPI_Barrier(comm); /* switchyard looks at the library here */
    packed.first = 2;  /* its page is the program's to write to */
    barrier_init from_packed = packed.second;
    if (run(MPI_Barrier_init, comm) != MPI_SUCCESS || run(from_table(), comm) != MPI_SUCCESS ||
        run(from_packed, comm) != MPI_SUCCESS)
        return -1;
    return 2;
}

/* The program may close pages of its own. The calls by the table are not seen then. */
EXPORTED int opened_use_closed(MPI_Comm comm) {
    const uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
    const uintptr_t begin = (uintptr_t)&opened_table[place] / page * page;
    if (mprotect((void*)begin, page, PROT_READ) != 0) return -1;
    MPI_Barrier(comm);
    return run(from_table(), comm) == MPI_SUCCESS ? 0 : -1;
}

#endif
