// Functions of MPI-4, which not every MPI has. If their names were exported, every program would find
// them, and a program that checks whether its MPI has a function would call a missing one. So the
// names are not exported. Where the MPI has a function, the references of the program's objects to
// this function are replaced.
#pragma once

#include <cstddef>

namespace switchyard::shim {

// A function that is not exported, and ours in its place.
struct OptionalFunction {
    const char* name; // without `MPI_`
    void *by_mpi, *by_pmpi;
    void (*find)();
    void* const* found; // in this MPI; null before it was looked up, and where the MPI has none
    bool is_left_alone, is_referenced, is_caught;

    bool has_large_counts() const;
    bool is_persistent() const;
    bool is_there() const { return *found != nullptr; }
    bool can_be_caught() const { return is_there() && !is_left_alone; }
};

// Replaces references to the functions that this MPI has, now and in libraries that the program opens later.
// This sorts the table, which is used until the process ends.
void serve(OptionalFunction* table, std::size_t functions);

} // namespace switchyard::shim
