// Functions of newer glibcs, which libstdc++ and libgcc ask for since GCC 12. With these two linked in, our objects would
// need such a glibc, too. So they bring the functions along, made of what older ones have. Nobody else sees them.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <link.h>
#include <stdint.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define HIDDEN __attribute__((visibility("hidden")))

// Of glibc 2.36, for std::random_device.
HIDDEN uint32_t arc4random(void) {
    uint32_t number = 0;
    if (getentropy(&number, sizeof number) == 0) return number;
    struct timespec now = {0}; // a sandbox may forbid getentropy
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint32_t)now.tv_nsec ^ (uint32_t)getpid() << 16;
}

// Of glibc 2.35, for the unwinder: the object that some code belongs to.
#ifdef DLFO_STRUCT_HAS_EH_DBASE

struct search {
    ElfW(Addr) address;
    struct dl_find_object* found;
};

static int is_inside(ElfW(Addr) address, const struct dl_phdr_info* object, const ElfW(Phdr) * segment) {
    const ElfW(Addr) begin = object->dlpi_addr + segment->p_vaddr;
    return segment->p_type == PT_LOAD && begin <= address && address < begin + segment->p_memsz;
}

// The table of the object's frames is all that the unwinder takes, and the bounds of the segment.
static int look_into(struct dl_phdr_info* object, size_t size, void* data) {
    (void)size;
    const struct search* search = data;
    const ElfW(Phdr)* code = NULL, *frames = NULL;
    for (int i = 0; i < object->dlpi_phnum; ++i) {
        const ElfW(Phdr)* segment = &object->dlpi_phdr[i];
        if (is_inside(search->address, object, segment)) code = segment;
        if (segment->p_type == PT_GNU_EH_FRAME) frames = segment;
    }
    if (code == NULL) return 0;
    if (frames == NULL) return -1;
    char* base = (char*)object->dlpi_addr;
    search->found->dlfo_map_start = base + code->p_vaddr;
    search->found->dlfo_map_end = base + code->p_vaddr + code->p_memsz;
    search->found->dlfo_eh_frame = base + frames->p_vaddr;
    return 1;
}

HIDDEN int _dl_find_object(void* address, struct dl_find_object* found) {
    memset(found, 0, sizeof *found);
    struct search search = {(ElfW(Addr))address, found};
    return dl_iterate_phdr(look_into, &search) == 1 ? 0 : -1;
}

#endif
