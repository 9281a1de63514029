// Idea: sends every block directly to its destination, all at once, in ascending order of the ranks.
// Cost: P - 1 messages for each rank in one wait: alpha * (P - 1) + beta * (bytes sent). All
//   ranks start with rank 0.
// Needs: nothing.
// Departs: nothing. As in Open MPI, the number of messages under way has no limit. Batches of ascending ranks
//   could wait for each other: a send and its receive would lie in different batches.
// Source: TuNA paper, section II(d), Open MPI's linear; no numbered algorithm.
#include "algorithms/algorithm.hpp"
#include "algorithms/transport/messages/copy.hpp"
#include "algorithms/transport/messages/wire.hpp"

namespace switchyard::algorithms::alltoallv {

Status linear(const Exchange& exchange, Context& context) {
    const Group& group = exchange.group;
    Status status = copy_own_block(exchange);
    for (int source = 0; source < group.size; ++source) {
        if (source != group.rank) {
            context.wire.receive(source, exchange.recv_from(source), exchange.recv_size(source));
        }
    }
    for (int destination = 0; destination < group.size; ++destination) {
        if (destination != group.rank) {
            context.wire.send(destination, exchange.send_to(destination), exchange.send_size(destination));
        }
    }
    status.keep(context.wire.wait_all());
    return status;
}

} // namespace switchyard::algorithms::alltoallv
