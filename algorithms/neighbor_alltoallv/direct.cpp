// Idea: sends every block directly to its neighbour, nearest neighbour first.
// Cost: a message for each neighbour: alpha * neighbours + beta * (bytes sent).
// Needs: a topology.
// Departs: our own. At most Wire::batch() sends and as many receives are under way at once.
// Source: MPI-4.0, section 8.6, which describes neighbourhood collectives by these messages.
#include "algorithms/neighborhood/direct.hpp"

namespace switchyard::algorithms::neighbor_alltoallv {

Status direct(const Exchange& exchange, Context& context) {
    return neighborhood::direct(exchange, context);
}

} // namespace switchyard::algorithms::neighbor_alltoallv
