#include "aliases.hpp"

#include "algorithms/traits.hpp"

namespace switchyard::shim {

namespace {

MPI_Comm this_rank_alone(MPI_Comm ours) {
    int rank = 0;
    MPI_Group all = MPI_GROUP_NULL, one = MPI_GROUP_NULL;
    MPI_Comm alone = MPI_COMM_NULL;
    PMPI_Comm_rank(ours, &rank);
    PMPI_Comm_group(ours, &all);
    PMPI_Group_incl(all, 1, &rank, &one);
    if (PMPI_Comm_create_group(ours, one, 0, &alone) != MPI_SUCCESS) alone = MPI_COMM_NULL;
    PMPI_Group_free(&one);
    PMPI_Group_free(&all);
    return alone;
}

} // namespace

bool refuses_aliases(MPI_Comm ours) {
    MPI_Comm alone = this_rank_alone(ours);
    if (alone == MPI_COMM_NULL) return false;
    PMPI_Comm_set_errhandler(alone, MPI_ERRORS_RETURN);
    char both = 0;
    const bool refuses = PMPI_Alltoall(&both, 1, MPI_CHAR, &both, 1, MPI_CHAR, alone) != MPI_SUCCESS;
    PMPI_Comm_free(&alone);
    return refuses;
}

namespace {

// A block for everybody has one count: compared with this rank's count on the receive side.
bool are_same(const Numbers& sent, const Numbers& received, int rank) {
    if (!sent.is_array() && received.is_array()) return sent.value() == received[rank] && sent.value() != 0;
    return sent.is_array() ? sent.ints() == received.ints()
                           : sent.value() == received.value() && sent.value() != 0;
}

// Bytes from the start of the receive buffer to this rank's own block, if each rank
// sends one block to everybody.
std::int64_t place_of_own_block(const CallArgs& call, int rank) {
    const auto &counts = call.recv.counts, &displacements = call.recv.displacements;
    int size = 0; // MPICH takes the size for the extent
    PMPI_Type_size(call.recv.type, &size);
    return (displacements.is_array() ? displacements[rank] : rank * counts.value()) * size;
}

} // namespace

bool is_aliased(const CallArgs& call, int rank) {
    // No MPI refuses them among neighbours, whose blocks have no place by rank.
    if (algorithms::traits_of(call.collective).is_among_neighbors) return false;
    if (call.in_place() || call.send.type != call.recv.type || call.send.types != call.recv.types ||
        !are_same(call.send.counts, call.recv.counts, rank))
        return false;
    const auto* const sent = static_cast<const char*>(call.send.buffer);
    const auto* const received = static_cast<const char*>(call.recv.buffer);
    if (!algorithms::traits_of(call.collective).sends_one_block()) return sent == received;
    return sent - received == place_of_own_block(call, rank);
}

} // namespace switchyard::shim
