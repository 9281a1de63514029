// libswitchyard.so: what LD_PRELOAD puts in front of a program. It knows no MPI: at the first MPI call it
// looks which one the program has loaded, and opens the back end that was built for it. Whatever goes wrong,
// calls are forwarded untouched.
//
// Fortran: on Open MPI every Fortran binding, on MPICH part of them, calls `PMPI_X` from the MPI's Fortran
// library. So `PMPI_X` is exported too, and is the application's call exactly when it comes from there.

#include "abi.hpp"
#include "modules.hpp"

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <initializer_list>
#include <pthread.h>
#include <unistd.h>

namespace {

using namespace switchyard::shim;

struct State {
    Host host{};
    BackEnd back_end{}; // all null: forward everything
    char version[8192];
    LoadedMpi mpi;
};
State state;
std::atomic<bool> resolved{false};
pthread_once_t resolving = PTHREAD_ONCE_INIT;

// One line on stderr, once per job as far as the environment tells which rank this is.
void warn(const char* format, const char* detail) {
    const char* verbose = std::getenv("SWITCHYARD_VERBOSE");
    if (verbose != nullptr && (std::strcmp(verbose, "off") == 0 || std::strcmp(verbose, "critical") == 0))
        return;
    for (const char* name : {"OMPI_COMM_WORLD_RANK", "PMI_RANK", "PMIX_RANK", "SLURM_PROCID"}) {
        const char* rank = std::getenv(name);
        if (rank == nullptr) continue;
        if (std::strcmp(rank, "0") != 0) return;
        break;
    }
    char line[5120] = "switchyard: warning: ";
    auto used = std::strlen(line);
    int length = std::snprintf(line + used, sizeof line - used - 1, format, detail);
    if (length < 0) return;
    used = std::strlen(line);
    line[used++] = '\n';
    [[maybe_unused]] auto written = write(STDERR_FILENO, line, used);
}

template <typename Function>
void find_functions(const char* name, Function& next, Function& mpi, bool& tool_below) {
    char symbol[64];
    std::snprintf(symbol, sizeof symbol, "PMPI_%s", name);
    void* real = state.mpi.handle != nullptr ? dlsym(state.mpi.handle, symbol) : dlsym(RTLD_NEXT, symbol);
    mpi = next = reinterpret_cast<Function>(real);
    // A tool preloaded after us stands between us and the MPI: forwarding to it keeps it working.
    void* after_us = dlsym(RTLD_NEXT, symbol + 1);
    if (real == nullptr || after_us == nullptr || in_mpi(after_us)) return;
    if (caller_at(after_us) == Caller::fortran) return;
    next = reinterpret_cast<Function>(after_us);
    tool_below = true;
}

const char* family_of(const char* version) {
    if (std::strstr(version, "Open MPI") != nullptr) return "openmpi";
    for (const char* name : {"MPICH", "Intel(R) MPI", "MVAPICH"}) // one ABI since 2014
        if (std::strstr(version, name) != nullptr) return "mpich";
    return nullptr;
}

bool back_end_path(const char* family, char* path, std::size_t size) {
    Dl_info self{};
    if (dladdr(reinterpret_cast<void*>(&back_end_path), &self) == 0) return false;
    const char* slash = std::strrchr(self.dli_fname, '/');
    int directory = slash == nullptr ? 0 : static_cast<int>(slash - self.dli_fname + 1);
    int length = std::snprintf(path, size, "%.*slibswitchyard-%s.so", directory, self.dli_fname, family);
    return length > 0 && static_cast<std::size_t>(length) < size;
}

void open_back_end() {
    int length = 0;
    auto get_version =
        reinterpret_cast<int (*)(char*, int*)>(dlsym(state.mpi.handle, "PMPI_Get_library_version"));
    if (get_version == nullptr || get_version(state.version, &length) != 0)
        return warn("%s does not say its version; nothing is routed", state.mpi.path);
    const char* family = family_of(state.version);
    if (family == nullptr) return warn("no back end for this MPI (%s); nothing is routed", state.version);

    static char path[4096];
    if (!back_end_path(family, path, sizeof path) || access(path, R_OK) != 0)
        return warn("the back end %s is missing; nothing is routed", path);
    // A back end names no MPI library, so that it fits every build of its family: it finds the symbols of the
    // one that is loaded. Where the program keeps that one to itself (a plug-in opened RTLD_LOCAL), it is
    // promoted.
    dlopen(state.mpi.path, RTLD_LAZY | RTLD_NOLOAD | RTLD_GLOBAL);
    void* library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (library == nullptr) return warn("%s; nothing is routed", dlerror());
    auto open = reinterpret_cast<OpenBackEnd>(dlsym(library, back_end_symbol));
    if (open == nullptr) return warn("%s is not a back end; nothing is routed", path);
    state.host.version = Host::current;
    state.host.library_version = state.version;
    state.host.mpi_path = state.mpi.path;
    if (const BackEnd* back_end = open(&state.host)) state.back_end = *back_end;
}

// Whoever the program's calls go to first is not us: it will forward them as `PMPI_X`, which is not ours to
// take.
void warn_of_tool_above() {
    Dl_info first{}, us{};
    void* symbol = dlsym(RTLD_DEFAULT, "MPI_Alltoallv");
    if (symbol == nullptr || dladdr(symbol, &first) == 0 || dladdr(&state, &us) == 0) return;
    if (first.dli_fbase != us.dli_fbase)
        warn(
            "%s comes before switchyard in LD_PRELOAD and takes the calls; nothing is routed or logged. Name "
            "switchyard first",
            first.dli_fname);
}

void resolve() {
    state.mpi = find_loaded_mpi();
#define SWITCHYARD_DECLARE(name, words, values)                                                              \
    find_functions(#name, state.host.next.name, state.host.mpi.name, state.host.tool_below);
#define SWITCHYARD_ENTRY(...) SWITCHYARD_DECLARE(__VA_ARGS__)
#include "entries.def"
#undef SWITCHYARD_DECLARE
    const char* enabled = std::getenv("SWITCHYARD");
    if (enabled != nullptr && std::strcmp(enabled, "off") == 0) {
        // forward everything
    } else if (state.mpi.handle == nullptr) {
        warn("%s; nothing is routed", "no MPI library of the names we know is loaded");
    } else {
        warn_of_tool_above();
        open_back_end();
    }
    resolved.store(true, std::memory_order_release);
}

inline void ensure_resolved() {
    if (__builtin_expect(!resolved.load(std::memory_order_acquire), 0)) pthread_once(&resolving, resolve);
}

// A program that reached its end without one call may have its MPI inside, where we cannot get in front.
__attribute__((destructor)) void warn_of_static_mpi() {
    bool is_rank = std::getenv("OMPI_COMM_WORLD_RANK") != nullptr || std::getenv("PMI_RANK") != nullptr ||
                   std::getenv("PMIX_RANK") != nullptr;
    if (resolved.load(std::memory_order_acquire) || !is_rank) return;
    const char* enabled = std::getenv("SWITCHYARD");
    if (enabled != nullptr && std::strcmp(enabled, "off") == 0) return;
    if (program_has_static_mpi())
        warn("%s: nothing was routed or logged",
             "this program has MPI linked in statically, no preload can reach it");
}

// No such function in this MPI: only a program that looked it up by name can get here. MPI_ERR_OTHER is 16
// or 15.
constexpr int no_such_function = 16;

} // namespace

#define SWITCHYARD_EXPORT extern "C" __attribute__((visibility("default"))) int
#define SWITCHYARD_AND_BINDING(...) (__VA_ARGS__, binding)
#define SWITCHYARD_DECLARE(name, words, values)                                                              \
    SWITCHYARD_EXPORT MPI_##name words {                                                                     \
        ensure_resolved();                                                                                   \
        if (state.back_end.name != nullptr) {                                                                \
            Caller caller = caller_at(__builtin_return_address(0));                                          \
            Binding binding = caller == Caller::fortran ? Binding::fortran : Binding::c;                     \
            if (caller != Caller::mpi) return state.back_end.name SWITCHYARD_AND_BINDING values;             \
        }                                                                                                    \
        return state.host.next.name != nullptr ? state.host.next.name values : no_such_function;             \
    }                                                                                                        \
    SWITCHYARD_EXPORT PMPI_##name words {                                                                    \
        ensure_resolved();                                                                                   \
        if (state.back_end.name != nullptr && caller_at(__builtin_return_address(0)) == Caller::fortran) {   \
            Binding binding = Binding::fortran_by_pmpi;                                                      \
            return state.back_end.name SWITCHYARD_AND_BINDING values;                                        \
        }                                                                                                    \
        return state.host.mpi.name != nullptr ? state.host.mpi.name values : no_such_function;               \
    }
#define SWITCHYARD_ENTRY(...) SWITCHYARD_DECLARE(__VA_ARGS__)
#include "entries.def"
