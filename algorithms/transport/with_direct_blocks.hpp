// An exchange whose large blocks go directly to their receivers (Parameter::direct_from).
#pragma once

#include "algorithms/algorithm.hpp"
#include "messages/direct_blocks.hpp"

#include <cstddef>

namespace switchyard::algorithms {

// Waits until all ranks of this node are past the exchange before the last one. False: the wait would never
// end, so it was given up.
bool meet_the_node(Context& context);

// Runs forward(exchange, context) on the blocks below Parameter::direct_from. Larger blocks go directly
// meanwhile. `context` must have direct_blocks_scratch_bytes in addition to the memory of the algorithm. No
// block goes directly before all ranks of the node are past the exchange before the last one: a receiver that
// is not may still wait for a message with the same tag that nobody sends.
template <typename Forward>
Status with_direct_blocks(const Exchange& exchange, Context& context, Forward&& forward) {
    if (!sends_directly(context.parameters)) return forward(exchange, context);
    if (!meet_the_node(context)) return Fault::lost;
    Exchange forwarded = exchange;
    forwarded.max_block = static_cast<std::size_t>(context.parameters[Parameter::direct_from]);
    DirectBlocks direct(forwarded, context);
    forwarded.direct = &direct;
    direct.start();
    Status status = forward(forwarded, context);
    status.keep(direct.finish());
    return status;
}

} // namespace switchyard::algorithms
