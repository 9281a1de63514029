#include "optional_functions.hpp"

#include "modules.hpp"
#include "references.hpp"

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <pthread.h>

namespace switchyard::shim {

bool OptionalFunction::has_large_counts() const {
    return std::strcmp(name + std::strlen(name) - 2, "_c") == 0;
}

bool OptionalFunction::is_persistent() const {
    return std::strstr(name, "_init") != nullptr;
}

namespace {

struct Functions {
    OptionalFunction* first;
    std::size_t count;
    OptionalFunction* begin() const { return first; }
    OptionalFunction* end() const { return first + count; }
};
Functions functions;

int compare_names(const void* left, const void* right) {
    return std::strcmp(static_cast<const OptionalFunction*>(left)->name,
                       static_cast<const OptionalFunction*>(right)->name);
}

// Null if the symbol is none of these functions, or is a `PMPI_` name not used by MPI's Fortran layer: tools
// call in this way.
OptionalFunction* function_of(const char* symbol, bool is_from_fortran_layer) {
    if (symbol[0] == 'P' && !is_from_fortran_layer) return nullptr;
    OptionalFunction wanted{};
    wanted.name = std::strchr(symbol, '_') + 1;
    void* found = std::bsearch(&wanted, functions.first, functions.count, sizeof wanted, compare_names);
    return static_cast<OptionalFunction*>(found);
}

void* note_reference(const char* symbol, bool is_from_fortran_layer) {
    if (auto* function = function_of(symbol, is_from_fortran_layer)) function->is_referenced = true;
    return nullptr;
}

void* replacement_of(const char* symbol, bool is_from_fortran_layer) {
    const auto* function = function_of(symbol, is_from_fortran_layer);
    if (function == nullptr || !function->is_caught) return nullptr;
    return symbol[0] == 'P' ? function->by_pmpi : function->by_mpi;
}

// A tool before us in LD_PRELOAD keeps the calls that it takes.
bool is_taken_above(const char* name) {
    char symbol[64];
    std::snprintf(symbol, sizeof symbol, "MPI_%s", name);
    return dlsym(RTLD_DEFAULT, symbol) != dlsym(RTLD_NEXT, symbol);
}

// MPI_Start, MPI_Startall and MPI_Request_free also serve other requests. They are caught only in programs
// that have persistent collectives.
bool is_for_other_requests(const OptionalFunction& function) {
    return !function.is_persistent() && !function.has_large_counts();
}

// Looks up all functions now: later, another thread may hold the loader's lock and wait for this rank.
void find_functions() {
    for (auto& function : functions) {
        function.find();
        function.is_left_alone = function.is_there() && is_taken_above(function.name);
    }
}

// Whether something is to be replaced.
bool choose_functions() {
    bool has_any = false, has_persistent = false;
    for (auto& function : functions) {
        if (is_for_other_requests(function)) continue;
        function.is_caught = function.is_referenced && function.can_be_caught();
        has_any |= function.is_caught;
        has_persistent |= function.is_caught && function.is_persistent();
    }
    for (auto& function : functions)
        if (is_for_other_requests(function)) function.is_caught = has_persistent && function.can_be_caught();
    return has_any;
}

// If another thread is replacing, this thread goes on: waiting could be for the loader's lock, which this
// thread may hold. False: an object has to be looked at again.
bool replace_now() {
    static pthread_mutex_t replacing = PTHREAD_MUTEX_INITIALIZER;
    if (pthread_mutex_trylock(&replacing) != 0) return true;
    replace_references(note_reference);
    const bool has_all = !choose_functions() || replace_references(replacement_of);
    pthread_mutex_unlock(&replacing);
    return has_all;
}

} // namespace

void serve(OptionalFunction* table, std::size_t count) {
    functions = {table, count};
    std::qsort(table, count, sizeof *table, compare_names);
    find_functions();
    call_when_opened(replace_now);
}

} // namespace switchyard::shim
