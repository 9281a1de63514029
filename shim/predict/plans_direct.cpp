// Algorithms that send each block directly to its destination.
#include "plans.hpp"

#include "algorithms/patterns/batches.hpp"

#include <algorithm>
#include <bit>

namespace switchyard::shim::predict {

namespace {

using algorithms::Parameter;
using algorithms::patterns::Batch;
using algorithms::patterns::largest_batch;

// A message for each block that is not empty. The mean is that of the rank that sends the most.
struct Direct {
    Ring ring;
    double share, bytes; // share of blocks that are messages; bytes of such a message

    explicit Direct(const Situation& situation) : ring(situation.shape) {
        const BlockFacts& facts = situation.blocks.all();
        share = facts.some;
        bytes = share > 0 ? facts.busiest / share : 0;
    }
    void exchange(Round& round, int first, int last) const {
        ring.exchange(round, first, last, share, bytes);
    }
};

void copy_own(const Situation& situation, Sink& sink) {
    Round round;
    round.copy_before(1, situation.blocks.all().mean);
    sink.round(round);
}

// A round for each distance. Rounds that are alike as far as nodes are concerned are one round, many times.
void plan_pairs(const Situation& situation, Sink& sink) {
    const Direct direct(situation);
    const int first_far = std::min(direct.ring.first_far(), direct.ring.ranks());
    const int end_of_far = std::max(direct.ring.end_of_far(), first_far);
    copy_own(situation, sink);
    for (int distance = 1; distance < direct.ring.ranks(); ++distance) {
        Round round;
        direct.exchange(round, distance, distance + 1);
        if (distance == first_far && end_of_far > first_far) {
            round.times = end_of_far - first_far;
            distance = end_of_far - 1;
        }
        sink.round(round);
    }
}

void plan_batches(const Situation& situation, std::int64_t partners, Sink& sink) {
    if (partners == 1) return plan_pairs(situation, sink);
    const Direct direct(situation);
    copy_own(situation, sink);
    for (Batch batch(direct.ring.ranks(), std::min<std::int64_t>(partners, largest_batch)); batch.valid();
         batch.advance()) {
        Round round;
        direct.exchange(round, batch.first(), batch.last());
        sink.round(round);
    }
}

// `stride` messages under way in each direction. Each message has its own wait.
Round sliding(const Situation& situation) {
    const Direct direct(situation);
    Round round;
    round.copy_before(1, situation.blocks.all().mean);
    direct.exchange(round, 1, direct.ring.ranks());
    round.window = static_cast<double>(std::min<std::int64_t>(
        {situation.parameters[Parameter::stride], largest_batch, direct.ring.ranks() - 1}));
    round.waits = 2 * direct.share * (direct.ring.ranks() - 1);
    return round;
}

} // namespace

namespace alltoallv {

void spread_out(const Situation& situation, Sink& sink) {
    plan_batches(situation, largest_batch, sink);
}

void pairwise(const Situation& situation, Sink& sink) {
    plan_pairs(situation, sink);
}

void scattered(const Situation& situation, Sink& sink) {
    plan_batches(situation, situation.parameters[Parameter::block_count], sink);
}

void linear(const Situation& situation, Sink& sink) {
    const Direct direct(situation);
    Round round;
    round.copy_before(1, situation.blocks.all().mean);
    direct.exchange(round, 1, direct.ring.ranks());
    round.same_first = true;
    sink.round(round);
}

// The plan of the first node. Nodes differ if their ranks are no power of two.
void exclusive_or(const Situation& situation, Sink& sink) {
    const Direct direct(situation);
    const int ranks = direct.ring.ranks(), per_node = direct.ring.per_node();
    const int first_far = static_cast<int>(std::bit_ceil(static_cast<unsigned>(per_node)));
    copy_own(situation, sink);
    for (int k = 1; k < ranks; ++k) {
        Round round;
        round.spread_to(per_node);
        for (int local = 0; local < per_node; ++local) {
            const bool is_near = (local ^ k) < per_node;
            Load& load = round.load(local);
            (is_near ? load.near_out : load.far_out).add(direct.share, direct.bytes);
            (is_near ? load.near_in : load.far_in).add(direct.share, direct.bytes);
        }
        if (k >= first_far) {
            round.times = ranks - k;
            k = ranks;
        }
        sink.round(round);
    }
}

void stride_waitall(const Situation& situation, Sink& sink) {
    plan_batches(situation, situation.parameters[Parameter::stride], sink);
}

void stride_waitany(const Situation& situation, Sink& sink) {
    sink.round(sliding(situation));
}

void stride_testany(const Situation& situation, Sink& sink) {
    Round round = sliding(situation);
    round.tests = 1;
    sink.round(round);
}

} // namespace alltoallv

namespace alltoall {

void spread_out(const Situation& situation, Sink& sink) {
    plan_batches(situation, largest_batch, sink);
}

void pairwise(const Situation& situation, Sink& sink) {
    plan_pairs(situation, sink);
}

void scattered(const Situation& situation, Sink& sink) {
    alltoallv::scattered(situation, sink);
}

void stride_waitall(const Situation& situation, Sink& sink) {
    alltoallv::stride_waitall(situation, sink);
}

void stride_waitany(const Situation& situation, Sink& sink) {
    alltoallv::stride_waitany(situation, sink);
}

void stride_testany(const Situation& situation, Sink& sink) {
    alltoallv::stride_testany(situation, sink);
}

} // namespace alltoall

} // namespace switchyard::shim::predict
