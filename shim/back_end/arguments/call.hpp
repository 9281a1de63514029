// One intercepted call as the application made it: raw MPI arguments, untouched.
#pragma once

#include "algorithms/collective.hpp"
#include "shim/entry/abi.hpp"

#include <cstdint>
#include <mpi.h>

namespace switchyard::shim {

using algorithms::Collective;

// A count or displacement argument: a number for all ranks, an array of int, or a wide
// array (MPI_Count, MPI_Aint).
class Numbers {
  public:
    static Numbers none() { return one(0); }
    static Numbers one(std::int64_t value) { return {Kind::number, {.number = value}}; }
    static Numbers of(const int* values) { return {Kind::ints, {.ints = values}}; }
    // MPI_Count and MPI_Aint are both 64 bits wide where `_c` exists.
    static Numbers of_wide(const void* values) {
        return {Kind::wide, {.wide = static_cast<const std::int64_t*>(values)}};
    }

    std::int64_t operator[](int i) const {
        return kind_ == Kind::ints ? value_.ints[i] : kind_ == Kind::wide ? value_.wide[i] : value_.number;
    }
    // For an array of int, a wide array, a number: the caller knows which one this is.
    const int* ints() const { return value_.ints; }
    const std::int64_t* wide() const { return value_.wide; }
    std::int64_t value() const { return value_.number; }
    bool is_array() const { return kind_ != Kind::number; }
    bool is_ints() const { return kind_ == Kind::ints; }
    bool is_null() const { return value_.ints == nullptr; } // of an array

  private:
    enum class Kind : std::uint8_t { number, ints, wide };
    union Value {
        std::int64_t number;
        const int* ints;
        const std::int64_t* wide;
    };
    Numbers(Kind kind, Value value) : value_(value), kind_(kind) {}

    Value value_;
    Kind kind_;
};

// With MPI_IN_PLACE the send side is not significant and may hold anything: nobody may look at it.
struct CallArgs {
    struct Side {
        void* buffer; // the send side is never written to
        Numbers counts;
        Numbers displacements;               // in items of the type; with a type for each block, in bytes
        MPI_Datatype type;                   // of all blocks
        const MPI_Datatype* types = nullptr; // instead, of each block (CollectiveTraits::has_type_arrays)
    };
    Collective collective;
    Binding binding;
    bool large_count; // an MPI-4 `_c` function
    Side send, recv;
    MPI_Comm comm;

    bool in_place() const { return send.buffer == MPI_IN_PLACE; }
    // The side with the counts and the type of the blocks that this rank sends.
    const Side& outgoing() const { return in_place() ? recv : send; }
};

// No program has data below this address: null pointers lie there, and MPI_IN_PLACE of some MPIs.
inline constexpr std::uintptr_t end_of_nowhere = 4096;

// Whether both buffers may be what they seem. Other buffers need a closer look: a null pointer may be
// MPI_BOTTOM, the buffer of no bytes, or an error; MPI_IN_PLACE may be on the wrong side.
inline bool has_plain_buffers(const CallArgs& call) {
    // One comparison: MPI_IN_PLACE is one of the lowest addresses, or the highest.
    const auto is_plain = [](const void* buffer) {
        return reinterpret_cast<std::uintptr_t>(buffer) - end_of_nowhere < UINTPTR_MAX - end_of_nowhere;
    };
    return is_plain(call.recv.buffer) && (is_plain(call.send.buffer) || call.in_place());
}

// The functions that a call is forwarded to: a call of `MPI_X` to the next object in LD_PRELOAD, a call of
// `PMPI_X` to the MPI library.
inline const MpiFunctions& functions_for(const LoadedMpi& loaded, Binding binding) {
    return binding == Binding::fortran_by_pmpi ? loaded.mpi : loaded.next;
}

// The MPI library's own collective, with the arguments as they came.
int call_native(const LoadedMpi& loaded, const CallArgs& call);

} // namespace switchyard::shim
