// Idea: blocks for other nodes are gathered at the ranks of their own node that are in charge of the next hop,
//   so that few messages go between nodes and all ranks share them; after a hop the ranks of a lane, those
//   that blocks of it can be for, hand on among themselves.
// Cost: w = ceil(log_r N) hops with at most ceil((r - 1) l / Q) messages between nodes a rank, one exchange of
//   Q ranks, and w of Q / l. radix = nodes: one hop; lanes = Q: every rank meets its like, and nothing is
//   handed on after the last hop.
// Needs: the largest block, agreed by all ranks; any number of ranks on each node, wherever they are.
// Departs: goes past the papers. Where tuna_coalesced sends Q messages from node to node, this sends one for
//   each lane. The exchanges inside nodes are TuNA with all rounds of a digit under way, direct where bundles
//   are large. A radix beyond the nodes counts as their number, more lanes than ranks on a node as those. What
//   may exceed Wire::limit() travels padded, since only its sender knows its length.
//   intra=shared: bundles are copied through the node's memory instead, in no message.
// Source: our own, after the TuNA paper, section IV (Q ports), and the locality-aware Bruck paper, section 3
//   (one local rank for each digit).
#include "bundles.hpp"
#include "rows.hpp"
#include "algorithms/patterns/node_scratch.hpp"

namespace switchyard::algorithms::alltoallv {

namespace {

using patterns::NodeHops;

class NodeAware {
  public:
    NodeAware(const Exchange& exchange, Context& context)
        : exchange_(exchange), wire_(context.wire), map_(*exchange.group.node_map),
          own_node_(exchange.group.own_node()), node_(map_.node_of(exchange.group.rank)),
          hops_(map_.nodes(), map_.largest(), context.parameters[Parameter::radix],
                context.parameters[Parameter::lanes]),
          layout_({own_node_.size, map_.nodes(), map_.largest()}, exchange.max_block, context.parameters),
          own_lane_(lane_group(context.workspace.take_array<int>(layout_.lane_ranks))),
          first_(own_node_, layout_.first_bytes, context),
          arrived_(own_lane_, layout_.arrived_bytes, context),
          waiting_(layout_.keys, layout_.slots, layout_.rows, layout_.row_bytes, context.workspace),
          messages_out_(context.workspace.take(layout_.message_bytes()).data()),
          messages_in_(context.workspace.take(layout_.message_bytes()).data()), context_(context) {}

    Status run() {
        pack_own();
        Status status = first_.exchange(inner(own_node_, layout_.first_bytes), [](int) { return true; });
        for (int source = 0; source < own_node_.size; ++source) unpack_own(source, status);
        for (std::int64_t weight = 1; weight < map_.nodes(); weight *= hops_.radix()) {
            status.keep(hop(weight));
            if (is_last_step(weight)) return deliver_arrived(weight, status);
            pack_arrived(weight);
            if (own_node_.size > hops_.lanes())
                status.keep(arrived_.exchange(inner(own_lane_, layout_.arrived_bytes),
                                              [&](int from) { return hands_on(weight, from); }));
            else
                arrived_.keep_own();
            for (int from = 0; from < own_lane_.size; ++from) unpack_arrived(weight, from, status);
        }
        return status;
    }

  private:
    // Whether the hops of that weight end all exchange: with a lane for each rank, blocks arrive where they are
    // for, and their sizes, which their receiver knows, stay behind.
    bool is_last_step(std::int64_t weight) const {
        return weight * hops_.radix() >= map_.nodes() && hops_.lanes() >= map_.largest();
    }
    int node_up(std::int64_t distance) const { return static_cast<int>((node_ + distance) % map_.nodes()); }
    int node_down(std::int64_t distance) const {
        return static_cast<int>((node_ - distance % map_.nodes() + map_.nodes()) % map_.nodes());
    }
    std::size_t size_of(int node) const { return static_cast<std::size_t>(map_.size_of(node)); }
    Row row_at(std::byte* begin, int destination_node, int lane) const {
        const int blocks = hops_.ranks_in(lane, map_.size_of(destination_node));
        return Row::read(begin, static_cast<std::size_t>(blocks), layout_.size_bytes);
    }
    std::size_t key_of(int offset, int lane) const {
        return static_cast<std::size_t>(offset) * static_cast<std::size_t>(hops_.lanes()) +
               static_cast<std::size_t>(lane);
    }
    // The ranks of this node in the lane of this one; local rank i of the node is number i / lanes of them.
    Group lane_group(std::span<int> members) const {
        const int lane = hops_.lane_of(own_node_.rank);
        const int count = hops_.ranks_in(lane, own_node_.size);
        for (int i = 0; i < count; ++i)
            members[static_cast<std::size_t>(i)] = own_node_.rank_in_comm(lane + i * hops_.lanes());
        return {own_node_.comm, own_node_.rank / hops_.lanes(), count, &map_, members.data()};
    }
    int local_rank_of(int lane_rank) const {
        return hops_.lane_of(own_node_.rank) + lane_rank * hops_.lanes();
    }
    Parameters inner(const Group& group, std::size_t bundle_bytes) const {
        return patterns::node_aware_inner(group.size, bundle_bytes, context_.parameters);
    }
    // Who of this node gets those blocks for hops of that weight and more; -1: they are home.
    int next_holder(std::int64_t offset, int lane, std::int64_t weight) const {
        const int digit = hops_.next_digit(offset, weight);
        return digit == 0 ? -1 : hops_.charge_of(digit, lane, own_node_.size);
    }

    // ---- First exchange in the node: blocks to where they are, or to who sends them on ----

    void pack_own() {
        first_.clear();
        for (int local = 0; local < own_node_.size; ++local) {
            const int destination = own_node_.rank_in_comm(local);
            if (local != own_node_.rank)
                append_block(first_, local, exchange_.send_to(destination), exchange_.send_size(destination));
        }
        for (int offset = 1; offset < map_.nodes(); ++offset)
            for (int lane = 0; lane < hops_.lanes(); ++lane) append_own_row(offset, lane);
    }
    void append_block(Bundles& bundles, int to, const std::byte* data, std::size_t size) const {
        patterns::PackedSizes(bundles.extend(to, layout_.size_bytes), layout_.size_bytes).set(0, size);
        bundles.append(to, data, size);
    }
    void append_own_row(int offset, int lane) {
        const int to = next_holder(offset, lane, 1);
        const auto destinations = map_.ranks_of(node_up(offset));
        const int blocks = hops_.ranks_in(lane, static_cast<int>(destinations.size()));
        const patterns::PackedSizes sizes(
            first_.extend(to, static_cast<std::size_t>(blocks) * layout_.size_bytes), layout_.size_bytes);
        for (int i = 0; i < blocks; ++i) {
            const int destination = destinations[static_cast<std::size_t>(lane + i * hops_.lanes())];
            sizes.set(static_cast<std::size_t>(i), exchange_.send_size(destination));
            first_.append(to, exchange_.send_to(destination), exchange_.send_size(destination));
        }
    }

    void unpack_own(int source, Status& status) {
        std::byte* in = first_.from(source);
        if (source != own_node_.rank) in = deliver(own_node_.rank_in_comm(source), in, status);
        for (int offset = 1; offset < map_.nodes(); ++offset)
            for (int lane = 0; lane < hops_.lanes(); ++lane)
                if (next_holder(offset, lane, 1) == own_node_.rank)
                    in = keep(offset, lane, source, row_at(in, node_up(offset), lane));
    }
    std::byte* keep(int offset, int lane, int source, const Row& row) {
        waiting_.keep(key_of(offset, lane), source, row);
        return row.begin + row.bytes;
    }
    // An application whose counts do not match gets MPI's own answer to that, not an overrun buffer.
    std::byte* deliver(int source, std::byte* in, Status& status) {
        const std::size_t size = patterns::PackedSizes(in, layout_.size_bytes).get(0);
        in += layout_.size_bytes;
        if (size <= exchange_.recv_size(source))
            copy_bytes(exchange_.recv_from(source), in, size);
        else
            status.keep({MPI_ERR_TRUNCATE});
        return in + size;
    }

    // ---- Between nodes ----

    Status hop(std::int64_t weight) {
        std::byte* in = messages_in_;
        hops_.for_each_charge(weight, own_node_.rank, own_node_.size, [&](int z, int lane) {
            const int from = node_down(z * weight);
            const std::size_t most = most_bytes(weight, z, lane, from);
            const bool is_exact = is_last_step(weight) && most > 0 && most <= wire_.limit();
            wire_.receive(map_.rank_of(from, hops_.charge_of(z, lane, map_.size_of(from))), in,
                          is_exact ? expected_bytes(weight, z) : most);
            in += most;
        });
        std::byte* out = messages_out_;
        hops_.for_each_charge(weight, own_node_.rank, own_node_.size, [&](int z, int lane) {
            const int to = node_up(z * weight);
            const std::size_t most = most_bytes(weight, z, lane, node_);
            const std::size_t bytes = pack_message(weight, z, lane, out);
            wire_.send(map_.rank_of(to, hops_.charge_of(z, lane, map_.size_of(to))), out,
                       most > wire_.limit() ? most : bytes);
            out += most;
        });
        const Status status = wire_.wait_all();
        if (!status.ok()) std::memset(messages_in_, 0, static_cast<std::size_t>(in - messages_in_));
        return status;
    }
    // The most bytes of the message that leaves `node` with that hop, from what both sides know.
    std::size_t most_bytes(std::int64_t weight, int z, int lane, int node) const {
        std::size_t blocks = 0;
        hops_.for_each_offset(weight, z, [&](int offset) {
            const auto nodes = static_cast<std::int64_t>(map_.nodes());
            const auto source = static_cast<int>((node - offset % weight + nodes) % nodes);
            const int destinations = hops_.ranks_in(lane, map_.size_of((source + offset) % map_.nodes()));
            blocks += size_of(source) * static_cast<std::size_t>(destinations);
        });
        return blocks * (layout_.size_bytes + exchange_.max_block);
    }
    // All blocks may be empty, and then nothing travels.
    std::size_t expected_bytes(std::int64_t weight, int z) const {
        std::size_t bytes = 0;
        for_each_row(weight, z, [&](int, int source_node, int source) {
            bytes += arriving_size(map_.rank_of(source_node, source));
        });
        return bytes;
    }
    // An application whose counts do not match may expect more than anybody sends.
    std::size_t arriving_size(int source) const {
        return std::min(exchange_.recv_size(source), exchange_.max_block);
    }
    std::size_t pack_message(std::int64_t weight, int z, int lane, std::byte* message) {
        std::byte* end = message;
        const std::size_t without = is_last_step(weight) ? layout_.size_bytes : 0;
        hops_.for_each_offset(weight, z, [&](int offset) {
            const int sources = map_.size_of(node_down(offset % weight));
            for (int source = 0; source < sources; ++source)
                end = waiting_.append(key_of(offset, lane), source, end, without);
        });
        return static_cast<std::size_t>(end - message);
    }

    Status deliver_arrived(std::int64_t weight, Status status) {
        std::byte* message = messages_in_;
        hops_.for_each_charge(weight, own_node_.rank, own_node_.size, [&](int z, int lane) {
            const std::byte* in = message;
            message += most_bytes(weight, z, lane, node_down(z * weight));
            if (lane != hops_.lane_of(own_node_.rank)) return; // which nobody here is in
            for_each_row(weight, z, [&](int, int source_node, int source_rank) {
                const int source = map_.rank_of(source_node, source_rank);
                const std::size_t size = arriving_size(source);
                if (size < exchange_.recv_size(source)) status.keep({MPI_ERR_TRUNCATE});
                copy_bytes(exchange_.recv_from(source), in, size);
                in += size;
            });
        });
        return status;
    }

    // ---- After any other hop: what arrived goes to whom it is for, or to who sends it on ----

    // Calls visit(offset, source node, source's local rank) for each row that arrives with that hop.
    template <typename Visitor>
    void for_each_row(std::int64_t weight, int z, Visitor&& visit) const {
        hops_.for_each_offset(weight, z, [&](int offset) {
            const int source_node = node_down(z * weight + offset % weight);
            for (int source = 0; source < map_.size_of(source_node); ++source)
                visit(offset, source_node, source);
        });
    }

    void pack_arrived(std::int64_t weight) {
        arrived_.clear();
        std::byte* message = messages_in_;
        hops_.for_each_charge(weight, own_node_.rank, own_node_.size, [&](int z, int lane) {
            std::byte* in = message;
            for_each_row(weight, z, [&](int offset, int source_node, int) {
                const Row row = row_at(in, (source_node + offset) % map_.nodes(), lane);
                const int holder = next_holder(offset, lane, weight * hops_.radix());
                if (holder < 0)
                    hand_out(row);
                else
                    arrived_.append(holder / hops_.lanes(), row.begin, row.bytes);
                in += row.bytes;
            });
            message += most_bytes(weight, z, lane, node_down(z * weight));
        });
    }
    void hand_out(const Row& row) {
        row.for_each_block([&](std::size_t i, const std::byte* block, std::size_t size) {
            append_block(arrived_, static_cast<int>(i), block, size);
        });
    }

    void unpack_arrived(std::int64_t weight, int from, Status& status) {
        std::byte* in = arrived_.from(from);
        hops_.for_each_charge(weight, local_rank_of(from), own_node_.size, [&](int z, int lane) {
            for_each_row(weight, z, [&](int offset, int source_node, int source) {
                const int holder = next_holder(offset, lane, weight * hops_.radix());
                if (holder < 0 && lane == hops_.lane_of(own_node_.rank)) // else nobody here is in that lane
                    in = deliver(map_.rank_of(source_node, source), in, status);
                else if (holder == own_node_.rank)
                    in = keep(offset, lane, source, row_at(in, (source_node + offset) % map_.nodes(), lane));
            });
        });
    }
    // Whether, after the hops of that weight, `from` has anything for this rank.
    bool hands_on(std::int64_t weight, int from) const {
        if (from == own_lane_.rank) return true;
        bool found = false;
        hops_.for_each_charge(weight, local_rank_of(from), own_node_.size, [&](int z, int lane) {
            hops_.for_each_offset(weight, z, [&](int offset) {
                const int holder = next_holder(offset, lane, weight * hops_.radix());
                const int destination_node = node_up(offset - (z * weight + offset % weight) + map_.nodes());
                const bool is_row = hops_.ranks_in(lane, map_.size_of(destination_node)) > 0;
                found = found || holder < 0 || (holder == own_node_.rank && is_row);
            });
        });
        return found;
    }

    const Exchange& exchange_;
    Wire& wire_;
    const NodeMap& map_;
    const Group own_node_;
    const int node_;
    const NodeHops hops_;
    const patterns::NodeAwareLayout layout_;
    const Group own_lane_;
    Bundles first_, arrived_;
    WaitingRows waiting_;
    std::byte* const messages_out_;
    std::byte* const messages_in_;
    Context& context_;
};

} // namespace

Status node_aware(const Exchange& exchange, Context& context) {
    Status status = copy_own_block(exchange);
    if (exchange.max_block == 0 || exchange.group.size == 1) return status;
    const NodeMap& map = *exchange.group.node_map;
    const patterns::NodeShape own = {exchange.group.own_node().size, map.nodes(), map.largest()};
    if (!context.workspace.has(patterns::node_aware_scratch_of(own, exchange.max_block, context.parameters)))
        return {MPI_ERR_NO_MEM}; // for that of any node was asked, so that this is so on all ranks or on none
    status.keep(NodeAware(exchange, context).run());
    return status;
}

} // namespace switchyard::algorithms::alltoallv
