// Idea: in step i a rank and the one whose number differs in bit i exchange all that they have gathered.
// Cost: log2(P) steps: log2(P) * alpha + beta * (P - 1) blocks where P is a power of two, and no copies of
//   ours; else with M the largest power of two below P, log2(M) steps, and one before and one after them.
// Needs: blocks of one size; any number of ranks.
// Departs: the paper only names it. Of P - M pairs of neighbours the odd rank has the even one take its block
//   along and receives all others from it at the end; M ranks double. All blocks are received at their
//   places: by a derived datatype, where these do not touch.
// Source: locality-aware Bruck paper, section 2, the recursive-doubling algorithm; no numbered algorithm.
#include "algorithms/algorithm.hpp"
#include "part_list.hpp"
#include "algorithms/copy.hpp"
#include "algorithms/patterns/scratch.hpp"

#include <bit>

namespace switchyard::algorithms::allgather {

namespace {

// The ranks as M teams with numbers in the same order: the first P - M are pairs, the others one rank each.
struct Teams {
    int count; // M
    int pairs; // P - M

    explicit Teams(int ranks)
        : count(static_cast<int>(std::bit_floor(static_cast<unsigned>(ranks)))), pairs(ranks - count) {}

    int of(int rank) const { return rank < 2 * pairs ? rank / 2 : rank - pairs; }
    // The first rank of a team, which is the one that takes part in the doubling.
    int first(int team) const { return team < pairs ? 2 * team : team + pairs; }
};

// Between the ranks of a pair, before the doubling and after it.
Status exchange_in_pair(bool gathered, bool is_odd, const Exchange& exchange, PartList& parts, Wire& wire) {
    const Group& group = exchange.group;
    const int odd = is_odd ? group.rank : group.rank + 1;
    const int partner = is_odd ? odd - 1 : odd;
    // The odd rank's block first, then all blocks but that one.
    const auto blocks = gathered ? parts.add(odd + 1, group.size - 1).take() : parts.add(odd, 1).take();
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
    const auto memory = context.workspace.take_array<Part>(patterns::recursive_doubling_parts(group.size));
    if (memory.size() != patterns::recursive_doubling_parts(group.size)) {
        return {MPI_ERR_NO_MEM};
    }
    copy_contribution(exchange, exchange.recv_from(group.rank));

    PartList parts(exchange, memory);
    const Teams teams(group.size);
    const bool paired = group.rank < 2 * teams.pairs, is_odd = paired && group.rank % 2 == 1;
    Status status;
    if (paired) {
        status.keep(exchange_in_pair(false, is_odd, exchange, parts, context.wire));
    }
    const int team = teams.of(group.rank);
    for (int distance = 1; !is_odd && distance < teams.count; distance *= 2) {
        // The blocks of `distance` teams from there on, which are neighbours.
        const auto gathered = [&](int from) {
            return parts.add(teams.first(from), teams.first(from + distance) - teams.first(from)).take();
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
