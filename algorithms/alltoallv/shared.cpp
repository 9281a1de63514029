// Idea: every rank writes its blocks into memory that the node shares. Their
//   destinations copy them from there.
// Cost: no message; two copies of each block. A rank waits for the ranks that send it something, and
//   before its next exchange for the other ranks. A block that does not fit into a third of its sender's
//   section goes in a stream, where its two ranks wait only for each other; or its destination reads it
//   where it lies, which is one copy. With direct_from, a message for each direct block. The block
//   leaves its mark in the memory.
// Needs: all ranks on one node, and a window of the node. No agreement on the largest block.
// Departs: our own.
// Source: our own; the papers' intra-node phases use messages.
#include "algorithms/transport/memory/node_window.hpp"
#include "algorithms/transport/messages/copy.hpp"
#include "algorithms/transport/with_direct_blocks.hpp"
#include "shared_scratch.hpp"

namespace switchyard::algorithms::alltoallv {

Status shared(const Exchange& exchange, Context& context) {
    if (context.has_begun) return context.window->finish(exchange);
    if (exchange.group.size == 1) return copy_own_block(exchange);
    if (!context.workspace.has(direct_blocks_scratch_bytes(exchange.group.size, context.parameters)))
        return Fault::no_memory;
    return with_direct_blocks(exchange, context, [](const Exchange& small, Context& means) {
        return means.window->exchange(small);
    });
}

} // namespace switchyard::algorithms::alltoallv
