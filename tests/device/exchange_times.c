/* Times of exchanges of device memory, among ranks that share one GPU, through whatever libcuda.so.1 is found. One line
 * for each size, from rank 0: bytes of a block, then microseconds a call (the slowest rank's, median of the calls):
 *
 *   call   MPI_Alltoallv on device memory; what takes it is for who started this to know
 *   naive  pageable host memory, one copy for each block, PMPI_Alltoallv on that, and back
 *   copy   only the two copies of all bytes, from and to pinned memory
 *
 * Usage: exchange_times CALLS BYTES... */
#include "preload/hosts/host.h"

#include <dlfcn.h>
#include <time.h>

typedef unsigned long long address;

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
} cu;

static int rank, ranks;
static address send, recv;
static char *pageable_send, *pageable_recv;
static void *pinned_send, *pinned_recv, *stream;
static int counts[host_max_ranks], at[host_max_ranks];

static void must(int result, const char* what) {
    if (result != 0) host_fail("%s failed: %d", what, result);
}

static void look_up(void* library, const char* name, void* function) {
    *(void**)function = dlsym(library, name);
    if (!*(void**)function) host_fail("the driver has no %s", name);
}

static void load(void) {
    void *library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL), *context;
    if (!library) host_fail("%s", dlerror());
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
    must(cu.init(0), "cuInit");
    must(cu.retain(&context, 0), "cuDevicePrimaryCtxRetain");
    must(cu.set_current(context), "cuCtxSetCurrent");
    must(cu.create(&stream, 0), "cuStreamCreate");
}

static void by_call(int bytes) {
    (void)bytes;
    must(MPI_Alltoallv((void*)(uintptr_t)send, counts, at, MPI_BYTE, (void*)(uintptr_t)recv, counts, at,
                       MPI_BYTE, MPI_COMM_WORLD),
         "MPI_Alltoallv");
}

static void by_hand(int bytes) {
    size_t block = (size_t)bytes;
    for (int i = 0; i < ranks; ++i)
        must(cu.to_host(pageable_send + (size_t)at[i], send + (size_t)at[i], block), "cuMemcpyDtoH");
    PMPI_Alltoallv(pageable_send, counts, at, MPI_BYTE, pageable_recv, counts, at, MPI_BYTE, MPI_COMM_WORLD);
    for (int i = 0; i < ranks; ++i)
        must(cu.to_device(recv + (size_t)at[i], pageable_recv + (size_t)at[i], block), "cuMemcpyHtoD");
}

static void copies_alone(int bytes) {
    size_t all = (size_t)bytes * (size_t)ranks;
    must(cu.copy((address)(uintptr_t)pinned_send, send, all, stream), "cuMemcpyAsync");
    must(cu.wait(stream), "cuStreamSynchronize");
    must(cu.copy(recv, (address)(uintptr_t)pinned_recv, all, stream), "cuMemcpyAsync");
    must(cu.wait(stream), "cuStreamSynchronize");
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

static double median(void (*exchange)(int), int bytes, int calls) {
    double* times = malloc(sizeof(double) * (size_t)calls);
    exchange(bytes);
    for (int i = 0; i < calls; ++i) {
        PMPI_Barrier(MPI_COMM_WORLD);
        double start = now_us();
        exchange(bytes);
        double mine = now_us() - start;
        PMPI_Allreduce(&mine, &times[i], 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    }
    qsort(times, (size_t)calls, sizeof *times, compare);
    double result = times[calls / 2];
    free(times);
    return result;
}

int main(int argc, char** argv) {
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    if (argc < 3) host_fail("usage: exchange_times CALLS BYTES...");
    if (ranks > host_max_ranks) host_fail("at most %d ranks", host_max_ranks);
    load();
    int calls = atoi(argv[1]), most = 0;
    for (int i = 2; i < argc; ++i)
        if (atoi(argv[i]) > most) most = atoi(argv[i]);
    size_t all = (size_t)most * (size_t)ranks;
    if (calls < 1 || most < 1 || all > INT32_MAX) host_fail("calls from 1, and less than 2 GiB on a rank");
    must(cu.allocate(&send, all), "cuMemAlloc");
    must(cu.allocate(&recv, all), "cuMemAlloc");
    must(cu.pinned(&pinned_send, all, 1), "cuMemHostAlloc");
    must(cu.pinned(&pinned_recv, all, 1), "cuMemHostAlloc");
    pageable_send = malloc(all);
    pageable_recv = malloc(all);
    if (!pageable_send || !pageable_recv) host_fail("no memory");
    host_fill(pageable_send, all, rank, 1);
    must(cu.to_device(send, pageable_send, all), "cuMemcpyHtoD");
    for (int i = 2; i < argc; ++i) {
        int bytes = atoi(argv[i]);
        for (int peer = 0; peer < ranks; ++peer) {
            counts[peer] = bytes;
            at[peer] = peer * bytes;
        }
        double call = median(by_call, bytes, calls), naive = median(by_hand, bytes, calls);
        double copy = median(copies_alone, bytes, calls);
        if (rank == 0) printf("block=%d call=%.1f naive=%.1f copy=%.1f\n", bytes, call, naive, copy);
    }
    host_finish();
    MPI_Finalize();
    return 0;
}
