#include "plan.hpp"

#include "policy/admissible.hpp"

#include <algorithm>

namespace switchyard::shim::predict {

using algorithms::GroupShape;
using algorithms::Parameter;

void Round::copy_before(double count, double bytes_each) {
    for (Load& load : loads) load.before.add(count, bytes_each);
}

void Round::copy_after(double count, double bytes_each) {
    for (Load& load : loads) load.after.add(count, bytes_each);
}

void Round::spread_to(int local_ranks) {
    if (loads.size() == 1) loads.resize(static_cast<std::size_t>(local_ranks), Load(loads.front()));
}

Ring::Ring(const GroupShape& shape)
    : ranks_(shape.ranks), per_node_(std::min(shape.ranks_per_node, shape.ranks)),
      is_alone_(shape.ranks <= shape.ranks_per_node) {}

// How many distances in the range lead that local rank to a partner up the ring on its own node.
int Ring::near_of(int local, int first, int last) const {
    const auto common = [&](int begin, int end) {
        return std::max(0, std::min(end, last) - std::max(begin, first));
    };
    return common(1, per_node_ - local) + common(ranks_ - local, ranks_);
}

void Ring::exchange(Round& round, int first, int last, double count, double bytes) const {
    const int distances = last - first;
    if (distances <= 0 || count <= 0) return;
    if (is_alone_) return exchange_near(round, count * distances, bytes);
    if (first < first_far() || last > end_of_far()) round.spread_to(per_node_);
    const auto spread = static_cast<int>(round.loads.size());
    for (int local = 0; local < spread; ++local) {
        const int out = spread == 1 ? 0 : near_of(local, first, last);
        const int in = spread == 1 ? 0 : near_of(per_node_ - 1 - local, first, last);
        Load& load = round.load(local);
        load.near_out.add(count * out, bytes);
        load.far_out.add(count * (distances - out), bytes);
        load.near_in.add(count * in, bytes);
        load.far_in.add(count * (distances - in), bytes);
    }
}

void exchange_near(Round& round, double count, double bytes) {
    for (Load& load : round.loads) {
        load.near_out.add(count, bytes);
        load.near_in.add(count, bytes);
    }
}

BlockFacts forwarded_blocks(const Situation& situation) {
    if (!sends_directly(situation.parameters)) return situation.blocks.all();
    const auto border = static_cast<double>(situation.parameters[Parameter::direct_from]);
    BlockFacts facts = situation.blocks.below(border);
    facts.largest = border; // of the sizes that messages say
    return facts;
}

algorithms::patterns::FramedBlock framed_block(const Situation& situation) {
    using algorithms::patterns::FramedBlock;
    const auto most = static_cast<std::size_t>(forwarded_blocks(situation).largest);
    const bool is_known = traits_of(situation.collective).block_is_known();
    return is_known ? FramedBlock::alone(most) : FramedBlock::with_size(most);
}

void plan_direct_blocks(const Situation& situation, Sink& sink) {
    if (!sends_directly(situation.parameters)) return;
    const auto border = static_cast<double>(situation.parameters[Parameter::direct_from]);
    const BlockFacts facts = situation.blocks.from(border);
    if (facts.some == 0) return;
    const Ring ring(situation.shape);
    const std::int64_t given = situation.parameters[Parameter::block_count];
    const std::int64_t at_once = given == 0 ? traits_of(Parameter::block_count).preset_value : given;
    const int others = ring.ranks() - 1;
    const std::int64_t waits = (others + at_once - 1) / at_once;
    Round round;
    ring.exchange(round, 1, ring.ranks(), facts.some, facts.busiest / facts.some);
    round.window = static_cast<double>(std::min<std::int64_t>(at_once, others));
    round.waits = static_cast<double>(waits);
    sink.round(round);
}

namespace {

constexpr double agreed_bytes = 24;

// Inside each node through its memory. Then each local rank asks another node. The base is one more than the
// ranks of a node.
void agree_through_memory(const Situation& situation, Sink& sink) {
    const auto& shape = situation.shape;
    const std::int64_t base = std::min(shape.ranks_per_node, shape.ranks) + 1;
    plan_epoch(shape, {}, {}, sink);
    for (std::int64_t known = 1; known < shape.nodes; known *= base) {
        Round round;
        Load& load = round.loads.front();
        load.far_out.add(1, agreed_bytes);
        load.far_in.add(1, agreed_bytes);
        sink.round(round);
        plan_epoch(shape, {}, {}, sink);
    }
}

} // namespace

void plan_agreement(const Situation& situation, Sink& sink) {
    Uncounted uncounted(sink);
    if (shares_memory(situation) && situation.shape.ranks_per_node > 1)
        return agree_through_memory(situation, uncounted);
    const Ring ring(situation.shape);
    for (int distance = 1; distance < ring.ranks(); distance *= 2) {
        Round round;
        ring.exchange(round, distance, 1, agreed_bytes);
        uncounted.round(round);
    }
}

void plan_epoch(const GroupShape& shape, const Amount& before, const Amount& after, Sink& sink) {
    const int ranks = std::min(shape.ranks_per_node, shape.ranks);
    Round round;
    Load& load = round.loads.front();
    load.before = before;
    load.after = after;
    load.neighbours = ranks - 1;
    sink.round(round);
}

bool shares_memory(const Situation& situation) {
    return situation.parameters[Parameter::intra] == static_cast<std::int64_t>(algorithms::Intra::shared);
}

} // namespace switchyard::shim::predict
