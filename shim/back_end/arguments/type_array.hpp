// The datatypes of a collective that has a type for each block, decoded.
#pragma once

#include "call.hpp"
#include "datatype.hpp"

#include <cstdint>
#include <vector>

namespace switchyard::shim {

// The types of one side. Decoding a type takes three to five MPI calls, and programs pass the same types
// again and again. So the array remembers, by handle, what it decoded for earlier calls.
//
// A handle may come back for another type after MPI_Type_free. MPI tells us: a remembered type has an
// attribute of ours, whose delete function counts freed types (types_freed()). When this count changes,
// everything is decoded anew. A type without this attribute is decoded at every call: MPI had no memory for
// the attribute, or the type is not committed. MPI's own types cannot be freed.
class TypeArray {
  public:
    // Takes the types of a new call. The type of a block without items is not significant and is not read.
    // Without memory nothing is remembered, and types are decoded whenever they are asked for.
    void look(const CallArgs::Side& side, int blocks, int datatype_keyval) noexcept;

    // The type of block i, which has items.
    Datatype operator[](int i) const {
        return known_.empty() ? inspect(types_[i], keyval_) : known_[static_cast<std::size_t>(i)];
    }
    // These three consider only blocks with items.
    bool has_null() const { return has_null_; } // one is MPI_DATATYPE_NULL
    bool are_dense() const { return are_dense_; }
    bool are_committed() const { return are_committed_; } // as far as known

  private:
    void make_room(int blocks) noexcept;
    void forget_freed();
    bool are_plain_as_before() const;
    const Datatype& decoded(int i);
    void note(const Datatype& type);

    const MPI_Datatype* types_ = nullptr; // of the last call
    int keyval_ = MPI_KEYVAL_INVALID;
    std::vector<Datatype> known_; // by block; a handle MPI_DATATYPE_NULL: nothing is known
    std::uint64_t freed_ = 0;     // types_freed() when they became known
    bool all_are_plain_ = false;  // all that are known: committed, and without gaps
    bool has_null_ = false, are_dense_ = true, are_committed_ = true;
};

// The types of both sides of a communicator's calls, for all collectives.
struct CallTypes {
    int keyval; // the attribute of a datatype
    TypeArray sent, received;

    // The types of the blocks that this rank sends.
    const TypeArray& outgoing(const CallArgs& call) const { return call.in_place() ? received : sent; }
};

} // namespace switchyard::shim
