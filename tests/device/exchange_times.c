/* Times of exchanges among ranks that share one GPU, through whatever libcuda.so.1 is found. One line for each size, from
 * rank 0: bytes of a block, then microseconds a call (the slowest rank's, median over the rounds) and the rounds:
 *
 *   device=A,B,...  MPI_Alltoallv on device memory, with blocks of BYTES, BYTES + 4, BYTES + 8 and so on, as many as VARIANTS:
 *                   a policy can tell them apart, so that each goes another way
 *   host=A,B,...    the same on host memory, of the first HOSTS of them
 *   naive           pageable host memory, one copy for each block, PMPI_Alltoallv on that memory, and back
 *   copy            only the two copies of all bytes, from and to pinned memory; the mean of the ranks
 *   ipc             only copies from the other ranks' device memory, which this rank has mapped, between two barriers; -1
 *                   where the driver maps none
 *
 * Each round makes one call of each kind, so that all of them meet the same machine. A size ends after ROUNDS rounds, or
 * after SECONDS, but not before the fifth round.
 *
 * Usage: exchange_times ROUNDS SECONDS VARIANTS HOSTS BYTES... */
#include "preload/clients/client.h"

#include <dlfcn.h>
#include <time.h>

typedef unsigned long long address;

struct ipc_handle {
    char bytes[64];
};

static struct {
    int (*init)(unsigned);
    int (*retain)(void**, int);
    int (*set_current)(void*);
    int (*allocate)(address*, size_t);
    int (*pinned)(void**, size_t, unsigned);
    int (*to_device)(address, const void*, size_t);
    int (*to_host)(void*, address, size_t);
    int (*copy)(address, address, size_t, void*);
    int (*create)(void**, unsigned);
    int (*wait)(void*);
    int (*export_memory)(struct ipc_handle*, address);
    int (*import_memory)(address*, struct ipc_handle, unsigned);
} cu;

enum { most_variants = 16, fewest_rounds = 5, step = 4 };
/* What a round times: the variants on device memory and on host memory, then these. */
enum { naive, copy, ipc, others };

static int rank, ranks, variants, hosts, mapped;
static address send, recv, theirs[client_max_ranks];
static char *pageable_send, *pageable_recv;
static void *pinned_send, *pinned_recv, *stream;
static int counts[client_max_ranks], at[client_max_ranks];

static void must(int result, const char* what) {
    if (result != 0) client_fail("%s failed: %d", what, result);
}

static void look_up(void* library, const char* name, void* function) {
    *(void**)function = dlsym(library, name);
    if (!*(void**)function) client_fail("the driver has no %s", name);
}

static void load(void) {
    void *library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL), *context;
    if (!library) client_fail("%s", dlerror());
    look_up(library, "cuInit", &cu.init);
    look_up(library, "cuDevicePrimaryCtxRetain", &cu.retain);
    look_up(library, "cuCtxSetCurrent", &cu.set_current);
    look_up(library, "cuMemAlloc_v2", &cu.allocate);
    look_up(library, "cuMemHostAlloc", &cu.pinned);
    look_up(library, "cuMemcpyHtoD_v2", &cu.to_device);
    look_up(library, "cuMemcpyDtoH_v2", &cu.to_host);
    look_up(library, "cuMemcpyAsync", &cu.copy);
    look_up(library, "cuStreamCreate", &cu.create);
    look_up(library, "cuStreamSynchronize", &cu.wait);
    look_up(library, "cuIpcGetMemHandle", &cu.export_memory);
    look_up(library, "cuIpcOpenMemHandle_v2", &cu.import_memory);
    must(cu.init(0), "cuInit");
    must(cu.retain(&context, 0), "cuDevicePrimaryCtxRetain");
    must(cu.set_current(context), "cuCtxSetCurrent");
    must(cu.create(&stream, 0), "cuStreamCreate");
}

static void map_memory_of_others(void) {
    struct ipc_handle mine, all[client_max_ranks];
    int good = cu.export_memory(&mine, send) == 0, everywhere = 0;
    PMPI_Allgather(&mine, sizeof mine, MPI_BYTE, all, sizeof mine, MPI_BYTE, MPI_COMM_WORLD);
    for (int peer = 0; peer < ranks; ++peer)
        if (good && peer != rank) good = cu.import_memory(&theirs[peer], all[peer], 1) == 0;
    theirs[rank] = send;
    PMPI_Allreduce(&good, &everywhere, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
    mapped = everywhere;
}

static void of_block(int bytes) {
    for (int peer = 0; peer < ranks; ++peer) {
        counts[peer] = bytes;
        at[peer] = peer * bytes;
    }
}

static void by_call(const void* from, void* to) {
    must(MPI_Alltoallv(from, counts, at, MPI_BYTE, to, counts, at, MPI_BYTE, MPI_COMM_WORLD),
         "MPI_Alltoallv");
}

static void by_hand(void) {
    for (int i = 0; i < ranks; ++i)
        must(cu.to_host(pageable_send + at[i], send + (address)at[i], (size_t)counts[i]), "cuMemcpyDtoH");
    PMPI_Alltoallv(pageable_send, counts, at, MPI_BYTE, pageable_recv, counts, at, MPI_BYTE, MPI_COMM_WORLD);
    for (int i = 0; i < ranks; ++i)
        must(cu.to_device(recv + (address)at[i], pageable_recv + at[i], (size_t)counts[i]), "cuMemcpyHtoD");
}

static void copies_alone(void) {
    size_t all = (size_t)counts[0] * (size_t)ranks;
    must(cu.copy((address)(uintptr_t)pinned_send, send, all, stream), "cuMemcpyAsync");
    must(cu.wait(stream), "cuStreamSynchronize");
    must(cu.copy(recv, (address)(uintptr_t)pinned_recv, all, stream), "cuMemcpyAsync");
    must(cu.wait(stream), "cuStreamSynchronize");
}

static void copies_from_others(void) {
    PMPI_Barrier(MPI_COMM_WORLD);
    for (int i = 0; i < ranks; ++i) {
        int peer = (rank + i) % ranks;
        must(
            cu.copy(recv + (address)at[peer], theirs[peer] + (address)at[rank], (size_t)counts[peer], stream),
            "cuMemcpyAsync");
    }
    must(cu.wait(stream), "cuStreamSynchronize");
    PMPI_Barrier(MPI_COMM_WORLD);
}

static void exchange(int bytes, int kind) {
    const int is_call = kind < variants + hosts;
    of_block(bytes + (is_call ? step * (kind < variants ? kind : kind - variants) : 0));
    if (kind < variants)
        by_call((void*)(uintptr_t)send, (void*)(uintptr_t)recv);
    else if (is_call)
        by_call(pageable_send, pageable_recv);
    else if (kind == variants + hosts + naive)
        by_hand();
    else if (kind == variants + hosts + copy)
        copies_alone();
    else if (mapped)
        copies_from_others();
}

static int compare(const void* left, const void* right) {
    double a = *(const double*)left, b = *(const double*)right;
    return (a > b) - (a < b);
}

static double now_us(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec * 1e6 + (double)time.tv_nsec * 1e-3;
}

/* Microseconds of one exchange, of the slowest rank. */
static double timed(int bytes, int kind) {
    PMPI_Barrier(MPI_COMM_WORLD);
    double start = now_us();
    exchange(bytes, kind);
    double mine = now_us() - start, slowest;
    const int is_mean = kind == variants + hosts + copy; /* as the log says it of copies */
    PMPI_Allreduce(&mine, &slowest, 1, MPI_DOUBLE, is_mean ? MPI_SUM : MPI_MAX, MPI_COMM_WORLD);
    return is_mean ? slowest / ranks : slowest;
}

static void print_medians(const char* name, double* times, int kinds, int rounds, int most) {
    printf(" %s=", name);
    for (int kind = 0; kind < kinds; ++kind) {
        double* of_kind = times + (size_t)kind * (size_t)most;
        qsort(of_kind, (size_t)rounds, sizeof *of_kind, compare);
        printf("%s%.1f", kind > 0 ? "," : "", of_kind[rounds / 2]);
    }
}

static void time_size(int bytes, int most, double seconds) {
    const int kinds = variants + hosts + others;
    double* times = malloc(sizeof(double) * (size_t)kinds * (size_t)most);
    for (int kind = 0; kind < kinds; ++kind) exchange(bytes, kind); /* first calls allocate */
    double start = now_us();
    int round = 0;
    for (int goes_on = 1; goes_on; PMPI_Bcast(&goes_on, 1, MPI_INT, 0, MPI_COMM_WORLD)) {
        for (int kind = 0; kind < kinds; ++kind) times[kind * most + round] = timed(bytes, kind);
        ++round;
        goes_on = round < most && (round < fewest_rounds || now_us() - start < seconds * 1e6);
    }
    if (rank == 0) {
        printf("block=%d rounds=%d", bytes, round);
        print_medians("device", times, variants, round, most);
        print_medians("host", times + (size_t)variants * (size_t)most, hosts, round, most);
        double* rest = times + (size_t)(variants + hosts) * (size_t)most;
        print_medians("naive", rest + naive * most, 1, round, most);
        print_medians("copy", rest + copy * most, 1, round, most);
        if (mapped)
            print_medians("ipc", rest + ipc * most, 1, round, most);
        else
            printf(" ipc=-1");
        putchar('\n');
        fflush(stdout);
    }
    free(times);
}

int main(int argc, char** argv) {
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    if (argc < 6) client_fail("usage: exchange_times ROUNDS SECONDS VARIANTS HOSTS BYTES...");
    if (ranks > client_max_ranks) client_fail("at most %d ranks", client_max_ranks);
    load();
    int rounds = atoi(argv[1]), most = 0;
    double seconds = atof(argv[2]);
    variants = atoi(argv[3]);
    hosts = atoi(argv[4]);
    if (rounds < fewest_rounds || variants < 1 || variants > most_variants || hosts < 0 || hosts > variants)
        client_fail("at least %d rounds, 1 to %d variants, and as many on host memory at most", fewest_rounds,
                    most_variants);
    for (int i = 5; i < argc; ++i)
        if (atoi(argv[i]) > most) most = atoi(argv[i]);
    size_t all = ((size_t)most + (size_t)(step * variants)) * (size_t)ranks;
    if (most < 1 || all > INT32_MAX) client_fail("less than 2 GiB on a rank");
    must(cu.allocate(&send, all), "cuMemAlloc");
    must(cu.allocate(&recv, all), "cuMemAlloc");
    must(cu.pinned(&pinned_send, all, 1), "cuMemHostAlloc");
    must(cu.pinned(&pinned_recv, all, 1), "cuMemHostAlloc");
    pageable_send = malloc(all);
    pageable_recv = malloc(all);
    if (!pageable_send || !pageable_recv) client_fail("no memory");
    client_fill(pageable_send, all, rank, 1);
    must(cu.to_device(send, pageable_send, all), "cuMemcpyHtoD");
    map_memory_of_others();
    for (int i = 5; i < argc; ++i) time_size(atoi(argv[i]), rounds, seconds);
    client_finish();
    MPI_Finalize();
    return 0;
}
