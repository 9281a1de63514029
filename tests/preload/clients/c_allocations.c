/* Counts allocations by who asks for them: the innermost caller outside the C and C++ libraries. Arguments:
 * [calls of each kind, default 1000]. Prints, for each communicator, `first` (its first calls: here the shim
 * may allocate, which also shows that the counting works) and `later`. */
#include "client.h"

#include <errno.h>
#include <execinfo.h>
#include <link.h>

extern void* __libc_malloc(size_t);
extern void* __libc_calloc(size_t, size_t);
extern void* __libc_realloc(void*, size_t);
extern void* __libc_memalign(size_t, size_t);

enum { most_ranges = 1024, depth = 24 };
enum owner { somebody, ours, passing_on, the_host };

static struct range {
    uintptr_t begin, end;
    enum owner owner;
} ranges[most_ranges];
static int range_count;
static atomic_int counting;
static _Thread_local int inside;
static atomic_long by_us, by_all;

static enum owner owner_of(const char* name) {
    if (!*name) return the_host;
    if (strstr(name, "libswitchyard")) return ours;
    static const char* const passing[] = {"/libstdc++.", "/libc.so", "/libc-", "/libgcc_s", "/ld-linux"};
    for (size_t i = 0; i < sizeof passing / sizeof *passing; ++i)
        if (strstr(name, passing[i])) return passing_on;
    return somebody;
}

static int note(struct dl_phdr_info* info, size_t size, void* unused) {
    (void)size, (void)unused;
    for (int i = 0; i < info->dlpi_phnum && range_count < most_ranges; ++i)
        if (info->dlpi_phdr[i].p_type == PT_LOAD && info->dlpi_phdr[i].p_flags & PF_X) {
            uintptr_t begin = info->dlpi_addr + info->dlpi_phdr[i].p_vaddr;
            ranges[range_count++] =
                (struct range){begin, begin + info->dlpi_phdr[i].p_memsz, owner_of(info->dlpi_name)};
        }
    return 0;
}

static enum owner owner_at(const void* address) {
    for (int i = 0; i < range_count; ++i)
        if ((uintptr_t)address >= ranges[i].begin && (uintptr_t)address < ranges[i].end)
            return ranges[i].owner;
    return somebody;
}

static void count(void) {
    if (!atomic_load(&counting) || inside) return;
    inside = 1;
    atomic_fetch_add(&by_all, 1);
    void* frames[depth];
    int found = backtrace(frames, depth), i = 0;
    while (i < found && owner_at(frames[i]) == the_host) /* these hooks */
        ++i;
    while (i < found && owner_at(frames[i]) == passing_on) ++i;
    if (i < found && owner_at(frames[i]) == ours) atomic_fetch_add(&by_us, 1);
    inside = 0;
}

void* malloc(size_t size) {
    count();
    return __libc_malloc(size);
}

void* calloc(size_t items, size_t size) {
    count();
    return __libc_calloc(items, size);
}

void* realloc(void* old, size_t size) {
    count();
    return __libc_realloc(old, size);
}

void* memalign(size_t alignment, size_t size) {
    count();
    return __libc_memalign(alignment, size);
}

void* aligned_alloc(size_t alignment, size_t size) {
    count();
    return __libc_memalign(alignment, size);
}

int posix_memalign(void** memory, size_t alignment, size_t size) {
    count();
    *memory = __libc_memalign(alignment, size);
    return *memory ? 0 : ENOMEM;
}

static unsigned char send[client_max_ranks * 256], recv[client_max_ranks * 256];
static MPI_Datatype gapped;

static void all_calls(MPI_Comm comm, int ranks) {
    int counts[client_max_ranks], displs[client_max_ranks];
    for (int peer = 0; peer < ranks; ++peer) {
        counts[peer] = 16;
        displs[peer] = 32 * peer;
    }
    MPI_Alltoallv(send, counts, displs, MPI_BYTE, recv, counts, displs, MPI_BYTE, comm);
    MPI_Alltoallv(send, counts, displs, gapped, recv, counts, displs, MPI_BYTE, comm);
    MPI_Alltoallv(MPI_IN_PLACE, NULL, NULL, MPI_DATATYPE_NULL, recv, counts, displs, MPI_BYTE, comm);
    MPI_Alltoall(send, 16, MPI_BYTE, recv, 16, MPI_BYTE, comm);
    MPI_Allgather(send, 16, MPI_BYTE, recv, 16, MPI_BYTE, comm);
    for (int i = 0; i < 5; ++i) client_count(comm);
}

static void count_calls(const char* when, const char* where, MPI_Comm comm, int ranks, int times) {
    long mine[2], most[2] = {0, 0};
    atomic_store(&by_us, 0);
    atomic_store(&by_all, 0);
    atomic_store(&counting, 1);
    for (int i = 0; i < times; ++i) all_calls(comm, ranks);
    atomic_store(&counting, 0);
    mine[0] = atomic_load(&by_us);
    mine[1] = atomic_load(&by_all);
    PMPI_Reduce(mine, most, 2, MPI_LONG, MPI_MAX, 0, MPI_COMM_WORLD);
    int rank;
    PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0) printf("%s %s: ours=%ld all=%ld\n", where, when, most[0], most[1]);
}

static void check(const char* where, MPI_Comm parent, int times) {
    MPI_Comm comm;
    int ranks;
    MPI_Comm_dup(parent, &comm);
    MPI_Comm_size(comm, &ranks);
    count_calls("first", where, comm, ranks, 1);
    count_calls("later", where, comm, ranks, times);
    MPI_Comm_free(&comm);
}

int main(int argc, char** argv) {
    MPI_Init(&argc, &argv);
    void* frames[depth];
    backtrace(frames, depth); /* its own first call allocates */
    MPI_Type_create_resized(MPI_BYTE, 0, 2, &gapped);
    MPI_Type_commit(&gapped);
    int one;
    PMPI_Comm_size(MPI_COMM_SELF, &one);
    dl_iterate_phdr(note, NULL);
    int times = argc > 1 ? atoi(argv[1]) : 1000;
    check("self", MPI_COMM_SELF, times);
    check("world", MPI_COMM_WORLD, times);
    MPI_Type_free(&gapped);
    client_finish();
    MPI_Finalize();
    return 0;
}
