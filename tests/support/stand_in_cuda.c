/* A libcuda.so.1 for tests on machines without a GPU: the entry points that the shim and the tests look up, and no
 * more. Device memory is a file in memory, mapped twice: where the program believes it to be nobody may touch it,
 * so that a host that does gets a signal; the copy functions use the other place.
 *
 * STAND_IN_CUDA_LAZY=1    copies that are queued happen when somebody waits for them, not before
 * STAND_IN_CUDA_NO_PIN=1  no memory can be pinned
 * STAND_IN_CUDA_NO_IPC=1  no other process can map memory
 *
 * stand_in_counts() tells what was asked for so far, stand_in_host_address() where the bytes really are. */
#define _GNU_SOURCE
#include "stand_in_cuda.h"

#include <fcntl.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

typedef int result;
typedef unsigned long long address;

enum {
    success = 0,
    invalid_value = 1,
    out_of_memory = 2,
    not_initialized = 3,
    invalid_context = 201,
    already_registered = 712,
    not_registered = 713,
    invalid_handle = 400
};
enum { attribute_context = 1, attribute_memory_type = 2, attribute_is_managed = 8, attribute_device = 9 };
enum { memory_host = 1, memory_device = 2 };
enum { most_ranges = 4096, most_queued = 65536, most_contexts = 8, deepest = 64 };

struct context {
    int is_alive;
    unsigned long long id;
};
struct stream {
    struct context* context;
    unsigned long long id; /* of its context */
    unsigned flags;
};

/* `alias`: where the host may touch it; of host memory the same. */
struct range {
    address begin;
    size_t bytes;
    char* alias;
    int type, is_managed;
    struct context* context;
    int file; /* -1: no other process can map it */
};
struct copy {
    address to, from;
    size_t bytes;
    int value;
    struct stream* stream;
    struct context* context; /* each has a default stream of its own */
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct range ranges[most_ranges];
static size_t range_count;
static struct copy queue[most_queued];
static size_t queued;
static struct context contexts[most_contexts];
static int is_started;
static struct stand_in_counts counts;
static __thread struct context* stack[deepest];
static __thread int depth;

static int is_set(const char* name) {
    const char* value = getenv(name);
    return value && *value == '1';
}

static struct context* current(void) {
    return depth > 0 ? stack[depth - 1] : NULL;
}

static void complain(const char* what) {
    fprintf(stderr, "stand-in driver: %s\n", what);
    abort();
}

static struct range* find(address at) {
    for (size_t i = 0; i < range_count; ++i)
        if (ranges[i].begin <= at && at - ranges[i].begin < ranges[i].bytes) return &ranges[i];
    return NULL;
}

/* Device memory that was not allocated, or less than is copied, is the caller's mistake. */
static char* real(address at, size_t bytes) {
    struct range* range = find(at);
    if (!range) return (char*)(uintptr_t)at;
    if (range->type == memory_device && at - range->begin + bytes > range->bytes) return NULL;
    return range->type == memory_device ? range->alias + (at - range->begin) : (char*)(uintptr_t)at;
}

static result copy_now(const struct copy* copy) {
    char* to = real(copy->to, copy->bytes);
    if (copy->value >= 0) {
        if (!to) return invalid_value;
        memset(to, copy->value, copy->bytes);
        return success;
    }
    char* from = real(copy->from, copy->bytes);
    if (!to || !from) return invalid_value;
    memcpy(to, from, copy->bytes);
    return success;
}

/* What a wait for `stream` has to end: its own copies, and what the default stream was given before. */
static result run_queue(struct stream* stream) {
    int with_default = !stream || stream->flags == 0;
    const struct context* context = stream ? stream->context : current();
    result first = success;
    size_t kept = 0;
    for (size_t i = 0; i < queued; ++i) {
        if ((stream && queue[i].stream == stream) ||
            (with_default && !queue[i].stream && queue[i].context == context)) {
            result outcome = copy_now(&queue[i]);
            if (first == success) first = outcome;
        } else {
            queue[kept++] = queue[i];
        }
    }
    queued = kept;
    return first;
}

static result enqueue(struct copy copy) {
    copy.context = current();
    if (queued == most_queued) complain("too many copies under way");
    if (is_set("STAND_IN_CUDA_LAZY") || (!copy.stream && copy.value >= 0)) {
        queue[queued++] = copy;
        return success;
    }
    if (!copy.stream || copy.stream->flags == 0) run_queue(NULL);
    return copy_now(&copy);
}

static void add_range(struct range range) {
    if (range_count == most_ranges) complain("too many allocations");
    ranges[range_count++] = range;
}

static void remove_range(struct range* range) {
    *range = ranges[--range_count];
}

/* ---- Start and contexts ---- */

/* A driver takes a while. This one takes less, but some ticks of the coarse clock by which the shim looks for drivers. */
result cuInit(unsigned flags) {
    if (flags != 0) return invalid_value;
    struct timespec pause = {0, 30000000};
    if (!is_started) nanosleep(&pause, NULL);
    is_started = 1;
    return success;
}

result cuDeviceGet(int* device, int ordinal) {
    if (!is_started) return not_initialized;
    *device = ordinal;
    return ordinal == 0 ? success : invalid_value;
}

static void begin_context(struct context* context) {
    static unsigned long long last;
    *context = (struct context){1, ++last};
}

result cuDevicePrimaryCtxRetain(struct context** context, int device) {
    if (!is_started) return not_initialized;
    if (device != 0) return invalid_value;
    if (!contexts[0].is_alive) begin_context(&contexts[0]);
    *context = &contexts[0];
    return success;
}

result cuCtxCreate_v2(struct context** context, unsigned flags, int device) {
    (void)flags;
    if (!is_started || device != 0) return not_initialized;
    for (int i = 1; i < most_contexts; ++i)
        if (!contexts[i].is_alive) {
            begin_context(&contexts[i]);
            *context = &contexts[i];
            stack[depth++] = *context;
            return success;
        }
    return out_of_memory;
}

/* All that belongs to it is gone. */
static result end_context(struct context* context) {
    pthread_mutex_lock(&lock);
    for (size_t i = 0; i < range_count;)
        if (ranges[i].context == context)
            remove_range(&ranges[i]);
        else
            ++i;
    context->is_alive = 0;
    pthread_mutex_unlock(&lock);
    return success;
}

result cuDevicePrimaryCtxReset_v2(int device) {
    return device == 0 ? end_context(&contexts[0]) : invalid_value;
}

result cuCtxDestroy_v2(struct context* context) {
    if (!context->is_alive) return invalid_context;
    if (current() == context) stack[depth - 1] = NULL;
    return end_context(context);
}

result cuCtxGetId(struct context* context, unsigned long long* id) {
    if (!context->is_alive) return invalid_context;
    *id = context->id;
    return success;
}

result cuCtxGetCurrent(struct context** context) {
    if (!is_started) return not_initialized;
    *context = current();
    return success;
}

result cuCtxSetCurrent(struct context* context) {
    if (!is_started) return not_initialized;
    if (depth == 0) depth = 1;
    stack[depth - 1] = context;
    return success;
}

result cuCtxPushCurrent_v2(struct context* context) {
    if (!context || !context->is_alive) return invalid_context;
    if (depth == deepest) complain("contexts are pushed and not popped");
    stack[depth++] = context;
    return success;
}

result cuCtxPopCurrent_v2(struct context** context) {
    if (depth == 0) return invalid_context;
    *context = stack[--depth];
    return success;
}

/* ---- Memory ---- */

result cuMemAlloc_v2(address* memory, size_t bytes) {
    if (!current()) return invalid_context;
    size_t page = (size_t)sysconf(_SC_PAGESIZE), size = (bytes + page - 1) / page * page;
    int file = memfd_create("stand-in", 0);
    if (file < 0 || ftruncate(file, (off_t)size) != 0) return out_of_memory;
    char* there = mmap(NULL, size, PROT_NONE, MAP_SHARED, file, 0);
    char* alias = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    if (there == MAP_FAILED || alias == MAP_FAILED) return out_of_memory;
    pthread_mutex_lock(&lock);
    add_range((struct range){(address)(uintptr_t)there, size, alias, memory_device, 0, current(), file});
    pthread_mutex_unlock(&lock);
    *memory = (address)(uintptr_t)there;
    return success;
}

/* Memory of a pool belongs to the device, and no other process can map it. */
result cuMemAllocAsync(address* memory, size_t bytes, struct stream* stream) {
    (void)stream;
    result outcome = cuMemAlloc_v2(memory, bytes);
    if (outcome != success) return outcome;
    pthread_mutex_lock(&lock);
    struct range* range = find(*memory);
    range->context = NULL;
    close(range->file);
    range->file = -1;
    pthread_mutex_unlock(&lock);
    return success;
}

result cuMemAllocManaged(address* memory, size_t bytes, unsigned flags) {
    (void)flags;
    if (!current()) return invalid_context;
    char* there = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (there == MAP_FAILED) return out_of_memory;
    pthread_mutex_lock(&lock);
    add_range((struct range){(address)(uintptr_t)there, bytes, there, memory_device, 1, current(), -1});
    pthread_mutex_unlock(&lock);
    *memory = (address)(uintptr_t)there;
    return success;
}

/* The addresses stay taken, as a driver's do, and belong to nothing. */
result cuMemFree_v2(address memory) {
    pthread_mutex_lock(&lock);
    struct range* range = find(memory);
    result outcome = range && range->begin == memory ? success : invalid_value;
    if (outcome == success) {
        if ((address)(uintptr_t)range->alias != memory) munmap(range->alias, range->bytes);
        if (range->file >= 0) close(range->file);
        mmap((void*)(uintptr_t)memory, range->bytes, PROT_NONE, MAP_FIXED | MAP_PRIVATE | MAP_ANONYMOUS, -1,
             0);
        remove_range(range);
    }
    pthread_mutex_unlock(&lock);
    return outcome;
}

static result pin(void* memory, size_t bytes) {
    if (!current()) return invalid_context;
    pthread_mutex_lock(&lock);
    result outcome = find((address)(uintptr_t)memory) ? already_registered : success;
    if (outcome == success) {
        add_range((struct range){(address)(uintptr_t)memory, bytes, memory, memory_host, 0, current(), -1});
        ++counts.pinned;
    }
    pthread_mutex_unlock(&lock);
    return outcome;
}

result cuMemHostRegister_v2(void* memory, size_t bytes, unsigned flags) {
    (void)flags;
    return is_set("STAND_IN_CUDA_NO_PIN") ? out_of_memory : pin(memory, bytes);
}

result cuMemHostUnregister(void* memory) {
    pthread_mutex_lock(&lock);
    struct range* range = find((address)(uintptr_t)memory);
    result outcome = range && range->type == memory_host ? success : not_registered;
    if (outcome == success) {
        remove_range(range);
        ++counts.unpinned;
    }
    pthread_mutex_unlock(&lock);
    return outcome;
}

result cuMemHostAlloc(void** memory, size_t bytes, unsigned flags) {
    (void)flags;
    *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    return *memory == MAP_FAILED ? out_of_memory : pin(*memory, bytes);
}

result cuMemFreeHost(void* memory) {
    return cuMemHostUnregister(memory); /* a test's memory goes with the test */
}

/* An address that the driver does not know has no attributes, which is no error. */
result cuPointerGetAttributes(unsigned number, const int* attributes, void** values, address at) {
    if (!is_started) return not_initialized;
    pthread_mutex_lock(&lock);
    const struct range* range = find(at);
    for (unsigned i = 0; i < number; ++i) switch (attributes[i]) {
        case attribute_context: *(struct context**)values[i] = range ? range->context : NULL; break;
        case attribute_memory_type: *(unsigned*)values[i] = range ? (unsigned)range->type : 0; break;
        case attribute_is_managed: *(unsigned*)values[i] = range ? (unsigned)range->is_managed : 0; break;
        case attribute_device: *(int*)values[i] = range ? 0 : -2; break;
        default: complain("an attribute that it does not know");
        }
    pthread_mutex_unlock(&lock);
    return success;
}

/* ---- Memory of other processes ---- */

struct ipc_handle {
    long process;
    int file;
    size_t bytes;
    char rest[64 - sizeof(long) - sizeof(int) - sizeof(size_t) - 4];
};

result cuIpcGetMemHandle(struct ipc_handle* handle, address memory) {
    pthread_mutex_lock(&lock);
    const struct range* range = find(memory);
    int good = range && range->type == memory_device && range->file >= 0 && !is_set("STAND_IN_CUDA_NO_IPC");
    if (good) *handle = (struct ipc_handle){.process = getpid(), .file = range->file, .bytes = range->bytes};
    pthread_mutex_unlock(&lock);
    return good ? success : invalid_value;
}

/* Through the other process's file, as long as it lives. */
result cuIpcOpenMemHandle_v2(address* memory, struct ipc_handle handle, unsigned flags) {
    char path[64];
    if (!current()) return invalid_context;
    if (flags != 1 || handle.process == getpid()) return invalid_context;
    snprintf(path, sizeof path, "/proc/%ld/fd/%d", handle.process, handle.file);
    int file = open(path, O_RDWR);
    if (file < 0) return invalid_value;
    char* there = mmap(NULL, handle.bytes, PROT_NONE, MAP_SHARED, file, 0);
    char* alias = mmap(NULL, handle.bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    close(file);
    if (there == MAP_FAILED || alias == MAP_FAILED) return out_of_memory;
    pthread_mutex_lock(&lock);
    add_range(
        (struct range){(address)(uintptr_t)there, handle.bytes, alias, memory_device, 0, current(), -1});
    ++counts.mapped;
    pthread_mutex_unlock(&lock);
    *memory = (address)(uintptr_t)there;
    return success;
}

result cuIpcCloseMemHandle(address memory) {
    --counts.mapped;
    return cuMemFree_v2(memory);
}

/* ---- Streams and copies ---- */

result cuStreamCreate(struct stream** stream, unsigned flags) {
    if (!current()) return invalid_context;
    *stream = malloc(sizeof **stream);
    **stream = (struct stream){current(), current()->id, flags};
    ++counts.streams;
    return success;
}

/* A stream that went with its context is no stream any more: a real driver crashes. */
result cuStreamDestroy_v2(struct stream* stream) {
    pthread_mutex_lock(&lock);
    if (!stream->context->is_alive || stream->id != stream->context->id)
        complain("a stream is destroyed twice");
    run_queue(stream);
    pthread_mutex_unlock(&lock);
    free(stream);
    --counts.streams;
    return success;
}

result cuStreamSynchronize(struct stream* stream) {
    if (!current() || (stream && stream->context != current())) return invalid_handle;
    pthread_mutex_lock(&lock);
    result outcome = run_queue(stream);
    pthread_mutex_unlock(&lock);
    return outcome;
}

result cuMemcpyAsync(address to, address from, size_t bytes, struct stream* stream) {
    if (!current() || (stream && stream->context != current())) return invalid_handle;
    pthread_mutex_lock(&lock);
    ++counts.copies;
    counts.bytes += bytes;
    result outcome = enqueue((struct copy){to, from, bytes, -1, stream, NULL});
    pthread_mutex_unlock(&lock);
    return outcome;
}

/* Of the tests: they wait, and do not count. */
static result copy_at_once(address to, address from, size_t bytes) {
    if (!current()) return invalid_context;
    pthread_mutex_lock(&lock);
    run_queue(NULL);
    result outcome = copy_now(&(struct copy){to, from, bytes, -1, NULL, NULL});
    pthread_mutex_unlock(&lock);
    return outcome;
}

result cuMemcpyHtoD_v2(address to, const void* from, size_t bytes) {
    return copy_at_once(to, (address)(uintptr_t)from, bytes);
}

result cuMemcpyDtoH_v2(void* to, address from, size_t bytes) {
    return copy_at_once((address)(uintptr_t)to, from, bytes);
}

/* Work that the program queues: done late, and before whatever waits for the stream. */
result cuMemsetD8Async(address to, unsigned char value, size_t bytes, struct stream* stream) {
    pthread_mutex_lock(&lock);
    result outcome = enqueue((struct copy){to, 0, bytes, value, stream, NULL});
    pthread_mutex_unlock(&lock);
    return outcome;
}

/* ---- For tests ---- */

void stand_in_counts(struct stand_in_counts* result) {
    pthread_mutex_lock(&lock);
    *result = counts;
    pthread_mutex_unlock(&lock);
}

void* stand_in_host_address(const void* at) {
    pthread_mutex_lock(&lock);
    char* there = real((address)(uintptr_t)at, 0);
    pthread_mutex_unlock(&lock);
    return there;
}
