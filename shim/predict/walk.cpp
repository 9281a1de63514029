#include "walk.hpp"

#include <algorithm>
#include <numeric>

namespace switchyard::shim::predict {

namespace {

// After about so many rounds half of the ranks are out of step. Fitted to simulations
// (tests/bench/RESULTS.md).
constexpr double rounds_in_step = 8;
// The share of receives that are late if many messages are under way. Fitted as well.
constexpr double late_receives = 0.3, many_messages = 32;

} // namespace

double Spent::all() const {
    return std::accumulate(us_.begin(), us_.end(), 0.0);
}

Bound Spent::most() const {
    return static_cast<Bound>(std::ranges::max_element(us_) - us_.begin());
}

Walk::Walk(const Machine& machine, const algorithms::GroupShape& shape)
    : machine_(machine), nodes_(shape.nodes), local_ranks_(std::min(shape.ranks_per_node, shape.ranks)) {}

double Walk::copy_us(const Amount& copies) const {
    return copies.count * machine_.block_us + copies.bytes / machine_.copy_bytes_per_us;
}

// What the NIC takes for messages of one direction: for their bytes, or for their number.
double Walk::nic_us_of(const Amount& messages) const {
    return std::max(messages.bytes / machine_.card_bytes_per_us,
                    messages.count / machine_.card_messages_per_us);
}

Walk::Node Walk::node_of(const Round& round) const {
    Node node;
    Amount out, in;
    double receivers = 0;
    for (const Load& load : round.loads) {
        out.count += load.far_out.count;
        out.bytes += load.far_out.bytes;
        in.count += load.far_in.count;
        in.bytes += load.far_in.bytes;
        node.copied += load.before.bytes + load.after.bytes;
        receivers += load.in().count > 0 ? 1 : 0;
    }
    const double ranks_of_a_load = round.loads.size() == 1 ? local_ranks_ : 1;
    node.nic_us = ranks_of_a_load * std::max(nic_us_of(out), nic_us_of(in));
    node.copied *= ranks_of_a_load;
    // A way through several rounds goes from rank to rank. If few messages of a round go to other nodes, the
    // way hardly meets one.
    if (receivers > 0) node.far = std::min(1.0, in.count / receivers);
    return node;
}

namespace {

// The processor's time for such messages, on one side.
double overhead_us(const Link& link, const Amount& messages) {
    if (messages.count <= 0) return 0;
    const bool is_eager = messages.bytes <= messages.count * link.eager_bytes;
    return messages.count * link.overhead_us + (is_eager ? messages.bytes / link.eager_copy_bytes_per_us : 0);
}

double mixed(double far, double near, double share_of_far) {
    return share_of_far * far + (1 - share_of_far) * near;
}

double message_bytes(const Amount& messages) {
    return messages.count > 0 ? messages.bytes / messages.count : 0;
}

} // namespace

// Each message is packed and sent before the next one is packed. Receives end one after the other. In between
// a message has its latency and its bandwidth.
Walk::Way Walk::way_of(const Round& round, const Load& load, const Node& node) const {
    const Amount out = load.out(), in = load.in();
    Way way;
    way.packing_out = copy_us(load.before) + load.parts * machine_.part_us;
    way.packing_in = round.early ? copy_us(load.after) : 0;
    way.packing_last = round.early ? 0 : copy_us(load.after);
    way.sending = way.packing_out + overhead_us(machine_.network, load.far_out) +
                  overhead_us(machine_.node, load.near_out) + (out.count + in.count) * machine_.message_us;
    way.receiving = way.packing_in + overhead_us(machine_.network, load.far_in) +
                    overhead_us(machine_.node, load.near_in) +
                    round.tests * machine_.node.overhead_us * in.count;
    way.out = std::max(out.count, 1.0);
    way.in = std::max(in.count, 1.0);
    way.at_once = round.window > 0 ? std::min(round.window, way.in) : way.in;
    way.latency = mixed(machine_.network.latency_us, machine_.node.latency_us, node.far);
    const double bytes = std::max(message_bytes(in), message_bytes(out));
    way.pair =
        mixed(bytes / machine_.network.pair_bytes_per_us, bytes / machine_.node.pair_bytes_per_us, node.far);
    return way;
}

// While the ranks of a node are in step, they and the NIC take turns. After some rounds they are not in step:
// while some ranks wait for the NIC, others compute.
double Walk::nic_way(const Round& round, const Way& way, const Node& node) const {
    const double others = way.sending / way.out + way.latency + way.receiving / way.in + way.packing_last;
    const double in_step = 1 / (1 + rounds_ / rounds_in_step);
    // If all ranks start with the same destination, the last node's NIC waits for its first messages.
    const double idle = round.same_first ? way.sending * (1 - 1 / nodes_) : 0;
    // If many messages are under way at once, more of them end together, and their
    // receives are left for the end.
    const double left = late_receives * way.receiving * way.at_once / (way.in + many_messages);
    return std::max(others, node.nic_us) + in_step * std::min(others, node.nic_us) + idle + left;
}

// Three ways through a round: a rank's processor works all the time; its last message is the slowest; or the
// bytes of all messages on the node's NIC are the slowest. The longest way counts.
Spent Walk::messages_of(const Round& round, const Load& load, const Node& node) const {
    const Way way = way_of(round, load, node);
    const double windows = round.window > 0 ? std::max(1.0, std::max(way.out, way.in) / round.window) : 1;
    const double first = windows > 1 ? windows * way.sending / way.out : way.sending;
    const double by_processor = way.sending + way.receiving + way.packing_last;
    const double by_latency =
        first + windows * (way.latency + way.pair + way.receiving / way.in) + way.packing_last;
    const double by_nic = nic_way(round, way, node);
    const double all = std::max({by_processor, by_latency, by_nic});
    Spent spent;
    double left = all;
    const auto take = [&](Bound bound, double us) {
        spent.add(bound, std::min(left, us));
        left -= std::min(left, us);
    };
    if (all == by_nic) {
        take(Bound::nic, node.nic_us);
        take(Bound::packing, way.packing_out / way.out + way.packing_in / way.in + way.packing_last);
        take(Bound::latency, way.latency);
    } else {
        take(Bound::packing, way.packing_out + way.packing_in + way.packing_last);
        if (all == by_latency) take(Bound::latency, windows * way.latency);
        if (all == by_latency) take(Bound::pair, windows * way.pair);
    }
    take(Bound::overhead, left);
    return spent;
}

Spent Walk::copies_of(const Load& load, const Node& node) const {
    const double copying = copy_us(load.before) + copy_us(load.after);
    Spent spent;
    spent.add(Bound::packing, copying);
    if (load.neighbours <= 0) return spent;
    spent.add(Bound::memory, machine_.epoch_us + load.neighbours * machine_.neighbour_us +
                                 std::max(0.0, node.copied / machine_.memory_bytes_per_us - copying));
    return spent;
}

// The processor starts and ends the messages, and copies in between. The network has as much time.
Spent Walk::overlapping_of(const Round& round, const Load& load, const Node& node) const {
    Load messages = load;
    messages.before = messages.after = {};
    const Way way = way_of(round, messages, node);
    Spent copies = copies_of(load, node);
    copies.add(Bound::overhead, way.sending + way.receiving);
    const Spent travel = messages_of(round, messages, node);
    return travel.all() > copies.all() ? travel : copies;
}

Spent Walk::time_of(const Round& round, const Load& load, const Node& node) const {
    if (round.overlaps) return overlapping_of(round, load, node);
    return load.out().count + load.in().count > 0 ? messages_of(round, load, node) : copies_of(load, node);
}

Spent Walk::slowest_of(const Round& round) const {
    const Node node = node_of(round);
    Spent slowest;
    for (const Load& load : round.loads) {
        const Spent spent = time_of(round, load, node);
        if (spent.all() > slowest.all()) slowest = spent;
    }
    return slowest;
}

void Walk::round(const Round& round) {
    counter_.add(round);
    if (round.matters == Round::Matters::count) return;
    const bool gets_out_of_step =
        round.matters == Round::Matters::both && std::ranges::any_of(round.loads, [](const Load& load) {
            return load.in().count + load.out().count > 0;
        });
    if (!gets_out_of_step) return spent_.add(slowest_of(round), round.times);
    for (double i = 0; i < round.times; ++i, ++rounds_) spent_.add(slowest_of(round), 1);
}

} // namespace switchyard::shim::predict
