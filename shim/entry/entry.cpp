// libswitchyard.so, which LD_PRELOAD puts in front of a program. It is compiled without MPI: at the first
// MPI call it finds the MPI that the program has loaded, and opens the back end for its family. Where
// anything goes wrong, all calls are forwarded untouched.
//
// Fortran: all bindings of Open MPI and some of MPICH call `PMPI_X` from the MPI's Fortran library. So
// `PMPI_X` is exported as well. Such a call counts as the application's if it comes from that library, else
// as the MPI's own.
//
// Functions that an MPI may lack are not exported. Where the MPI has them, the program's references to them
// are replaced (optional_functions.hpp).

#include "abi.hpp"
#include "modules.hpp"
#include "mpi_families.hpp"
#include "narrow.hpp"
#include "optional_functions.hpp"

#include <atomic>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <iterator>
#include <pthread.h>
#include <sys/auxv.h>
#include <unistd.h>

namespace {

using namespace switchyard::shim;

struct State {
    LoadedMpi loaded{};
    BackEnd back_end{}; // all null: forward everything
    char version[8192];
    MpiLibrary mpi;
    bool asks_callers; // two MPIs in local scopes: a call's own object says which one is meant
};
State state;
std::atomic<bool> resolved{false};
pthread_once_t resolving = PTHREAD_ONCE_INIT;

__attribute__((tls_model("initial-exec"))) thread_local constinit AtOnce at_once{};

template <typename... Words>
Word last_of(Word first, Words... others) {
    if constexpr (sizeof...(others) == 0)
        return first;
    else
        return last_of(others...);
}

// Whether a call from that address goes to MPI at once; then it is counted. The last
// word is the communicator.
template <Routed collective, typename... Words>
bool goes_at_once(const void* return_address, Words... words) {
    if (!CallSites::has(return_address) || !at_once.takes(collective, last_of(words...))) return false;
    ++*at_once.calls;
    return true;
}
template <typename... Words>
constexpr bool never(Words...) {
    return false;
}

// One line on stderr. Only rank 0 writes it, where the environment tells the rank.
__attribute__((format(printf, 1, 2))) void warn(const char* format, ...) {
    const char* verbose = std::getenv("SWITCHYARD_VERBOSE");
    if (verbose != nullptr && (std::strcmp(verbose, "off") == 0 || std::strcmp(verbose, "critical") == 0))
        return;
    const char* rank = rank_by_any_launcher();
    if (rank != nullptr && std::strcmp(rank, "0") != 0) return;
    char line[9216] = "switchyard: warning: ";
    auto used = std::strlen(line);
    va_list details;
    va_start(details, format);
    int length = std::vsnprintf(line + used, sizeof line - used - 1, format, details);
    va_end(details);
    if (length < 0) return;
    used = std::strlen(line);
    line[used++] = '\n';
    [[maybe_unused]] auto written = write(STDERR_FILENO, line, used);
}

bool has_two_mpis() {
    return state.mpi.second[0] != '\0';
}

// Where dlsym finds the functions that calls are forwarded to. With two MPIs, in the one that the loader
// finds first, as it does for the program. The loader finds none if both were opened in local scopes.
void* place_of_mpi() {
    if (state.mpi.handle == nullptr || (has_two_mpis() && !state.asks_callers)) return RTLD_NEXT;
    return state.mpi.handle;
}

template <typename Function>
void find_functions(const char* name, Function& next, Function& mpi) {
    char symbol[64];
    std::snprintf(symbol, sizeof symbol, "PMPI_%s", name);
    void* real = dlsym(place_of_mpi(), symbol);
    mpi = next = reinterpret_cast<Function>(real);
    if (real == nullptr) return;
    // A tool that is preloaded after us stands between us and the MPI. Calls go to it,
    // so that it keeps working.
    void* after_us = dlsym(RTLD_NEXT, symbol + 1);
    if (after_us == nullptr || in_mpi(after_us)) return;
    if (is_from_fortran_layer(after_us)) return;
    next = reinterpret_cast<Function>(after_us);
}

// Where a call that is not ours goes: the function that was found, or the function that the
// symbol means to the caller.
template <typename Function>
Function forwarded(Function found, const char* symbol, const void* return_address) {
    if (__builtin_expect(!state.asks_callers, 1)) return found;
    void* own = symbol_for(return_address, symbol);
    return own != nullptr ? reinterpret_cast<Function>(own) : found;
}

bool back_end_path(const char* name, char* path, std::size_t size) {
    Dl_info self{};
    if (dladdr(reinterpret_cast<void*>(&back_end_path), &self) == 0) return false;
    const char* slash = std::strrchr(self.dli_fname, '/');
    int directory = slash == nullptr ? 0 : static_cast<int>(slash - self.dli_fname + 1);
    int length = std::snprintf(path, size, "%.*slibswitchyard-%s.so", directory, self.dli_fname, name);
    return length > 0 && static_cast<std::size_t>(length) < size;
}

// The version of the standard ABI that the loaded MPI has. Other MPIs may have the function as
// well; then it answers -1.
struct AbiVersion {
    int major = -1, minor = -1;
};

AbiVersion version_of_abi() {
    AbiVersion version;
    auto get_version = reinterpret_cast<int (*)(int*, int*)>(dlsym(state.mpi.handle, "PMPI_Abi_get_version"));
    if (get_version == nullptr || get_version(&version.major, &version.minor) != 0) return {};
    return version;
}

// The back end for the loaded MPI by its name; null after a warning. The version of an MPI with the standard
// ABI is that of Open MPI or MPICH, but its handles and constants are not.
const char* name_of_back_end() {
    const char* path = state.mpi.path;
    const AbiVersion abi = version_of_abi();
    if (abi.major == StandardAbi::major_version) return StandardAbi::name;
    if (abi.major >= 0) {
        warn("%s has version %d.%d of MPI's standard ABI, but switchyard knows version %d; nothing is routed",
             path, abi.major, abi.minor, StandardAbi::major_version);
        return nullptr;
    }
    if (is_file_of(path, StandardAbi::library)) {
        warn("%s does not say which version of MPI's standard ABI it has; nothing is routed", path);
        return nullptr;
    }
    const MpiFamily* family = family_that_says(state.version, &MpiFamily::library_says);
    if (family != nullptr) return family->name;
    const int first_line = static_cast<int>(std::strcspn(state.version, "\r\n"));
    warn("no back end for the MPI %s (%.*s); nothing is routed", path, first_line, state.version);
    return nullptr;
}

// MPICH has tabs in its version text, which goes to terminals and logs. Line ends stay.
void drop_control_characters(char* text) {
    for (; *text != '\0'; ++text) {
        const auto code = static_cast<unsigned char>(*text);
        if ((code < ' ' && code != '\n') || code == 0x7F) *text = ' ';
    }
}

bool read_version() {
    int length = 0;
    auto get_version =
        reinterpret_cast<int (*)(char*, int*)>(dlsym(state.mpi.handle, "PMPI_Get_library_version"));
    if (get_version == nullptr || get_version(state.version, &length) != 0) return false;
    drop_control_characters(state.version);
    return true;
}

void open_back_end() {
    if (!read_version()) return warn("%s does not say its version; nothing is routed", state.mpi.path);
    const char* name = name_of_back_end();
    if (name == nullptr) return;

    static char path[4096];
    if (!back_end_path(name, path, sizeof path) || access(path, R_OK) != 0)
        return warn("the back end %s for %s is missing; nothing is routed", path, state.mpi.path);
    if (!is_whole_library(path)) return warn("%s is no whole library; nothing is routed", path);
    // A back end is not linked to an MPI library, so it fits every build of its family. It takes the global
    // symbols of the loaded library. A plug-in that was opened with RTLD_LOCAL may keep that library's
    // symbols to itself: this dlopen makes them global.
    dlopen(state.mpi.path, RTLD_LAZY | RTLD_NOLOAD | RTLD_GLOBAL);
    void* library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (library == nullptr) return warn("%s; nothing is routed", dlerror());
    auto open = reinterpret_cast<OpenBackEnd>(dlsym(library, back_end_symbol));
    if (open == nullptr) return warn("%s is not a back end; nothing is routed", path);
    const auto* version = static_cast<const std::uint32_t*>(dlsym(library, back_end_version_symbol));
    if (version == nullptr || *version != LoadedMpi::current)
        return warn(
            "%s is of another version of switchyard than libswitchyard.so (%u, not %u); nothing is routed",
            path, version != nullptr ? *version : 1, LoadedMpi::current);
    take_for_mpi(reinterpret_cast<const void*>(open)); // its own collectives are not the program's
    state.loaded.version = LoadedMpi::current;
    state.loaded.library_version = state.version;
    state.loaded.at_once = []() -> AtOnce& { return at_once; };
    if (const BackEnd* back_end = open(&state.loaded)) state.back_end = *back_end;
}

bool is_the_program(const Dl_info& object) {
    Dl_info program{};
    const auto* const headers = reinterpret_cast<const void*>(getauxval(AT_PHDR));
    return headers != nullptr && dladdr(headers, &program) != 0 && program.dli_fbase == object.dli_fbase;
}

// A tool before us gets the program's calls first. Most tools pass them on as `PMPI_X`, where they do not
// count as the application's; some pass them on as the next `MPI_X`, which comes to us. Nobody can tell
// before the first call.
void warn_of_tool_above() {
    Dl_info first{}, us{};
    void* symbol = dlsym(RTLD_DEFAULT, "MPI_Alltoallv");
    if (symbol == nullptr || dladdr(symbol, &first) == 0 || dladdr(&state, &us) == 0) return;
    if (first.dli_fbase == us.dli_fbase) return;
    if (is_the_program(first))
        warn("a tool is linked into the program and takes its MPI calls before switchyard. Calls that the "
             "tool passes on as "
             "PMPI_ are neither routed nor logged");
    else
        warn("%s comes before switchyard in LD_PRELOAD. Calls that it passes on as PMPI_ are neither routed "
             "nor logged. Put "
             "switchyard first",
             first.dli_fname);
}

// Defined below, next to the exported functions.
void serve_optional_functions();

void resolve() {
    state.mpi = find_mpi_library();
    state.asks_callers = has_two_mpis() && dlsym(RTLD_NEXT, "PMPI_Alltoallv") == nullptr;
#define SWITCHYARD_DECLARE(name, words, values)                                                              \
    find_functions(#name, state.loaded.next.name, state.loaded.mpi.name);
#define SWITCHYARD_ENTRY(...) SWITCHYARD_DECLARE(__VA_ARGS__)
#define SWITCHYARD_OPTIONAL(...)
#include "entries.def"
#undef SWITCHYARD_DECLARE
    narrow_large_counts(state.loaded, place_of_mpi());
    const char* enabled = std::getenv("SWITCHYARD");
    if (enabled != nullptr && std::strcmp(enabled, "off") == 0) {
        // forward everything
    } else if (state.mpi.handle == nullptr) {
        warn("no MPI library with a name that switchyard knows is loaded; nothing is routed");
    } else if (has_two_mpis()) {
        warn("two MPI libraries in one program, %s and %s; nothing is routed", state.mpi.path,
             state.mpi.second);
    } else {
        warn_of_tool_above();
        open_back_end();
        if (state.back_end.Init != nullptr) serve_optional_functions();
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
        warn("this program has MPI linked in statically, where no preload can reach it: nothing was routed "
             "or logged");
}

// Returned if this MPI has no such function. Only a program that looked it up by name can get here.
// MPI_ERR_OTHER is 16 in Open MPI, 15 in MPICH.
constexpr int no_such_function = 16;

} // namespace

#define SWITCHYARD_EXPORT extern "C" __attribute__((visibility("default"))) int
#define SWITCHYARD_AND_BINDING(...) (__VA_ARGS__, binding)
#define SWITCHYARD_AND_PLACE(...) (__builtin_return_address(0), __VA_ARGS__)
#define SWITCHYARD_DEFINE(linkage, at_once, name, words, values)                                             \
    linkage MPI_##name words {                                                                               \
        if (at_once SWITCHYARD_AND_PLACE values) return state.loaded.next.name values;                       \
        ensure_resolved();                                                                                   \
        if (state.back_end.name != nullptr) {                                                                \
            Caller caller = caller_at(__builtin_return_address(0));                                          \
            Binding binding = caller == Caller::fortran ? Binding::fortran : Binding::c;                     \
            if (caller != Caller::mpi) return state.back_end.name SWITCHYARD_AND_BINDING values;             \
        }                                                                                                    \
        auto next = forwarded(state.loaded.next.name, "MPI_" #name, __builtin_return_address(0));            \
        return next != nullptr ? next values : no_such_function;                                             \
    }                                                                                                        \
    linkage PMPI_##name words {                                                                              \
        ensure_resolved();                                                                                   \
        if (state.back_end.name != nullptr && is_from_fortran_layer(__builtin_return_address(0))) {          \
            Binding binding = Binding::fortran_by_pmpi;                                                      \
            return state.back_end.name SWITCHYARD_AND_BINDING values;                                        \
        }                                                                                                    \
        auto mpi = forwarded(state.loaded.mpi.name, "PMPI_" #name, __builtin_return_address(0));             \
        return mpi != nullptr ? mpi values : no_such_function;                                               \
    }
#define SWITCHYARD_DECLARE(...) SWITCHYARD_DEFINE(__VA_ARGS__)
#define SWITCHYARD_ENTRY(...) SWITCHYARD_DECLARE(SWITCHYARD_EXPORT, never, __VA_ARGS__)
#define SWITCHYARD_ROUTED(collective, ...)                                                                   \
    SWITCHYARD_DECLARE(SWITCHYARD_EXPORT, goes_at_once<Routed::collective>, __VA_ARGS__)
#define SWITCHYARD_OPTIONAL(...)
#include "entries.def"

namespace {

namespace optional {
#define SWITCHYARD_ENTRY(...)
#define SWITCHYARD_OPTIONAL(...) SWITCHYARD_DECLARE(static int, never, __VA_ARGS__)
#include "entries.def"
#undef SWITCHYARD_DECLARE
#undef SWITCHYARD_DEFINE
} // namespace optional

OptionalFunction table_of_optional_functions[] = {
#define SWITCHYARD_DECLARE(name, words, values)                                                              \
    {#name,                                                                                                  \
     reinterpret_cast<void*>(optional::MPI_##name),                                                          \
     reinterpret_cast<void*>(optional::PMPI_##name),                                                         \
     [] { find_functions(#name, state.loaded.next.name, state.loaded.mpi.name); },                           \
     reinterpret_cast<void**>(&state.loaded.mpi.name),                                                       \
     false,                                                                                                  \
     false,                                                                                                  \
     false},
#define SWITCHYARD_ENTRY(...)
#define SWITCHYARD_OPTIONAL(...) SWITCHYARD_DECLARE(__VA_ARGS__)
#include "entries.def"
#undef SWITCHYARD_DECLARE
};

void serve_optional_functions() {
    serve(table_of_optional_functions, std::size(table_of_optional_functions));
}

} // namespace
