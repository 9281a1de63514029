#include "references.hpp"

#include "modules.hpp"

#include <cstdint>
#include <cstring>
#include <elf.h>
#include <initializer_list>
#include <link.h>
#include <sys/mman.h>
#include <unistd.h>

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

// The loader has made addresses of the offsets in there, but not in the kernel's own object.
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
    // The first ones have no symbol. They are most, and many a page of them was never read.
    found.data.first += relative;
    found.data.bytes -= relative * sizeof(ElfW(Rela));
    return found;
}

std::uintptr_t page_of(std::uintptr_t address) {
    const auto size = static_cast<std::uintptr_t>(sysconf(_SC_PAGESIZE));
    return address & ~(size - 1);
}

// The pages where the loader took the right to write away after it had put the addresses in.
Range read_only_of(const dl_phdr_info& object) {
    for (int i = 0; i < object.dlpi_phnum; ++i) {
        const auto& segment = object.dlpi_phdr[i];
        if (segment.p_type != PT_GNU_RELRO) continue;
        const auto begin = object.dlpi_addr + segment.p_vaddr;
        return {page_of(begin), page_of(begin + segment.p_memsz)};
    }
    return {};
}

// Where the system does not let us, the reference stays as it is: its calls are not seen.
void write_reference(void** place, void* function, const Range& read_only) {
    if (*place == function) return;
    const auto address = reinterpret_cast<std::uintptr_t>(place);
    auto* page = reinterpret_cast<void*>(page_of(address));
    const bool is_protected = read_only.contains(address);
    if (is_protected && mprotect(page, sizeof *place, PROT_READ | PROT_WRITE) != 0) return;
    __atomic_store_n(place, function, __ATOMIC_RELEASE); // other threads may be calling
    if (is_protected) mprotect(page, sizeof *place, PROT_READ);
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

int replace_in_object(dl_phdr_info* object, std::size_t, void* data) {
    if (is_mpi(*object)) return 0;
    const bool is_fortran = is_fortran_layer(object->dlpi_name);
    const Dynamic dynamic = dynamic_of(*object);
    if (dynamic.names == nullptr || dynamic.symbols == nullptr) return 0;
    const Range read_only = read_only_of(*object);
    for (const References& list : {dynamic.data, dynamic.calls}) {
        for (std::size_t i = 0; i < list.bytes / sizeof(ElfW(Rela)); ++i) {
            const auto& reference = list.first[i];
            if (!is_address_of_function(ELF64_R_TYPE(reference.r_info)) || reference.r_addend != 0) continue;
            const auto& symbol = dynamic.symbols[ELF64_R_SYM(reference.r_info)];
            const char* name = dynamic.names + symbol.st_name;
            if (!is_of_mpi(name)) continue;
            void* function = (*static_cast<ReplaceReference*>(data))(name, is_fortran);
            auto** place = reinterpret_cast<void**>(object->dlpi_addr + reference.r_offset);
            if (function != nullptr) write_reference(place, function, read_only);
        }
    }
    return 0;
}

} // namespace

void replace_references(ReplaceReference replacement) {
    dl_iterate_phdr(replace_in_object, &replacement);
}

} // namespace switchyard::shim
