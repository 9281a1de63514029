// libswitchyard.so, which LD_PRELOAD puts in front of a program. It is compiled without MPI: at the first
// MPI call it finds the MPI that the program has loaded, and opens the back end for its family. Where
// anything goes wrong, all calls are forwarded untouched.
//
// Fortran: all bindings of Open MPI and some of MPICH call `PMPI_X` from the MPI's Fortran library. So
// `PMPI_X` is exported, too. A call of it counts as the application's if it comes from that library, else
// as the MPI's own.

#include "abi.hpp"
#include "modules.hpp"
#include "mpi_families.hpp"
#include "narrow.hpp"

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
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

// One line on stderr. Only rank 0 writes it, where the environment tells the rank.
void warn(const char* format, const char* detail) {
    const char* verbose = std::getenv("SWITCHYARD_VERBOSE");
    if (verbose != nullptr && (std::strcmp(verbose, "off") == 0 || std::strcmp(verbose, "critical") == 0))
        return;
    const char* rank = rank_by_any_launcher();
    if (rank != nullptr && std::strcmp(rank, "0") != 0) return;
    char line[5120] = "switchyard: warning: ";
    auto used = std::strlen(line);
    int length = std::snprintf(line + used, sizeof line - used - 1, format, detail);
    if (length < 0) return;
    used = std::strlen(line);
    line[used++] = '\n';
    [[maybe_unused]] auto written = write(STDERR_FILENO, line, used);
}

template <typename Function>
void find_functions(const char* name, Function& next, Function& mpi) {
    char symbol[64];
    std::snprintf(symbol, sizeof symbol, "PMPI_%s", name);
    void* real = state.mpi.handle != nullptr ? dlsym(state.mpi.handle, symbol) : dlsym(RTLD_NEXT, symbol);
    mpi = next = reinterpret_cast<Function>(real);
    // A tool that is preloaded after us stands between us and the MPI. Calls go to it, so that it keeps
    // working.
    void* after_us = dlsym(RTLD_NEXT, symbol + 1);
    if (real == nullptr || after_us == nullptr || in_mpi(after_us)) return;
    if (is_from_fortran_layer(after_us)) return;
    next = reinterpret_cast<Function>(after_us);
}

bool back_end_path(const MpiFamily& family, char* path, std::size_t size) {
    Dl_info self{};
    if (dladdr(reinterpret_cast<void*>(&back_end_path), &self) == 0) return false;
    const char* slash = std::strrchr(self.dli_fname, '/');
    int directory = slash == nullptr ? 0 : static_cast<int>(slash - self.dli_fname + 1);
    int length = std::snprintf(path, size, "%.*slibswitchyard-%s.so", directory, self.dli_fname, family.name);
    return length > 0 && static_cast<std::size_t>(length) < size;
}

// The version of such a library is that of Open MPI or MPICH, but its handles and constants are not.
bool has_standard_abi(const char* path) {
    const char* slash = std::strrchr(path, '/');
    return std::strncmp(slash == nullptr ? path : slash + 1, "libmpi_abi", 10) == 0;
}

void open_back_end() {
    if (has_standard_abi(state.mpi.path))
        return warn("%s has the standard ABI of MPI-5, which no back end serves yet; nothing is routed",
                    state.mpi.path);
    int length = 0;
    auto get_version =
        reinterpret_cast<int (*)(char*, int*)>(dlsym(state.mpi.handle, "PMPI_Get_library_version"));
    if (get_version == nullptr || get_version(state.version, &length) != 0)
        return warn("%s does not say its version; nothing is routed", state.mpi.path);
    const MpiFamily* family = family_that_says(state.version, &MpiFamily::library_says);
    if (family == nullptr) return warn("no back end for this MPI (%s); nothing is routed", state.version);

    static char path[4096];
    if (!back_end_path(*family, path, sizeof path) || access(path, R_OK) != 0)
        return warn("the back end %s is missing; nothing is routed", path);
    // A back end is linked with no MPI library, so that it fits every build of its family. It takes the
    // global symbols of the loaded library. A plug-in that was opened with RTLD_LOCAL may keep that
    // library's symbols to itself: this dlopen makes them global.
    dlopen(state.mpi.path, RTLD_LAZY | RTLD_NOLOAD | RTLD_GLOBAL);
    void* library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (library == nullptr) return warn("%s; nothing is routed", dlerror());
    auto open = reinterpret_cast<OpenBackEnd>(dlsym(library, back_end_symbol));
    if (open == nullptr) return warn("%s is not a back end; nothing is routed", path);
    state.host.version = Host::current;
    state.host.library_version = state.version;
    if (const BackEnd* back_end = open(&state.host)) state.back_end = *back_end;
}

// A tool before us in LD_PRELOAD gets the program's calls first. It forwards them as `PMPI_X`, where they
// do not count as the application's.
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
    find_functions(#name, state.host.next.name, state.host.mpi.name);
#define SWITCHYARD_ENTRY(...) SWITCHYARD_DECLARE(__VA_ARGS__)
#include "entries.def"
#undef SWITCHYARD_DECLARE
    narrow_large_counts(state.host, state.mpi.handle != nullptr ? state.mpi.handle : RTLD_NEXT);
    const char* enabled = std::getenv("SWITCHYARD");
    if (enabled != nullptr && std::strcmp(enabled, "off") == 0) {
        // forward everything
    } else if (state.mpi.handle == nullptr) {
        warn("%s; nothing is routed", "no MPI library with a name that switchyard knows is loaded");
    } else {
        warn_of_tool_above();
        open_back_end();
    }
    resolved.store(true, std::memory_order_release);
}

inline void ensure_resolved() {
    if (__builtin_expect(!resolved.load(std::memory_order_acquire), 0)) pthread_once(&resolving, resolve);
}

// At the end of an MPI program that made no call. Its MPI may be linked in statically, out of our reach.
__attribute__((destructor)) void warn_of_static_mpi() {
    if (resolved.load(std::memory_order_acquire) || rank_by_mpi_launcher() == nullptr) return;
    const char* enabled = std::getenv("SWITCHYARD");
    if (enabled != nullptr && std::strcmp(enabled, "off") == 0) return;
    if (program_has_static_mpi())
        warn("%s: nothing was routed or logged",
             "this program has MPI linked in statically, where no preload can reach it");
}

// Returned where this MPI has no such function. Only a program that looked it up by name can get here.
// MPI_ERR_OTHER is 16 in Open MPI, 15 in MPICH.
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
        if (state.back_end.name != nullptr && is_from_fortran_layer(__builtin_return_address(0))) {          \
            Binding binding = Binding::fortran_by_pmpi;                                                      \
            return state.back_end.name SWITCHYARD_AND_BINDING values;                                        \
        }                                                                                                    \
        return state.host.mpi.name != nullptr ? state.host.mpi.name values : no_such_function;               \
    }
#define SWITCHYARD_ENTRY(...) SWITCHYARD_DECLARE(__VA_ARGS__)
#include "entries.def"
