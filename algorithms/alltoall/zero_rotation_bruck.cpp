// Idea: Bruck's exchange without its rotations: blocks move towards lower ranks, which spares the last one,
//   and are read through an index, which spares the first; R holds what is on its way.
// Cost: K = ceil(log2 P) rounds of at most P / 2 blocks: K * alpha + beta * (K * P / 2) blocks.
// Needs: blocks of one size, and memory the processor can copy; any number of ranks.
// Departs: the rotation index I[i] = (2p - i) mod P is computed, not stored; one block alone is not copied.
// Source: two-phase Bruck paper, section 2.1, "Zero Rotation Bruck", phases 1 and 2.
#include "zero_rotation_bruck.hpp"
#include "algorithms/copy.hpp"
#include "algorithms/patterns/scratch.hpp"

namespace switchyard::algorithms::alltoall {

namespace {

using patterns::OffsetRange;
using patterns::Round;

// The paper's S[I[i + p]] = S[p - i]: the block that has to travel i ranks down.
const std::byte* first_place(const Exchange& exchange, int i) {
    return exchange.send_to(exchange.group.down(i));
}

// The paper's R[i + p]: where that block waits on its way, and where the last one of its kind is home.
std::byte* place(const Exchange& exchange, int i) {
    return exchange.recv_from(exchange.group.up(i));
}

std::size_t pack(const Exchange& exchange, const Round& round, std::byte* outgoing) {
    std::byte* out = outgoing;
    round.for_each_range([&](OffsetRange range) {
        for (int i = range.begin; i < range.end; ++i) {
            const std::byte* block = i == range.begin ? first_place(exchange, i) : place(exchange, i);
            copy_bytes(out, block, exchange.max_block);
            out += exchange.max_block;
        }
    });
    return static_cast<std::size_t>(out - outgoing);
}

void unpack(const Exchange& exchange, const Round& round, const std::byte* incoming) {
    round.for_each_range([&](OffsetRange range) {
        for (int i = range.begin; i < range.end; ++i) {
            copy_bytes(place(exchange, i), incoming, exchange.max_block);
            incoming += exchange.max_block;
        }
    });
}

} // namespace

Status zero_rotation_bruck(const Exchange& exchange, Context& context) {
    const Group& group = exchange.group;
    const std::size_t block = exchange.max_block;
    const std::size_t message_bytes = patterns::zero_rotation_bruck_message_bytes(group.size, block);
    const auto outgoing = context.workspace.take(message_bytes);
    const auto incoming = context.workspace.take(message_bytes);
    if (incoming.size() != message_bytes) {
        return {MPI_ERR_NO_MEM};
    }

    Status status = copy_own_block(exchange);
    for (Round step(group.size, 2); step.valid(); step.advance()) {
        const int destination = group.down(step.distance());
        const int source = group.up(step.distance());
        if (step.blocks() == 1) {
            status.keep(context.wire.exchange(destination, first_place(exchange, step.distance()), block,
                                              source, place(exchange, step.distance()), block));
        } else {
            const std::size_t bytes = pack(exchange, step, outgoing.data());
            status.keep(
                context.wire.exchange(destination, outgoing.data(), bytes, source, incoming.data(), bytes));
            unpack(exchange, step, incoming.data());
        }
    }
    return status;
}

} // namespace switchyard::algorithms::alltoall
