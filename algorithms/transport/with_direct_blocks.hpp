// An exchange whose large blocks go directly to their receivers (Parameter::direct_from).
#pragma once

#include "algorithms/algorithm.hpp"
#include "messages/direct_blocks.hpp"

#include <cstddef>

namespace switchyard::algorithms {

// Waits for the ranks of this node that are not past the exchange before the last one. False: for ever, so
// nobody waits.
bool meet_the_node(Context& context);

// Runs forward(exchange, context) on the blocks under Parameter::direct_from, with the others beside it.
// `context` must have direct_blocks_scratch_bytes beside the memory of the algorithm. Nothing goes directly
// before all ranks of the node are past the exchange before the last one: a receiver there may still wait for
// a message that nobody sends, with the same tag.
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
