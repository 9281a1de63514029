// Idea: blocks padded to the largest block are uniform, and Bruck's exchange sends
//   uniform blocks in few rounds.
// Cost: K = ceil(log2 P) rounds of at most P / 2 padded blocks: K * alpha + beta * (K * P / 2) * N, N the
//   largest block. No sizes travel.
// Needs: direct_from, or the largest block, agreed by all ranks (the caller does the
//   allreduce); any number of ranks.
// Departs: the own block is not padded. Padding is not cleared. With direct_from a slot begins with the size
//   of its block, since a mark may stand there.
// Source: two-phase Bruck paper, section 3.1, phases (a) to (c); no numbered algorithm.
#include "algorithms/alltoall/zero_rotation_bruck.hpp"
#include "algorithms/patterns/packed_sizes.hpp"
#include "algorithms/transport/deliver.hpp"
#include "algorithms/transport/with_direct_blocks.hpp"
#include "padded.hpp"
#include "padded_bruck_scratch.hpp"

namespace switchyard::algorithms::alltoallv {

namespace {

// Phase (b): slot i of both buffers is for rank i.
Status exchange_slots(const Exchange& exchange, Context& context, std::size_t slot_bytes,
                      const std::byte* padded, std::byte* received) {
    const auto slots = context.workspace.take_array<Block>(static_cast<std::size_t>(exchange.group.size));
    for (std::size_t i = 0; i < slots.size(); ++i) slots[i] = {i * slot_bytes, slot_bytes};
    slots[static_cast<std::size_t>(exchange.group.rank)].size = 0; // the own block is not in it
    const Exchange uniform{exchange.group, padded, slots, received, slots, slot_bytes};
    return alltoall::zero_rotation_bruck(uniform, context);
}

// ---- With direct blocks: a slot is the size of its block, then the block ----

template <typename Size>
void pad_with_sizes(const Exchange& exchange, const SizedSlots& slots, std::byte* padded) {
    for (int peer = 0; peer < exchange.group.size; ++peer, padded += slots.bytes()) {
        if (peer == exchange.group.rank) continue;
        const std::size_t said = exchange.said_size(peer);
        patterns::put_size<Size>(padded, said);
        copy_bytes(padded + slots.size_bytes, exchange.send_to(peer), exchange.bytes_of(said));
    }
}

template <typename Size>
Status scan_with_sizes(const Exchange& exchange, const SizedSlots& slots, std::byte* padded) {
    Status status;
    for (int peer = 0; peer < exchange.group.size; ++peer, padded += slots.bytes())
        if (peer != exchange.group.rank)
            status.keep(deliver(exchange, peer, padded + slots.size_bytes, patterns::size_at<Size>(padded)));
    return status;
}

Status forward_padded(const Exchange& exchange, Context& context) {
    const SizedSlots slots(exchange.max_block);
    const std::size_t bytes = padded_bytes(exchange.group.size, slots.bytes());
    std::byte* const padded = context.workspace.take(bytes).data();
    std::byte* const received = context.workspace.take(bytes).data();
    return patterns::with_size_type(slots.size_bytes, [&](auto size) {
        context.wire.enter(Phase::rearrange);
        pad_with_sizes<decltype(size)>(exchange, slots, padded);
        Status status = exchange_slots(exchange, context, slots.bytes(), padded, received);
        context.wire.enter(Phase::rearrange);
        if (status.ok()) status.keep(scan_with_sizes<decltype(size)>(exchange, slots, received));
        return status;
    });
}

} // namespace

Status padded_bruck(const Exchange& exchange, Context& context) {
    const std::size_t scratch =
        padded_bruck_scratch_bytes(exchange.group.size, exchange.max_block, context.parameters);
    if (!sends_directly(context.parameters) || exchange.group.size == 1)
        return exchange_padded(exchange, context, scratch, [&](const std::byte* padded, std::byte* received) {
            return exchange_slots(exchange, context, exchange.max_block, padded, received);
        });
    if (!context.workspace.has(scratch)) return Fault::no_memory;
    Status status = copy_own_block(exchange);
    status.keep(with_direct_blocks(exchange, context, forward_padded));
    return status;
}

} // namespace switchyard::algorithms::alltoallv
