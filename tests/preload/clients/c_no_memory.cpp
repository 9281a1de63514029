// Preloaded, it lets one allocation of rank 1 fail: of the shim's start, by NO_MEMORY_AT its number there; or
// after the start, by NO_MEMORY_LATER its number from there on.
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <mpi.h>

namespace {

bool counts = false;
long left = 0;

bool is_rank_1() {
    int rank = 0;
    PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
    return rank == 1;
}

void count_from(const char* variable) {
    const char* number = std::getenv(variable);
    if (number == nullptr || !is_rank_1()) return;
    left = std::atol(number);
    counts = left > 0;
}

template <typename Function>
Function next(const char* name) {
    return reinterpret_cast<Function>(dlsym(RTLD_NEXT, name));
}

} // namespace

// The start's first call of MPI.
extern "C" int PMPI_Comm_create_group(MPI_Comm comm, MPI_Group group, int tag, MPI_Comm* made) {
    static const auto create = next<int (*)(MPI_Comm, MPI_Group, int, MPI_Comm*)>("PMPI_Comm_create_group");
    const int code = create(comm, group, tag, made);
    if (comm == MPI_COMM_WORLD) count_from("NO_MEMORY_AT");
    return code;
}

// The first call after all ranks have agreed to go on.
extern "C" int PMPI_Comm_set_attr(MPI_Comm comm, int keyval, void* value) {
    static const auto set = next<int (*)(MPI_Comm, int, void*)>("PMPI_Comm_set_attr");
    if (comm == MPI_COMM_SELF) {
        if (counts) std::puts("the start had memory");
        counts = false;
        count_from("NO_MEMORY_LATER");
    }
    return set(comm, keyval, value);
}

// The shim has an operator new of its own, which nobody can replace from outside. It asks malloc.
extern "C" void* __libc_malloc(std::size_t bytes);

extern "C" void* malloc(std::size_t bytes) {
    static thread_local bool looks = false; // dladdr may allocate
    if (counts && !looks) {
        looks = true;
        Dl_info caller{};
        const bool is_shim = dladdr(__builtin_return_address(0), &caller) != 0 &&
                             std::strstr(caller.dli_fname, "libswitchyard-") != nullptr;
        looks = false;
        if (is_shim && --left == 0) {
            counts = false;
            return nullptr;
        }
    }
    return __libc_malloc(bytes);
}
