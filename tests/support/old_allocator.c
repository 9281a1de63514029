/* An allocator for LD_PRELOAD, as a program may bring one: gperftools before 2.6.2, libefence. It has no
 * aligned_alloc, so the loader takes the C library's. Memory of that one, or of any other, ends the program
 * where it is given back here. */
#define _GNU_SOURCE
#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

void* __libc_malloc(size_t bytes);
void __libc_free(void* memory);

/* Before each block. */
struct label {
    uintptr_t sign; /* of this allocator, and of the block's address */
    size_t bytes;
    void* whole; /* as the C library gave it */
};

enum { least_alignment = 16 };
static const uintptr_t own_sign = 0x6f6c64616c6c6f63;

static struct label* label_of(void* block) {
    return (struct label*)((char*)block - sizeof(struct label));
}

static struct label* checked_label_of(void* block) {
    struct label* const label = label_of(block);
    if ((uintptr_t)block % least_alignment == 0 && label->sign == ((uintptr_t)block ^ own_sign)) return label;
    static const char complaint[] = "old_allocator: this memory is another allocator's\n";
    if (write(STDERR_FILENO, complaint, sizeof complaint - 1) < 0) _exit(1);
    abort();
}

static void* take(size_t alignment, size_t bytes) {
    if (alignment < least_alignment) alignment = least_alignment;
    size_t needed;
    if (__builtin_add_overflow(bytes, alignment + sizeof(struct label), &needed)) return NULL;
    char* const whole = __libc_malloc(needed);
    if (!whole) {
        errno = ENOMEM;
        return NULL;
    }
    char* block = whole + sizeof(struct label);
    block += -(uintptr_t)block % alignment;
    *label_of(block) = (struct label){(uintptr_t)block ^ own_sign, bytes, whole};
    return block;
}

void* malloc(size_t bytes) {
    return take(0, bytes);
}

void free(void* block) {
    if (!block) return;
    struct label* const label = checked_label_of(block);
    label->sign = 0;
    __libc_free(label->whole);
}

void* calloc(size_t count, size_t size) {
    size_t bytes;
    if (__builtin_mul_overflow(count, size, &bytes)) return NULL;
    void* const block = take(0, bytes);
    return block ? memset(block, 0, bytes) : NULL;
}

void* realloc(void* block, size_t bytes) {
    if (!block) return take(0, bytes);
    const size_t before = checked_label_of(block)->bytes;
    void* const moved = take(0, bytes);
    if (!moved) return NULL;
    memcpy(moved, block, before < bytes ? before : bytes);
    free(block);
    return moved;
}

void* memalign(size_t alignment, size_t bytes) {
    return take(alignment, bytes);
}

int posix_memalign(void** block, size_t alignment, size_t bytes) {
    *block = take(alignment, bytes);
    return *block ? 0 : ENOMEM;
}

void* valloc(size_t bytes) {
    return take((size_t)sysconf(_SC_PAGESIZE), bytes);
}

size_t malloc_usable_size(void* block) {
    return block ? checked_label_of(block)->bytes : 0;
}
