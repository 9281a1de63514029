// The collectives by number, and their calls with arguments in the form of MPI_Alltoallw's.
#pragma once

#include <mpi.h>
#include <vector>

namespace stress {

enum class Collective { alltoall, alltoallv, alltoallw, allgather, allgatherv };
inline constexpr int collectives = 5;

enum class Form { plain, large, bare, nonblocking };

const char* name_of(Collective collective);
const char* name_of_nonblocking(Collective collective);

constexpr bool has_arrays(Collective collective) { // of counts that it receives
    return collective != Collective::alltoall && collective != Collective::allgather;
}
constexpr bool gathers(Collective collective) {
    return collective == Collective::allgather || collective == Collective::allgatherv;
}

// One side of a call. A number is the first of its array.
struct Words {
    void* buffer = nullptr;
    std::vector<int> counts, displacements;
    std::vector<MPI_Datatype> types; // one, or one for each block
};

// `in_place`: the words of the sent side go to MPI as they are, and mean nothing. `request`: of the
// nonblocking form.
int invoke(Collective collective, Form form, const Words& send, const Words& recv, bool in_place,
           MPI_Comm comm, MPI_Request* request);

// Whether the MPI, or a library in front of it, has the function with large counts.
bool has_large(Collective collective);

} // namespace stress
