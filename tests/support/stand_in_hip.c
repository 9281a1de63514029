/* The stand-in driver as AMD's HIP runtime: the same memory, behind the entry points that the shim looks up there. The
 * tests themselves go on using the CUDA names.
 *
 * STAND_IN_HIP_MAJOR=5  numbers of memory types and the answer for unknown addresses as until ROCm 5 (else 6) */
#include "stand_in_cuda.c"

struct hip_attributes {
    int type, device;
    void *device_pointer, *host_pointer;
    int is_managed;
    unsigned flags;
};
static __thread int hip_device, hip_error;

static int hip_major(void) {
    const char* value = getenv("STAND_IN_HIP_MAJOR");
    return value ? atoi(value) : 6;
}

static result keep(result outcome) {
    if (outcome != success) hip_error = outcome;
    return outcome;
}

/* Whatever context the program has: there is one, and no function of HIP names it. */
static int enter_context(void) {
    return cuCtxPushCurrent_v2(&contexts[0]) == success;
}

static result leave_context(result outcome) {
    struct context* left;
    cuCtxPopCurrent_v2(&left);
    return keep(outcome);
}

result hipRuntimeGetVersion(int* version) {
    *version = hip_major() * 10000000 + 32830;
    return success;
}

result hipPointerGetAttributes(struct hip_attributes* found, const void* at) {
    pthread_mutex_lock(&lock);
    const struct range* range = find((address)(uintptr_t)at);
    int since_6 = hip_major() >= 6;
    *found = (struct hip_attributes){0};
    if (range) {
        found->type = (range->type == memory_device ? 1 : 0) + since_6;
        if (range->is_managed) found->type = 3;
        found->is_managed = range->is_managed;
    }
    pthread_mutex_unlock(&lock);
    return keep(range || since_6 ? success : invalid_value);
}

result hipGetLastError(void) {
    int last = hip_error;
    hip_error = success;
    return last;
}

result hipGetDevice(int* device) {
    *device = hip_device;
    return success;
}

result hipSetDevice(int device) {
    hip_device = device;
    return keep(device == 0 ? success : invalid_value);
}

result hipStreamCreateWithFlags(void** stream, unsigned flags) {
    return enter_context() ? leave_context(cuStreamCreate((struct stream**)stream, flags))
                           : keep(invalid_context);
}

result hipStreamDestroy(void* stream) {
    return keep(cuStreamDestroy_v2(stream));
}

result hipStreamSynchronize(void* stream) {
    return enter_context() ? leave_context(cuStreamSynchronize(stream)) : keep(invalid_context);
}

result hipMemcpyAsync(void* to, const void* from, size_t bytes, int kind, void* stream) {
    if (kind != 4) return keep(invalid_value);
    if (!enter_context()) return keep(invalid_context);
    return leave_context(cuMemcpyAsync((address)(uintptr_t)to, (address)(uintptr_t)from, bytes, stream));
}

result hipHostRegister(void* memory, size_t bytes, unsigned flags) {
    return enter_context() ? leave_context(cuMemHostRegister_v2(memory, bytes, flags))
                           : keep(invalid_context);
}

result hipHostUnregister(void* memory) {
    return keep(cuMemHostUnregister(memory));
}

result hipMalloc(void** memory, size_t bytes) {
    address at = 0;
    if (!enter_context()) return keep(invalid_context);
    result outcome = leave_context(cuMemAlloc_v2(&at, bytes));
    *memory = (void*)(uintptr_t)at;
    return outcome;
}

result hipFree(void* memory) {
    return keep(cuMemFree_v2((address)(uintptr_t)memory));
}

result hipIpcGetMemHandle(struct ipc_handle* handle, void* memory) {
    return keep(cuIpcGetMemHandle(handle, (address)(uintptr_t)memory));
}

result hipIpcOpenMemHandle(void** memory, struct ipc_handle handle, unsigned flags) {
    address at = 0;
    if (!enter_context()) return keep(invalid_context);
    result outcome = leave_context(cuIpcOpenMemHandle_v2(&at, handle, flags));
    *memory = (void*)(uintptr_t)at;
    return outcome;
}

result hipIpcCloseMemHandle(void* memory) {
    return keep(cuIpcCloseMemHandle((address)(uintptr_t)memory));
}
