// One intercepted call as the application made it: raw MPI arguments, untouched.
#pragma once

#include "algorithms/collective.hpp"
#include "shim/entry/abi.hpp"

#include <cstdint>
#include <mpi.h>

namespace switchyard::shim {

using algorithms::Collective;

// A count or displacement argument: a number for all ranks, or an array; of int, or wide (MPI_Count, MPI_Aint).
class Numbers {
  public:
    static Numbers none() { return {}; }
    static Numbers one(std::int64_t value) {
        Numbers numbers;
        numbers.one_ = value;
        return numbers;
    }
    static Numbers of(const int* values) {
        Numbers numbers;
        numbers.ints_ = values;
        return numbers;
    }
    static Numbers
    of_wide(const void* values) { // MPI_Count and MPI_Aint are both 64 bits wide where `_c` exists
        Numbers numbers;
        numbers.wide_ = static_cast<const std::int64_t*>(values);
        return numbers;
    }

    std::int64_t operator[](int i) const { return ints_ ? ints_[i] : wide_ ? wide_[i] : one_; }
    const int* ints() const { return ints_; }
    const std::int64_t* wide() const { return wide_; }
    std::int64_t value() const { return one_; }
    bool is_array() const { return ints_ != nullptr || wide_ != nullptr; }

  private:
    const int* ints_ = nullptr;
    const std::int64_t* wide_ = nullptr;
    std::int64_t one_ = 0;
};

// With MPI_IN_PLACE the send side is not significant and may hold anything: nobody may look at it.
struct CallArgs {
    struct Side {
        void* buffer; // the send side is never written to
        Numbers counts, displacements;
        MPI_Datatype type;
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

// The functions that a call is forwarded to: a call of `MPI_X` to the next object in LD_PRELOAD, a call of `PMPI_X` to the
// MPI library.
inline const MpiFunctions& functions_for(const Host& host, Binding binding) {
    return binding == Binding::fortran_by_pmpi ? host.mpi : host.next;
}

// The MPI library's own collective, with the arguments as they came.
int call_native(const Host& host, const CallArgs& call);

} // namespace switchyard::shim
