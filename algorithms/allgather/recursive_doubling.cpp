// Idea: in step i two ranks whose numbers differ in bit i exchange all blocks that they have gathered.
// Cost: where P is a power of two, log2(P) steps: log2(P) * alpha + beta * (P - 1) blocks, and no
//   copies of ours. Else log2(M) steps, with M the largest power of two below P, one step before them,
//   and one step after them.
// Needs: nothing; any number of ranks.
// Departs: the paper only names it. In P - M pairs of neighbours the odd rank gives its block to the even
//   rank and receives all other blocks from it at the end, so M ranks double. All blocks are received at
//   their places, by a derived datatype where the places do not touch. Blocks may differ in size.
// Source: locality-aware Bruck paper, section 2, the recursive-doubling algorithm; no numbered algorithm.
#include "algorithms/algorithm.hpp"
#include "algorithms/transport/messages/copy.hpp"
#include "algorithms/transport/messages/wire.hpp"
#include "blocks_of.hpp"
#include "recursive_doubling_scratch.hpp"

#include <bit>

namespace switchyard::algorithms::allgather {

namespace {

// The ranks as M teams, numbered in the order of the ranks. The first P - M teams are pairs, the
// other teams single ranks.
struct Teams {
    int count; // M
    int pairs; // P - M

    explicit Teams(int ranks)
        : count(static_cast<int>(std::bit_floor(static_cast<unsigned>(ranks)))), pairs(ranks - count) {}

    int of(int rank) const { return rank < 2 * pairs ? rank / 2 : rank - pairs; }
    // The first rank of a team. It takes part in the doubling.
    int first(int team) const { return team < pairs ? 2 * team : team + pairs; }
};

// The exchange between the ranks of a pair, before the doubling and after it.
Status exchange_in_pair(bool gathered, bool is_odd, const Exchange& exchange, PartList& parts, Wire& wire) {
    const Group& group = exchange.group;
    const int odd = is_odd ? group.rank : group.rank + 1;
    const int partner = is_odd ? odd - 1 : odd;
    // Before: the odd rank's block. After: all other blocks.
    const auto blocks =
        gathered ? blocks_of(exchange, odd + 1, group.size - 1, parts) : blocks_of(exchange, odd, 1, parts);
    if (is_odd == gathered) {
        wire.receive_parts(partner, blocks);
    } else {
        wire.send_parts(partner, blocks);
    }
    return wire.wait_all();
}

} // namespace

Status recursive_doubling(const Exchange& exchange, Context& context) {
    const Group& group = exchange.group;
    const auto memory = context.workspace.take_array<Part>(recursive_doubling_parts(group.size));
    if (memory.size() != recursive_doubling_parts(group.size)) {
        return Fault::no_memory;
    }
    copy_contribution(exchange, exchange.recv_from(group.rank));

    PartList parts(memory);
    const Teams teams(group.size);
    const bool paired = group.rank < 2 * teams.pairs, is_odd = paired && group.rank % 2 == 1;
    Status status;
    if (paired) {
        status.keep(exchange_in_pair(false, is_odd, exchange, parts, context.wire));
    }
    const int team = teams.of(group.rank);
    for (int distance = 1; !is_odd && distance < teams.count; distance *= 2) {
        // The blocks of `distance` neighbouring teams.
        const auto gathered = [&](int from) {
            return blocks_of(exchange, teams.first(from), teams.first(from + distance) - teams.first(from),
                             parts);
        };
        const int other = team ^ distance;
        context.wire.receive_parts(teams.first(other), gathered(other & -distance));
        context.wire.send_parts(teams.first(other), gathered(team & -distance));
        status.keep(context.wire.wait_all());
    }
    if (paired) {
        status.keep(exchange_in_pair(true, is_odd, exchange, parts, context.wire));
    }
    return status;
}

} // namespace switchyard::algorithms::allgather
