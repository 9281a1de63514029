#include "walk.hpp"

#include <algorithm>
#include <numeric>

namespace switchyard::shim::predict {

double Spent::all() const {
    return std::accumulate(us_.begin(), us_.end(), 0.0);
}

Bound Spent::most() const {
    return static_cast<Bound>(std::ranges::max_element(us_) - us_.begin());
}

Walk::Walk(const Machine& machine, const algorithms::GroupShape& shape)
    : machine_(machine), local_ranks_(std::min(shape.ranks_per_node, shape.ranks)) {}

double Walk::copy_us(const Amount& copies) const {
    return copies.count * machine_.block_us + copies.bytes / machine_.copy_bytes_per_us;
}

Walk::Node Walk::node_of(const Round& round) const {
    Node node;
    const double ranks_of_a_load = round.loads.size() == 1 ? local_ranks_ : 1;
    for (const Load& load : round.loads) {
        node.far_bytes += ranks_of_a_load * std::max(load.far_out.bytes, load.far_in.bytes);
        node.copied += ranks_of_a_load * (load.before.bytes + load.after.bytes);
    }
    return node;
}

namespace {

// The processor's time for such messages, on one side.
double overhead_us(const Link& link, const Amount& messages) {
    if (messages.count <= 0) return 0;
    const bool is_eager = messages.bytes <= messages.count * link.eager_bytes;
    return messages.count * link.overhead_us + (is_eager ? messages.bytes / link.eager_copy_bytes_per_us : 0);
}

double message_bytes(const Amount& messages) {
    return messages.count > 0 ? messages.bytes / messages.count : 0;
}

} // namespace

// Sends start one after the other, and their receives end one after the other. In between a message has its latency and its
// bandwidth. The last message ends the round, or the bytes of all messages on the node's card do.
Spent Walk::messages_of(const Round& round, const Load& load, const Node& node) const {
    const Amount out = load.out(), in = load.in();
    Spent spent;
    if (out.count + in.count <= 0) return spent;
    const double own = machine_.message_us;
    const double sending = overhead_us(machine_.network, load.far_out) +
                           overhead_us(machine_.node, load.near_out) + (out.count + in.count) * own;
    const double receiving = overhead_us(machine_.network, load.far_in) +
                             overhead_us(machine_.node, load.near_in) +
                             round.tests * machine_.node.overhead_us * in.count;
    const bool is_far = load.far_in.count + load.far_out.count > 0;
    const double latency = is_far ? machine_.network.latency_us : machine_.node.latency_us;
    const double far_pair = message_bytes(load.far_in.count > 0 ? load.far_in : load.far_out) /
                            machine_.network.pair_bytes_per_us;
    const double near_pair = message_bytes(load.near_in.count > 0 ? load.near_in : load.near_out) /
                             machine_.node.pair_bytes_per_us;
    const double pair = std::max(far_pair, near_pair);
    const double card = node.far_bytes / machine_.card_bytes_per_us;
    const double first_out = out.count > 0 ? sending / std::max(out.count, 1.0) : 0;
    const double last_in = in.count > 0 ? receiving / std::max(in.count, 1.0) : 0;
    const double windows = round.window > 0 ? std::max(out.count, in.count) / round.window : 1;

    // The three ways through the round. The longest counts.
    const double by_processor = sending + receiving;
    const double by_latency =
        windows <= 1 ? sending + latency + pair + last_in : windows * (first_out + latency + pair + last_in);
    const double by_card = first_out + latency + card + last_in;
    const double longest = std::max({by_processor, by_latency, by_card});
    if (longest == by_card && card > pair) {
        spent.add(Bound::overhead, first_out + last_in);
        spent.add(Bound::latency, latency);
        spent.add(Bound::card, card);
    } else if (longest == by_latency) {
        spent.add(Bound::latency, windows * latency);
        spent.add(Bound::pair, windows * pair);
        spent.add(Bound::overhead, longest - windows * (latency + pair));
    } else {
        spent.add(Bound::overhead, longest);
    }
    return spent;
}

Spent Walk::time_of(const Round& round, const Load& load, const Node& node) const {
    Spent spent = messages_of(round, load, node);
    spent.add(Bound::packing, copy_us(load.before));
    const double behind = round.early ? std::max(1.0, load.in().count) : 1;
    spent.add(Bound::packing, copy_us(load.after) / behind);
    if (load.neighbours > 0) {
        const double meeting = machine_.epoch_us + load.neighbours * machine_.neighbour_us;
        const double copying = copy_us(load.before) + copy_us(load.after);
        spent.add(Bound::memory,
                  meeting + std::max(0.0, node.copied / machine_.memory_bytes_per_us - copying));
    }
    return spent;
}

void Walk::round(const Round& round) {
    counter_.add(round);
    if (round.matters == Round::Matters::count) return;
    const Node node = node_of(round);
    Spent slowest;
    for (const Load& load : round.loads) {
        const Spent spent = time_of(round, load, node);
        if (spent.all() > slowest.all()) slowest = spent;
    }
    spent_.add(slowest, round.times);
}

} // namespace switchyard::shim::predict
