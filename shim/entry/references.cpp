#include "references.hpp"

#include "modules.hpp"
#include "pages.hpp"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <elf.h>
#include <initializer_list>
#include <link.h>
#include <sys/mman.h>

namespace switchyard::shim {

namespace {

#if defined(__x86_64__)
bool is_address_of_function(std::uint64_t type) {
    return type == R_X86_64_JUMP_SLOT || type == R_X86_64_GLOB_DAT || type == R_X86_64_64;
}
#elif defined(__aarch64__)
bool is_address_of_function(std::uint64_t type) {
    return type == R_AARCH64_JUMP_SLOT || type == R_AARCH64_GLOB_DAT || type == R_AARCH64_ABS64;
}
#else
bool is_address_of_function(std::uint64_t) {
    return false; // nothing is replaced
}
#endif

struct Range {
    std::uintptr_t begin = 0, end = 0;
    bool contains(std::uintptr_t address) const { return begin <= address && address < end; }
};

struct References {
    const ElfW(Rela) * first = nullptr;
    std::size_t bytes = 0;
};

// What an object's dynamic section says.
struct Dynamic {
    const char* names = nullptr;
    const ElfW(Sym) * symbols = nullptr;
    References data, calls;
    bool calls_have_addends = false;
};

// The loader has turned the dynamic section's offsets into addresses, but not in the kernel's own object.
template <typename To>
const To* address_in(const dl_phdr_info& object, ElfW(Addr) value) {
    return reinterpret_cast<const To*>(value < object.dlpi_addr ? value + object.dlpi_addr : value);
}

Dynamic dynamic_of(const dl_phdr_info& object) {
    Dynamic found;
    const ElfW(Dyn)* entry = nullptr;
    std::size_t relative = 0;
    for (int i = 0; i < object.dlpi_phnum; ++i)
        if (object.dlpi_phdr[i].p_type == PT_DYNAMIC)
            entry = reinterpret_cast<const ElfW(Dyn)*>(object.dlpi_addr + object.dlpi_phdr[i].p_vaddr);
    for (; entry != nullptr && entry->d_tag != DT_NULL; ++entry) {
        const auto value = entry->d_un.d_val;
        switch (entry->d_tag) {
        case DT_STRTAB: found.names = address_in<char>(object, value); break;
        case DT_SYMTAB: found.symbols = address_in<ElfW(Sym)>(object, value); break;
        case DT_RELA: found.data.first = address_in<ElfW(Rela)>(object, value); break;
        case DT_RELASZ: found.data.bytes = value; break;
        case DT_RELACOUNT: relative = value; break;
        case DT_JMPREL: found.calls.first = address_in<ElfW(Rela)>(object, value); break;
        case DT_PLTRELSZ: found.calls.bytes = value; break;
        case DT_PLTREL: found.calls_have_addends = value == DT_RELA; break;
        default: break;
        }
    }
    if (!found.calls_have_addends) found.calls = {};
    // The first ones have no symbol. They are the majority, and many of their pages have never been read.
    found.data.first += relative;
    found.data.bytes -= relative * sizeof(ElfW(Rela));
    return found;
}

// Where an object's data lie, and how far the loader has got with the object. The loader lists an object
// before it has put the addresses in, and another thread may be opening it right now.
class Data {
  public:
    explicit Data(const dl_phdr_info& object) : object_(object) {
        for (int i = 0; i < object.dlpi_phnum; ++i) {
            const auto& segment = object.dlpi_phdr[i];
            const auto begin = object.dlpi_addr + segment.p_vaddr, end = begin + segment.p_memsz;
            if (segment.p_type == PT_LOAD) end_ = std::max(end_, end);
            if (segment.p_type == PT_GNU_RELRO) protected_ = {page_of(begin), page_of(end)};
        }
    }

    // Code with addresses in it, in a library with text relocations, is left alone.
    bool contains(std::uintptr_t address) const {
        for (int i = 0; i < object_.dlpi_phnum; ++i) {
            const auto& segment = object_.dlpi_phdr[i];
            const auto begin = object_.dlpi_addr + segment.p_vaddr;
            if (segment.p_type == PT_LOAD && Range{begin, begin + segment.p_memsz}.contains(address))
                return (segment.p_flags & PF_W) != 0;
        }
        return false;
    }
    // The pages that the loader makes read-only as its last step (RELRO).
    bool is_protected(std::uintptr_t address) const { return protected_.contains(address); }
    // Whether the loader may still write to this object, as far as its pages show. A finished object stays finished,
    // so its pages are looked at once: a question about other pages than the last reads all mappings of the process.
    bool is_unfinished(Pages& pages) {
        if (!is_finished_)
            is_finished_ =
                protected_.begin >= protected_.end || pages.at(protected_.begin) == Pages::Access::read_only;
        return !is_finished_;
    }
    // Whether the loader has put an address there. Before that, a place has null or an offset in the object.
    // A program at fixed addresses is complete before it runs.
    bool is_address(const void* value) const {
        return object_.dlpi_addr == 0 || reinterpret_cast<std::uintptr_t>(value) > end_ - object_.dlpi_addr;
    }

  private:
    const dl_phdr_info& object_;
    std::uintptr_t end_ = 0;
    Range protected_;
    bool is_finished_ = false;
};

// If the system does not let us, the reference stays as it is, and its calls are not seen. Write access that
// was there before is not taken away.
void write_reference(void** place, void* function, const Data& data, Pages& pages) {
    const auto address = reinterpret_cast<std::uintptr_t>(place);
    if (address % alignof(void*) != 0 || !data.contains(address)) return;
    const void* const value = __atomic_load_n(place, __ATOMIC_RELAXED);
    if (value == function || !data.is_address(value)) return;
    const auto access = pages.at(address);
    auto* const page = reinterpret_cast<void*>(page_of(address));
    const bool is_closed = access == Pages::Access::read_only && data.is_protected(address);
    if (!is_closed && (access != Pages::Access::writable || data.is_protected(address))) return;
    if (is_closed && mprotect(page, sizeof *place, PROT_READ | PROT_WRITE) != 0) return;
    __atomic_store_n(place, function, __ATOMIC_RELEASE); // other threads may be calling
    if (is_closed) mprotect(page, sizeof *place, PROT_READ);
}

bool is_mpi(const dl_phdr_info& object) {
    for (int i = 0; i < object.dlpi_phnum; ++i)
        if (object.dlpi_phdr[i].p_type == PT_LOAD)
            return in_mpi(reinterpret_cast<const void*>(object.dlpi_addr + object.dlpi_phdr[i].p_vaddr));
    return false;
}

bool is_of_mpi(const char* symbol) {
    return std::strncmp(symbol + (symbol[0] == 'P' ? 1 : 0), "MPI_", 4) == 0;
}

struct Walk {
    ReplaceReference replacement;
    Pages pages{};
    bool has_all = true;
};

int replace_in_object(dl_phdr_info* object, std::size_t, void* walking) {
    auto& walk = *static_cast<Walk*>(walking);
    if (is_mpi(*object)) return 0;
    const bool is_fortran = is_fortran_layer(object->dlpi_name);
    const Dynamic dynamic = dynamic_of(*object);
    if (dynamic.names == nullptr || dynamic.symbols == nullptr) return 0;
    Data data(*object);
    for (const References& list : {dynamic.data, dynamic.calls}) {
        for (std::size_t i = 0; i < list.bytes / sizeof(ElfW(Rela)); ++i) {
            const auto& reference = list.first[i];
            if (!is_address_of_function(ELF64_R_TYPE(reference.r_info)) || reference.r_addend != 0) continue;
            const auto& symbol = dynamic.symbols[ELF64_R_SYM(reference.r_info)];
            const char* name = dynamic.names + symbol.st_name;
            if (!is_of_mpi(name)) continue;
            void* function = walk.replacement(name, is_fortran);
            if (function == nullptr) continue;
            if (data.is_unfinished(walk.pages)) {
                walk.has_all = false;
                return 0;
            }
            write_reference(reinterpret_cast<void**>(object->dlpi_addr + reference.r_offset), function, data,
                            walk.pages);
        }
    }
    return 0;
}

} // namespace

bool replace_references(ReplaceReference replacement) {
    Walk walk{replacement};
    dl_iterate_phdr(replace_in_object, &walk);
    return walk.has_all;
}

} // namespace switchyard::shim
