// TuNA inside nodes, then messages between nodes: tuna_coalesced and tuna_staggered.
#include "plan_near.hpp"
#include "plan_tuna.hpp"
#include "plans.hpp"

#include "algorithms/forwarding/tuna/node_bundles_scratch.hpp"
#include "algorithms/patterns/batches.hpp"

#include <algorithm>

namespace switchyard::shim::predict {

namespace patterns = algorithms::patterns;
using algorithms::Parameter;
using algorithms::forwarding::BundleLayout;
using algorithms::forwarding::inside_node;
using algorithms::forwarding::NodeShape;

namespace {

class Bundled {
  public:
    explicit Bundled(const Situation& situation)
        : situation_(situation), facts_(forwarded_blocks(situation)),
          layout_(NodeShape{ranks(), nodes(), ranks()}, framed_block(situation)) {}

    int ranks() const { return std::min(situation_.shape.ranks_per_node, situation_.shape.ranks); }
    int nodes() const { return situation_.shape.nodes; }
    const BlockFacts& facts() const { return facts_; }
    bool are_empty() const { return facts_.largest == 0; }
    double sized_block() const { return static_cast<double>(layout_.size_bytes) + facts_.mean; }
    // Where blocks may go directly, a message says the size of each block.
    double far_block() const { return sends_directly(situation_.parameters) ? sized_block() : facts_.mean; }
    std::int64_t at_once() const {
        return std::min<std::int64_t>(situation_.parameters[Parameter::block_count], patterns::largest_batch);
    }

    void exchange_in_node(Sink& sink) const {
        const double blocks = static_cast<double>(nodes()) * ranks();
        copy(1, sink);
        if (shares_memory(situation_)) {
            through_memory(blocks, sink);
        } else {
            copy(blocks, sink);
            by_messages(sink);
        }
        copy(ranks() - 1, sink);
    }

  private:
    void copy(double blocks, Sink& sink) const {
        Round round;
        round.copy_before(blocks, facts_.mean);
        sink.round(round);
    }
    double bundle() const { return nodes() * sized_block(); }

    void by_messages(Sink& sink) const {
        const auto inner = inside_node(ranks(), situation_.parameters);
        plan_tuna({.ranks = ranks(),
                   .radices = inner[Parameter::radix],
                   .in_flight = inner[Parameter::in_flight],
                   .block = bundle(),
                   .direct = bundle(),
                   .size_bytes = static_cast<double>(patterns::narrowest(layout_.bytes))},
                  nullptr, sink);
    }
    void through_memory(double blocks, Sink& sink) const {
        plan_epoch(situation_.shape, {blocks, blocks * facts_.mean}, {}, sink);
        if (ranks() * bundle() > most_shown_bytes)
            plan_near_copies(situation_.shape, ranks() - 1, (ranks() - 1) * bundle(), sink);
    }

    const Situation& situation_;
    const BlockFacts facts_;
    const BundleLayout layout_;
};

void exchange_far(Round& round, double count, double bytes) {
    Load& load = round.loads.front();
    load.far_out.add(count, bytes);
    load.far_in.add(count, bytes);
}

void plan_coalesced(const Bundled& bundled, Sink& sink) {
    if (bundled.are_empty()) return;
    bundled.exchange_in_node(sink);
    const double ranks = bundled.ranks();
    for (patterns::Batch batch(bundled.nodes(), bundled.at_once()); batch.valid(); batch.advance()) {
        const double nodes = batch.last() - batch.first();
        Round round;
        round.early = true;
        round.copy_before(nodes * ranks, bundled.far_block());
        exchange_far(round, nodes, ranks * bundled.far_block());
        round.copy_after(nodes * ranks, bundled.far_block());
        sink.round(round);
    }
}

} // namespace

namespace alltoall {

void tuna_coalesced(const Situation& situation, Sink& sink) {
    plan_coalesced(Bundled(situation), sink);
}

} // namespace alltoall

namespace alltoallv {

void tuna_coalesced(const Situation& situation, Sink& sink) {
    plan_coalesced(Bundled(situation), sink);
    plan_direct_blocks(situation, sink);
}

void tuna_staggered(const Situation& situation, Sink& sink) {
    const Bundled bundled(situation);
    if (!bundled.are_empty()) {
        bundled.exchange_in_node(sink);
        const bool sized = sends_directly(situation.parameters);
        const double share = sized ? 1 : bundled.facts().some;
        const std::int64_t all = static_cast<std::int64_t>(bundled.nodes() - 1) * bundled.ranks();
        for (std::int64_t begin = 0; begin < all; begin += bundled.at_once()) {
            const auto count = static_cast<double>(std::min(bundled.at_once(), all - begin));
            Round round;
            if (share > 0) exchange_far(round, count * share, bundled.far_block() / share);
            if (sized) round.copy_after(count, bundled.facts().mean);
            sink.round(round);
        }
    }
    plan_direct_blocks(situation, sink);
}

} // namespace alltoallv

} // namespace switchyard::shim::predict
