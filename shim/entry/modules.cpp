#include "modules.hpp"

#include "mpi_families.hpp"

#include <algorithm>
#include <atomic>
#include <cstring>
#include <dlfcn.h>
#include <elf.h>
#include <fcntl.h>
#include <link.h>
#include <pthread.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

namespace switchyard::shim {

namespace {

struct Module {
    std::uintptr_t begin, end;
    Caller caller;
};

// The MPI and its Fortran libraries. They are few, so a search walks them all. Entries are only added, so
// readers need no lock. The MPI stays open. A Fortran layer may be closed: then its entry is passed over
// until the layer is back at the same place.
constexpr std::size_t most_modules = 64;
Module modules[most_modules];
std::atomic<bool> are_closed[most_modules];
std::atomic<std::size_t> module_count{0};
pthread_mutex_t adding = PTHREAD_MUTEX_INITIALIZER;

const Module* module_of(std::uintptr_t address) {
    auto count = module_count.load(std::memory_order_acquire);
    for (std::size_t i = 0; i < count; ++i)
        if (modules[i].begin <= address && address < modules[i].end &&
            !are_closed[i].load(std::memory_order_relaxed))
            return &modules[i];
    return nullptr;
}

bool is_a_library_of(MpiFamily::Words MpiFamily::*names, const char* path) {
    return family_with(names, [path](const char* name) { return is_file_of(path, name); }) != nullptr;
}

Module range_of(const dl_phdr_info& object, Caller caller) {
    Module module{~std::uintptr_t{0}, 0, caller};
    for (int i = 0; i < object.dlpi_phnum; ++i) {
        const auto& segment = object.dlpi_phdr[i];
        if (segment.p_type != PT_LOAD) continue;
        auto begin = object.dlpi_addr + segment.p_vaddr;
        if (begin < module.begin) module.begin = begin;
        if (begin + segment.p_memsz > module.end) module.end = begin + segment.p_memsz;
    }
    return module;
}

bool is_at(const Module& module, const Module& range) {
    return module.begin == range.begin && module.end == range.end && module.caller == range.caller;
}

void add(const Module& module) {
    pthread_mutex_lock(&adding);
    auto count = module_count.load(std::memory_order_relaxed);
    const auto is_known = [&](const Module& known) { return is_at(known, module); };
    if (count < most_modules && std::none_of(modules, modules + count, is_known)) {
        modules[count] = module;
        module_count.store(count + 1, std::memory_order_release);
    }
    pthread_mutex_unlock(&adding);
}

// The Fortran layers that are open, as a walk through the objects finds them.
struct OpenLayers {
    bool are_open[most_modules];
};

int note_layer(dl_phdr_info* object, std::size_t, void* data) {
    if (!is_fortran_layer(object->dlpi_name)) return 0;
    const Module range = range_of(*object, Caller::fortran);
    add(range);
    const auto count = module_count.load(std::memory_order_acquire);
    for (std::size_t i = 0; i < count; ++i)
        if (is_at(modules[i], range)) static_cast<OpenLayers*>(data)->are_open[i] = true;
    return 0;
}

int count_opened(dl_phdr_info* object, std::size_t, void* data) {
    *static_cast<unsigned long long*>(data) = object->dlpi_adds;
    return 1;
}

// Objects that this process has opened so far.
unsigned long long opened_objects() {
    unsigned long long opened = 0;
    dl_iterate_phdr(count_opened, &opened);
    return opened;
}

std::atomic<unsigned long long> opened_at_last_look{0};
bool (*on_opened)() = nullptr;

// How often to come back for objects that the loader was working on. Some never look finished.
constexpr int most_looks_again = 16;
std::atomic<int> looks_again{0};

// Finds the Fortran layers that are open now. They are not held open: asking the loader for a
// handle means waiting for its lock, and another thread may hold the lock in a library's
// constructor that waits for this rank.
void look_for_layers() {
    const auto opened = opened_objects();
    const bool is_new = opened != opened_at_last_look.load(std::memory_order_acquire);
    if (!is_new && looks_again.load(std::memory_order_relaxed) == 0) return;
    if (is_new) {
        OpenLayers layers{};
        dl_iterate_phdr(note_layer, &layers);
        const auto count = module_count.load(std::memory_order_acquire);
        for (std::size_t i = 0; i < count; ++i)
            if (modules[i].caller == Caller::fortran)
                are_closed[i].store(!layers.are_open[i], std::memory_order_relaxed);
        opened_at_last_look.store(opened, std::memory_order_release);
    }
    if (on_opened == nullptr) return;
    const int left = is_new ? most_looks_again : looks_again.load(std::memory_order_relaxed) - 1;
    looks_again.store(on_opened() ? 0 : left, std::memory_order_relaxed);
}

// Objects that may be the MPI library.
struct Candidate {
    Module range;
    char path[4096];
};
struct Candidates {
    static constexpr std::size_t most = 16;
    Candidate list[most];
    std::size_t count = 0;
};

int add_candidate(dl_phdr_info* object, std::size_t, void* data) {
    const char* path = object->dlpi_name;
    auto* candidates = static_cast<Candidates*>(data);
    if (!is_a_library_of(&MpiFamily::libraries, path) || is_fortran_layer(path) ||
        candidates->count == Candidates::most)
        return 0;
    auto& candidate = candidates->list[candidates->count++];
    candidate.range = range_of(*object, Caller::mpi);
    std::strncpy(candidate.path, path, sizeof candidate.path - 1);
    return 0;
}

// Opens a candidate if it is an MPI; null if it is not. It stays open, since we keep addresses in it.
void* open_mpi(const Candidate& candidate) {
    void* handle = dlopen(candidate.path, RTLD_LAZY | RTLD_NOLOAD);
    if (handle == nullptr) return nullptr;
    // dlsym also finds the symbol through the handle of a library that depends on the MPI, as libmpi_cxx
    // does. So the symbol's address must lie in this object.
    const auto address = reinterpret_cast<std::uintptr_t>(dlsym(handle, "PMPI_Alltoallv"));
    if (candidate.range.begin <= address && address < candidate.range.end) return handle;
    dlclose(handle);
    return nullptr;
}

} // namespace

constinit std::atomic<std::uintptr_t> CallSites::places_[CallSites::most]{};

bool is_file_of(const char* path, const char* beginning) {
    const char* slash = std::strrchr(path, '/');
    const char* name = slash == nullptr ? path : slash + 1;
    return std::strncmp(name, beginning, std::strlen(beginning)) == 0;
}

bool is_fortran_layer(const char* path) {
    return is_a_library_of(&MpiFamily::fortran_libraries, path);
}

void call_when_opened(bool (*function)()) {
    on_opened = function;
    looks_again.store(function() ? 0 : most_looks_again, std::memory_order_relaxed);
}

// A site may be stale: its library was closed, and a Fortran layer is at its addresses now. Then the log has
// the wrong binding, and nothing else is wrong.
Caller caller_at(const void* return_address) {
    if (CallSites::has(return_address)) return Caller::application;
    const auto address = reinterpret_cast<std::uintptr_t>(return_address);
    if (const Module* module = module_of(address)) return module->caller;
    look_for_layers();
    if (const Module* module = module_of(address)) return module->caller;
    CallSites::add(return_address);
    return Caller::application;
}

bool is_from_fortran_layer(const void* return_address) {
    const auto address = reinterpret_cast<std::uintptr_t>(return_address);
    const Module* module = module_of(address);
    if (module == nullptr) {
        look_for_layers();
        module = module_of(address);
    }
    return module != nullptr && module->caller == Caller::fortran;
}

MpiLibrary find_mpi_library() {
    static Candidates candidates; // too large for a stack. (The walk itself may not call dlopen.)
    MpiLibrary mpi{};
    dl_iterate_phdr(add_candidate, &candidates);
    for (std::size_t i = 0; i < candidates.count; ++i) {
        const Candidate& candidate = candidates.list[i];
        void* handle = open_mpi(candidate);
        if (handle == nullptr) continue;
        const bool is_first = mpi.handle == nullptr;
        if (is_first) mpi.handle = handle;
        std::strncpy(is_first ? mpi.path : mpi.second, candidate.path, sizeof mpi.path - 1);
        add(candidate.range);
    }
    look_for_layers();
    return mpi;
}

void* symbol_for(const void* address, const char* symbol) {
    Dl_info object{};
    if (dladdr(address, &object) == 0) return nullptr;
    void* handle = dlopen(object.dli_fname, RTLD_LAZY | RTLD_NOLOAD);
    if (handle == nullptr) return nullptr; // the program itself
    void* found = dlsym(handle, symbol);
    dlclose(handle);
    return found;
}

namespace {

struct ObjectAt {
    std::uintptr_t address;
    Module range;
};

int find_object(dl_phdr_info* object, std::size_t, void* data) {
    auto* wanted = static_cast<ObjectAt*>(data);
    wanted->range = range_of(*object, Caller::mpi);
    return wanted->range.begin <= wanted->address && wanted->address < wanted->range.end ? 1 : 0;
}

} // namespace

void take_for_mpi(const void* address) {
    ObjectAt object{reinterpret_cast<std::uintptr_t>(address), {}};
    if (dl_iterate_phdr(find_object, &object) != 0) add(object.range);
}

bool in_mpi(const void* address) {
    const Module* module = module_of(reinterpret_cast<std::uintptr_t>(address));
    return module != nullptr && module->caller == Caller::mpi;
}

namespace {

// Null if the file is not an ELF file.
const ElfW(Ehdr) * header_of(const char* file, std::size_t size) {
    if (size < sizeof(ElfW(Ehdr)) || std::memcmp(file, ELFMAG, SELFMAG) != 0) return nullptr;
    return reinterpret_cast<const ElfW(Ehdr)*>(file);
}

bool defines_mpi_init(const char* file, std::size_t size) {
    const auto* header = header_of(file, size);
    if (header == nullptr || header->e_shoff == 0 ||
        header->e_shoff + header->e_shnum * sizeof(ElfW(Shdr)) > size)
        return false;
    const auto* sections = reinterpret_cast<const ElfW(Shdr)*>(file + header->e_shoff);
    for (int i = 0; i < header->e_shnum; ++i) {
        const auto& table = sections[i];
        if (table.sh_type != SHT_SYMTAB && table.sh_type != SHT_DYNSYM) continue;
        if (table.sh_link >= header->e_shnum || table.sh_offset + table.sh_size > size) continue;
        const auto& names = sections[table.sh_link];
        if (names.sh_offset + names.sh_size > size) continue;
        const auto* symbols = reinterpret_cast<const ElfW(Sym)*>(file + table.sh_offset);
        for (std::size_t s = 0; s < table.sh_size / sizeof(ElfW(Sym)); ++s) {
            if (symbols[s].st_shndx == SHN_UNDEF || symbols[s].st_name >= names.sh_size) continue;
            if (std::strcmp(file + names.sh_offset + symbols[s].st_name, "PMPI_Init") == 0) return true;
        }
    }
    return false;
}

bool has_all_segments(const char* file, std::size_t size) {
    const auto* header = header_of(file, size);
    if (header == nullptr || header->e_phoff + header->e_phnum * sizeof(ElfW(Phdr)) > size) return false;
    const auto* segments = reinterpret_cast<const ElfW(Phdr)*>(file + header->e_phoff);
    for (int i = 0; i < header->e_phnum; ++i)
        if (segments[i].p_type == PT_LOAD && segments[i].p_offset + segments[i].p_filesz > size) return false;
    return true;
}

// Whether a property holds for the contents of a file; false where it cannot be read.
bool holds_for_file(const char* path, bool (*property)(const char* file, std::size_t size)) {
    const int file = open(path, O_RDONLY | O_CLOEXEC);
    if (file < 0) return false;
    struct stat info {};
    bool holds = false;
    if (fstat(file, &info) == 0 && info.st_size > 0) {
        const auto size = static_cast<std::size_t>(info.st_size);
        void* map = mmap(nullptr, size, PROT_READ, MAP_PRIVATE, file, 0);
        if (map != MAP_FAILED) {
            holds = property(static_cast<const char*>(map), size);
            munmap(map, size);
        }
    }
    close(file);
    return holds;
}

} // namespace

bool program_has_static_mpi() {
    return holds_for_file("/proc/self/exe", defines_mpi_init);
}

bool is_whole_library(const char* path) {
    return holds_for_file(path, has_all_segments);
}

} // namespace switchyard::shim
