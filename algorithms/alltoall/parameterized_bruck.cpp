// Idea: zero-rotation Bruck in any base: a block that has to go down i ranks hops once per non-zero digit of
//   i in base `radix`; R holds what is on its way.
// Cost: K rounds of D blocks in all (K <= w(r-1), D <= w(r-1)r^(w-1), w = ceil(log_r P)):
//   K * alpha + beta * D blocks; radix 2 is zero-rotation Bruck, radix P sends every block straight home.
// Needs: blocks of one size, and memory the processor can copy; any number of ranks.
// Departs: no rotation and no rotation index in memory, as in zero-rotation Bruck; one block alone goes from
// S
//   to R without a copy.
// Source: TuNA paper, section II(c), parameterized uniform Bruck, with the rounds of section III-A.
#include "algorithms/algorithm.hpp"
#include "blocks.hpp"
#include "algorithms/patterns/scratch.hpp"

namespace switchyard::algorithms::alltoall {

Status parameterized_bruck(const Exchange& exchange, Context& context) {
    const Group& group = exchange.group;
    const std::size_t block = exchange.max_block;
    const Parameters& parameters = context.parameters;
    if (!context.workspace.has(patterns::parameterized_bruck_scratch_bytes(group.size, block, parameters))) {
        return {MPI_ERR_NO_MEM};
    }
    PackedBlocks messages(exchange, context,
                          patterns::parameterized_bruck_message_bytes(group.size, block, parameters));
    const auto r = [&](int i) { return place(exchange, i); };

    Status status = copy_own_block(exchange);
    const auto radix = static_cast<int>(parameters[Parameter::radix]);
    for (patterns::Round round(group.size, radix); round.valid(); round.advance()) {
        const int distance = round.distance(); // z * r^x, for all digits x and all their values z
        const int destination = group.down(distance), source = group.up(distance);
        // A block that has not moved yet is still in S, any other one in R.
        const auto s_or_r = [&](int i) -> const std::byte* {
            return round.is_first_hop(i) ? first_place(exchange, i) : r(i);
        };
        if (round.blocks() == 1) { // the one that has just this distance to go
            status.keep(context.wire.exchange(destination, first_place(exchange, distance), block, source,
                                              r(distance), block));
        } else {
            status.keep(messages.exchange(round, destination, source, s_or_r, r));
        }
    }
    return status;
}

} // namespace switchyard::algorithms::alltoall
