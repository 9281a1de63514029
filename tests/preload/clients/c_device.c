/* Calls on device memory, through whatever libcuda.so.1 is found (or the library that DRIVER names): a real one, or
 * the stand-in of the tests, which also counts. Words of the command line, in order:
 *
 *   load                      the driver is opened and started (else at the first word that needs it)
 *   alltoallv:BYTES           all kinds of memory, types and MPI_IN_PLACE, with a largest block of BYTES; likewise
 *                             alltoallw:BYTES, alltoall:BYTES, allgather:BYTES, allgatherv:BYTES. BYTES is a multiple of 4
 *   host:alltoallv:BYTES      one call on host memory
 *   device:alltoallv:BYTES    one call on device memory
 *   touching:alltoallv:BYTES  one call on device memory, all blocks of one size that touch
 *   freed:alltoallv:BYTES     one call on device memory that rank 0 has freed: prints the class of the error
 *   queued:alltoallv:BYTES    what is sent is written by work queued on the default stream
 *   elsewhere:alltoallv:BYTES the same in a second context, on the default stream there
 *   flying:alltoallv:BYTES    one call on device memory, while a stream of the program's own works on other memory
 *   pooled:alltoallv:BYTES    one call on memory of the driver's pool, which belongs to no context
 *   foreign:alltoallv:BYTES   one call that sends memory of a second context, and one that receives there
 *   destroyed:alltoallv:BYTES the same, then destroys the second context
 *   reset:alltoallv:BYTES     one call on device memory, cuDevicePrimaryCtxReset, and a call on new memory
 *   chunk:BYTES               from here on a copy more for each so many bytes is fine, before and after it
 *   counts                    what the stand-in driver counted since the last time, most of any rank */
#include "client.h"
#include "support/stand_in_cuda.h"

#include <dlfcn.h>

typedef unsigned long long address;

static struct {
    int (*init)(unsigned);
    int (*retain)(void**, int);
    int (*get_current)(void**);
    int (*set_current)(void*);
    int (*allocate)(address*, size_t);
    int (*allocate_managed)(address*, size_t, unsigned);
    int (*release)(address);
    int (*pinned)(void**, size_t, unsigned);
    int (*to_device)(address, const void*, size_t);
    int (*to_host)(void*, address, size_t);
    int (*set_async)(address, unsigned char, size_t, void*);
    int (*allocate_async)(address*, size_t, void*);
    int (*create_stream)(void**, unsigned);
    int (*wait_for_stream)(void*);
    int (*create_context)(void**, unsigned, int);
    int (*destroy_context)(void*);
    int (*reset)(int);
    int (*last_error)(void);          /* null: not AMD's */
    stand_in_counts_function* counts; /* null: a real driver */
    void *context, *second_context;
} cu;

/* foreign: in the second context. mixed: device on even ranks, host on odd ones. */
enum kind { host, device, managed, pinned, pooled, foreign, mixed };
/* A longer name comes before its beginning. */
enum which { alltoallv, alltoallw, alltoall, allgatherv, allgather, collectives };
static const char* const names[collectives] = {"alltoallv", "alltoallw", "alltoall", "allgatherv",
                                               "allgather"};

struct shape {
    enum which which;
    enum kind send, recv;
    int bytes, in_place, gaps, touching;
};

static int rank, ranks, salt, chunk;
static struct stand_in_counts seen;

static void look_up(void* library, const char* name, void* function) {
    *(void**)function = dlsym(library, name);
    if (!*(void**)function) client_fail("the driver has no %s", name);
}

static void must(int result, const char* what) {
    if (result != 0) client_fail("%s failed: %d", what, result);
}

static void load(void) {
    if (cu.init) return;
    const char* name = getenv("DRIVER");
    void* library = dlopen(name ? name : "libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
    if (!library) client_fail("%s", dlerror());
    look_up(library, "cuInit", &cu.init);
    look_up(library, "cuDevicePrimaryCtxRetain", &cu.retain);
    look_up(library, "cuCtxGetCurrent", &cu.get_current);
    look_up(library, "cuCtxSetCurrent", &cu.set_current);
    look_up(library, "cuMemAlloc_v2", &cu.allocate);
    look_up(library, "cuMemAllocManaged", &cu.allocate_managed);
    look_up(library, "cuMemFree_v2", &cu.release);
    look_up(library, "cuMemHostAlloc", &cu.pinned);
    look_up(library, "cuMemcpyHtoD_v2", &cu.to_device);
    look_up(library, "cuMemcpyDtoH_v2", &cu.to_host);
    look_up(library, "cuMemsetD8Async", &cu.set_async);
    *(void**)&cu.last_error = dlsym(library, "hipGetLastError");
    *(void**)&cu.counts = dlsym(library, "stand_in_counts");
    *(void**)&cu.allocate_async = dlsym(library, "cuMemAllocAsync"); /* these are not AMD's */
    *(void**)&cu.create_stream = dlsym(library, "cuStreamCreate");
    *(void**)&cu.wait_for_stream = dlsym(library, "cuStreamSynchronize");
    *(void**)&cu.create_context = dlsym(library, "cuCtxCreate_v2");
    *(void**)&cu.destroy_context = dlsym(library, "cuCtxDestroy_v2");
    *(void**)&cu.reset = dlsym(library, "cuDevicePrimaryCtxReset_v2");
    must(cu.init(0), "cuInit");
    must(cu.retain(&cu.context, 0), "cuDevicePrimaryCtxRetain");
    must(cu.set_current(cu.context), "cuCtxSetCurrent");
}

static enum kind here(enum kind kind) {
    return kind != mixed ? kind : rank % 2 == 0 ? device : host;
}

static int is_device(enum kind kind) {
    kind = here(kind);
    return kind != host && kind != pinned;
}

/* The context of that memory is the current one from here on; enter(device) goes back. */
static void enter(enum kind kind) {
    if (kind == foreign && !cu.second_context)
        must(cu.create_context(&cu.second_context, 0, 0), "cuCtxCreate"); /* which makes it current */
    must(cu.set_current(kind == foreign ? cu.second_context : cu.context), "cuCtxSetCurrent");
}

/* One buffer of each kind and side, grown as needed. */
static struct {
    char* memory;
    size_t bytes;
} buffers[mixed][2];

static char* buffer_of(enum kind kind, int side, size_t bytes) {
    kind = here(kind);
    if (buffers[kind][side].bytes >= bytes) return buffers[kind][side].memory;
    address at = 0;
    void* memory = NULL;
    if (kind == host) {
        memory = malloc(bytes);
    } else {
        load();
        enter(kind);
        if (kind == pinned)
            must(cu.pinned(&memory, bytes, 1), "cuMemHostAlloc");
        else if (kind == pooled)
            must(cu.allocate_async(&at, bytes, NULL), "cuMemAllocAsync");
        else if (kind == managed)
            must(cu.allocate_managed(&at, bytes, 1), "cuMemAllocManaged");
        else
            must(cu.allocate(&at, bytes), "cuMemAlloc");
        if (kind == pooled) must(cu.wait_for_stream(NULL), "cuStreamSynchronize");
        enter(device);
    }
    buffers[kind][side].bytes = bytes; /* the old one is left to the end */
    return buffers[kind][side].memory = memory ? memory : (char*)(uintptr_t)at;
}

static void put(enum kind kind, char* to, const char* from, size_t bytes) {
    if (!is_device(kind)) {
        memcpy(to, from, bytes);
        return;
    }
    enter(kind);
    must(cu.to_device((address)(uintptr_t)to, from, bytes), "a copy to the device");
    enter(device);
}

static void get(enum kind kind, char* to, const char* from, size_t bytes) {
    if (!is_device(kind)) {
        memcpy(to, from, bytes);
        return;
    }
    enter(kind);
    must(cu.to_host(to, (address)(uintptr_t)from, bytes), "a copy from the device");
    enter(device);
}

/* ---- The data ---- */

static int gathers(const struct shape* shape) {
    return shape->which >= allgatherv;
}

static int size_of(const struct shape* shape, int source, int destination) {
    int has_one_size = shape->which == alltoall || shape->which == allgather || shape->touching;
    if (gathers(shape)) destination = ranks - 1;
    if (has_one_size || (source == 0 && destination == ranks - 1)) return shape->bytes;
    if ((source + destination) % 5 == 4) return 0;
    return shape->bytes / 4 * ((source * 5 + destination * 3) % 4 + 1) / 4 * 4;
}

static char byte_of(int source, int destination, size_t i) {
    return (char)(31 * source + 17 * destination + 7 * (int)i + (int)(i >> 8) + 3 * salt + 1);
}

/* Items of four bytes, each followed by eight that are none where there are gaps; blocks in the order of the peers,
 * or the other way around, which shows in what touches what. */
static size_t place_of(const struct shape* shape, int peer, size_t byte) {
    size_t at = (size_t)peer * (size_t)shape->bytes + byte;
    return shape->gaps ? at / 4 * 12 + at % 4 : at;
}

static size_t room(const struct shape* shape) {
    return place_of(shape, ranks, 0) + 64;
}

static void fill(const struct shape* shape, char* memory, int source) {
    memset(memory, 85, room(shape));
    for (int peer = 0; peer < ranks; ++peer) {
        int place = gathers(shape) ? (shape->in_place ? rank : 0) : peer;
        for (int i = 0; i < size_of(shape, source, peer); ++i)
            memory[place_of(shape, place, (size_t)i)] = byte_of(source, gathers(shape) ? 0 : peer, (size_t)i);
        if (gathers(shape)) break;
    }
}

static void check(const struct shape* shape, const char* found, const char* before, const char* name) {
    static char* expected;
    expected = realloc(expected, room(shape));
    memcpy(expected, before, room(shape));
    for (int peer = 0; peer < ranks; ++peer)
        for (int i = 0; i < size_of(shape, peer, rank); ++i)
            expected[place_of(shape, peer, (size_t)i)] = byte_of(peer, gathers(shape) ? 0 : rank, (size_t)i);
    for (size_t i = 0; i < room(shape); ++i)
        if (found[i] != expected[i])
            client_fail("%s, send %d, receive %d, in place %d, gaps %d: rank %d has %d, not %d, at byte %zu",
                        name, shape->send, shape->recv, shape->in_place, shape->gaps, rank, found[i],
                        expected[i], i);
}

/* ---- Calls ---- */

static int call(const struct shape* shape, const void* send, void* recv) {
    int out[client_max_ranks], in[client_max_ranks], at[client_max_ranks], bytes_at[client_max_ranks],
        each = shape->bytes / 4;
    MPI_Datatype type = MPI_INT, types[client_max_ranks];
    if (shape->gaps) {
        MPI_Type_create_resized(MPI_INT, 0, 12, &type);
        MPI_Type_commit(&type);
    }
    for (int peer = 0; peer < ranks; ++peer) {
        out[peer] = size_of(shape, rank, peer) / 4;
        in[peer] = size_of(shape, peer, rank) / 4;
        at[peer] = peer * each;
        bytes_at[peer] = (int)place_of(shape, peer, 0);
        types[peer] = type;
    }
    if (shape->in_place) send = MPI_IN_PLACE;
    client_count(MPI_COMM_WORLD);
    int code =
        shape->which == alltoallv ? MPI_Alltoallv(send, out, at, type, recv, in, at, type, MPI_COMM_WORLD)
        : shape->which == alltoallw
            ? MPI_Alltoallw(send, out, bytes_at, types, recv, in, bytes_at, types, MPI_COMM_WORLD)
        : shape->which == alltoall   ? MPI_Alltoall(send, each, type, recv, each, type, MPI_COMM_WORLD)
        : shape->which == allgatherv ? MPI_Allgatherv(send, out[0], type, recv, in, at, type, MPI_COMM_WORLD)
                                     : MPI_Allgather(send, each, type, recv, each, type, MPI_COMM_WORLD);
    if (shape->gaps) MPI_Type_free(&type);
    return code;
}

/* Pieces of a side that do not touch: no more copies than that. With gaps the last item's gap is none of it. */
static unsigned long long spans(const struct shape* shape, int sending) {
    unsigned long long count = 0;
    int touches = 0;
    if (gathers(shape) && sending) return 1;
    if (shape->which == allgather) return !shape->gaps ? 1 : (unsigned long long)ranks;
    for (int peer = 0; peer < ranks; ++peer) {
        int size = sending ? size_of(shape, rank, peer) : size_of(shape, peer, rank);
        if (size > 0 && !touches) ++count;
        touches = size == shape->bytes && !shape->gaps;
    }
    return count;
}

static void check_copies(const struct shape* shape, const struct stand_in_counts* before, const char* name) {
    struct stand_in_counts after;
    unsigned long long most = 0;
    cu.counts(&after);
    enum kind send = shape->in_place ? shape->recv : shape->send;
    if (is_device(send) && !(shape->in_place && shape->gaps)) most += spans(shape, 1);
    if (is_device(shape->recv)) most += spans(shape, 0) * (shape->gaps ? 2 : 1);
    static int
        asked; /* at the first call with a device buffer the shim may try the MPI: a copy there and back */
    if (most > 0 && asked++ == 0) most += 2;
    if (chunk > 0) most += 2 * (unsigned long long)(ranks * shape->bytes / chunk);
    /* Handed over as it is, only the own block is copied. */
    if (after.copies - before->copies > most)
        client_fail("%s, send %d, receive %d, in place %d, gaps %d: %llu copies, not at most %llu", name,
                    shape->send, shape->recv, shape->in_place, shape->gaps, after.copies - before->copies,
                    most);
}

static void run(const struct shape* shape, const char* name) {
    ++salt;
    size_t bytes = room(shape);
    char *filled = malloc(bytes), *found = malloc(bytes);
    char *send = buffer_of(shape->send, 0, bytes), *recv = buffer_of(shape->recv, 1, bytes);
    fill(shape, filled, rank);
    put(shape->send, send, filled, bytes);
    if (!shape->in_place) memset(filled, 85, bytes);
    put(shape->recv, recv, filled, bytes);
    void *before = NULL, *after = NULL;
    struct stand_in_counts counted = {0};
    if (cu.counts) cu.counts(&counted);
    if (cu.init) must(cu.get_current(&before), "cuCtxGetCurrent");
    must(call(shape, send, recv), name);
    if (cu.init) must(cu.get_current(&after), "cuCtxGetCurrent");
    if (before != after) client_fail("%s: another context is current after the call", name);
    if (cu.last_error) must(cu.last_error(), "what the shim left as the last error");
    if (cu.counts) check_copies(shape, &counted, name);
    get(shape->recv, found, recv, bytes);
    check(shape, found, filled, name);
    free(filled);
    free(found);
}

static void run_all(enum which which, int bytes, const char* name) {
    static const enum kind pairs[][2] = {{device, device},  {host, device},    {device, host},
                                         {managed, device}, {pinned, managed}, {mixed, mixed}};
    load();
    for (int gaps = 0; gaps < 2; ++gaps) {
        for (size_t i = 0; i < sizeof pairs / sizeof *pairs; ++i)
            run(&(struct shape){which, pairs[i][0], pairs[i][1], bytes, 0, gaps, 0}, name);
        /* In place all pairs of ranks must have blocks of one size in both directions. */
        for (int kind = 0; kind < 2; ++kind)
            run(&(struct shape){which, kind ? mixed : device, kind ? mixed : device, bytes, 1, gaps, 1},
                name);
    }
}

static void run_freed(const struct shape* shape, const char* name) {
    size_t bytes = room(shape);
    char *send = buffer_of(device, 0, bytes), *recv = buffer_of(device, 1, bytes);
    address gone = 0;
    if (rank == 0) {
        must(cu.allocate(&gone, bytes), "cuMemAlloc");
        must(cu.release(gone), "cuMemFree");
        send = (char*)(uintptr_t)gone;
    }
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    int code = call(shape, send, recv), class = MPI_SUCCESS;
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
    MPI_Error_class(code, &class);
    int is_wanted = class == MPI_ERR_BUFFER, all = 0;
    PMPI_Reduce(&is_wanted, &all, 1, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
    if (rank == 0) printf("%s: MPI_ERR_BUFFER on %d ranks\n", name, all);
}

/* The driver orders our copies behind what the program has queued on the default stream. */
static void run_queued(const struct shape* shape, const char* name) {
    size_t bytes = room(shape);
    char *send = buffer_of(shape->send, 0, bytes), *recv = buffer_of(device, 1, bytes),
         *found = malloc(bytes);
    ++salt;
    enter(shape->send);
    must(cu.set_async((address)(uintptr_t)send, (unsigned char)(salt + rank), bytes, NULL),
         "cuMemsetD8Async");
    enter(device);
    must(call(shape, send, recv), name);
    get(device, found, recv, bytes);
    for (int peer = 0; peer < ranks; ++peer)
        for (int i = 0; i < size_of(shape, peer, rank); ++i)
            if (found[place_of(shape, peer, (size_t)i)] != (char)(salt + peer))
                client_fail("%s: rank %d sent before its memory was written", name, peer);
    free(found);
}

/* Nothing of ours waits for, or writes to, what the program does on other streams. */
static void run_flying(const struct shape* shape, const char* name) {
    enum { bytes = 1 << 20, times = 8, not_ordered_with_default = 1 };
    static void* stream;
    static address memory;
    static char found[bytes];
    if (!stream) {
        must(cu.create_stream(&stream, not_ordered_with_default), "cuStreamCreate");
        must(cu.allocate(&memory, bytes), "cuMemAlloc");
    }
    for (int i = 0; i < times; ++i) {
        must(cu.set_async(memory, (unsigned char)i, bytes, stream), "cuMemsetD8Async");
        run(shape, name);
    }
    must(cu.wait_for_stream(stream), "cuStreamSynchronize");
    must(cu.to_host(found, memory, bytes), "a copy from the device");
    for (int i = 0; i < bytes; ++i)
        if (found[i] != times - 1) client_fail("%s: the program's own work is lost at byte %d", name, i);
}

static void run_foreign(struct shape shape, const char* name) {
    shape.send = foreign;
    run(&shape, name);
    shape.send = device;
    shape.recv = foreign;
    run(&shape, name);
}

static void run_destroyed(const struct shape* shape, const char* name) {
    run_foreign(*shape, name);
    must(cu.destroy_context(cu.second_context), "cuCtxDestroy");
    must(cu.set_current(cu.context), "cuCtxSetCurrent");
    memset(buffers[foreign], 0, sizeof buffers[foreign]);
    cu.second_context = NULL;
}

/* All memory is gone afterwards, also what the shim had pinned, and its streams. */
static void run_reset(const struct shape* shape, const char* name) {
    run(shape, name);
    must(cu.reset(0), "cuDevicePrimaryCtxReset");
    memset(buffers, 0, sizeof buffers);
    must(cu.retain(&cu.context, 0), "cuDevicePrimaryCtxRetain");
    must(cu.set_current(cu.context), "cuCtxSetCurrent");
    run(shape, name);
}

static void print_counts(void) {
    struct stand_in_counts now;
    unsigned long long mine[6] = {0}, most[6] = {0};
    load();
    if (cu.counts) {
        cu.counts(&now);
        mine[0] = now.copies - seen.copies;
        mine[1] = now.bytes - seen.bytes;
        mine[2] = now.pinned - seen.pinned;
        mine[3] = now.unpinned - seen.unpinned;
        mine[4] = (unsigned long long)now.streams;
        mine[5] = (unsigned long long)now.mapped;
        seen = now;
    }
    PMPI_Reduce(mine, most, 6, MPI_UNSIGNED_LONG_LONG, MPI_MAX, 0, MPI_COMM_WORLD);
    if (rank == 0)
        printf("counts: copies=%llu bytes=%llu pinned=%llu unpinned=%llu streams=%llu mapped=%llu\n", most[0],
               most[1], most[2], most[3], most[4], most[5]);
}

static int skip(const char** text, const char* start) {
    size_t length = strlen(start);
    if (strncmp(*text, start, length) != 0) return 0;
    *text += length;
    return 1;
}

static void run_word(const char* word) {
    const char* rest = word;
    int on_host = skip(&rest, "host:"), on_device = !on_host && skip(&rest, "device:");
    int touching = skip(&rest, "touching:"), freed = skip(&rest, "freed:"), queued = skip(&rest, "queued:");
    int flying = skip(&rest, "flying:"), from_pool = skip(&rest, "pooled:");
    int elsewhere = skip(&rest, "elsewhere:"), is_foreign = skip(&rest, "foreign:"),
        destroys = skip(&rest, "destroyed:"), resets = skip(&rest, "reset:");
    enum kind kind = on_host ? host : from_pool ? pooled : device;
    struct shape shape = {.touching = touching, .send = elsewhere ? foreign : kind, .recv = kind};
    int known = 0;
    for (int i = 0; i < collectives && !known; ++i)
        if (skip(&rest, names[i])) {
            shape.which = (enum which)i;
            known = *rest == ':';
        }
    if (!known) client_fail("what is %s?", word);
    shape.bytes = atoi(rest + 1);
    if (!on_host) load();
    if (freed)
        run_freed(&shape, word);
    else if (queued || elsewhere)
        run_queued(&shape, word);
    else if (flying)
        run_flying(&shape, word);
    else if (is_foreign)
        run_foreign(shape, word);
    else if (destroys)
        run_destroyed(&shape, word);
    else if (resets)
        run_reset(&shape, word);
    else if (on_host || on_device || touching || from_pool)
        run(&shape, word);
    else
        run_all(shape.which, shape.bytes, word);
}

int main(int argc, char** argv) {
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    for (int i = 1; i < argc; ++i) {
        if (!strcmp(argv[i], "load"))
            load();
        else if (!strncmp(argv[i], "chunk:", 6))
            chunk = atoi(argv[i] + 6);
        else if (!strcmp(argv[i], "counts"))
            print_counts();
        else
            run_word(argv[i]);
    }
    client_finish();
    MPI_Finalize();
    return 0;
}
