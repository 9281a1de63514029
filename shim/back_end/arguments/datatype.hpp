// Datatypes: whether their items are plain bytes, and how to pack them if not.
#pragma once

#include <cstddef>
#include <cstdint>
#include <mpi.h>

namespace switchyard::shim {

struct Datatype {
    MPI_Datatype handle;
    std::size_t size;    // bytes of data in one item
    std::int64_t extent; // bytes from one item to the next
    bool dense;          // an item is its bytes, in order, without gaps: it needs no packing
    bool is_committed;   // as far as known: is_committed()
};

// Bytes of data in one item; -1 where the handle is MPI_DATATYPE_NULL or MPI does not say.
std::int64_t size_of(MPI_Datatype type);

// Bytes of one item, if the type is MPI's own and its items are plain bytes; 0 for any other type. The handle
// of such a type lasts as long as MPI.
std::size_t size_of_plain(MPI_Datatype type);

// `keyval`: the attribute of the datatype that remembers the answer.
Datatype inspect(MPI_Datatype type, int keyval);

// Whether MPI accepts this type in communication: it refuses a type that was not committed. MPI has no
// function that tells, so this packs zero items. A "yes" is remembered. `comm`: any of ours. For this moment
// its errors return; any other error on it would run the program's handler.
bool is_committed(const Datatype& type, int keyval, MPI_Comm comm);

// How many types with our attribute MPI has freed in this process. Until this number changes, the handle of
// such a type means the same type.
std::uint64_t types_freed();

// The keyval for inspect(). MPI_KEYVAL_INVALID where MPI has none left: then inspect() takes longer.
int create_datatype_keyval();

// Packs `count` items at `items` into `bytes`, which has count * size bytes; the size has no limit. Returns
// an MPI error code.
int pack(const void* items, std::int64_t count, const Datatype& type, std::byte* bytes, MPI_Comm comm);
int unpack(const std::byte* bytes, void* items, std::int64_t count, const Datatype& type, MPI_Comm comm);

} // namespace switchyard::shim
