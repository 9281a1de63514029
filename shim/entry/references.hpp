// References of loaded objects to functions: what a call of `MPI_X` in them reaches.
#pragma once

#include <cstddef>

namespace switchyard::shim {

// For each reference of an object to a symbol that begins with `MPI_` or `PMPI_`: the function to put there,
// or null to leave it. It runs under the loader's lock: it may not open, close or look up anything.
using ReplaceReference = void* (*)(const char* symbol, bool is_from_fortran_layer);

// Walks the objects that are loaded now, except the MPI library and what counts as its own. During
// the walk no object can be unloaded. False: another thread is opening an object, whose references
// have to be looked at later. Writes only where the loader is done: data whose addresses are in
// place, RELRO pages that are closed.
bool replace_references(ReplaceReference replacement);

} // namespace switchyard::shim
