// Idea: blocks for other nodes are gathered at the rank of their own node that is in charge of the next hop,
// so
//   that each pair of nodes has one message a hop; between hops, and at the end, TuNA hands them on inside
//   nodes.
// Cost: w = ceil(log_r N) hops with at most ceil((r - 1) / Q) messages between nodes a rank, and w + 1
// exchanges
//   inside the node. radix = nodes: one hop, ceil((N - 1) / Q) messages; radix = Q + 1: one message a hop.
// Needs: the largest block, agreed by all ranks; any number of ranks on each node, wherever they are.
// Departs: goes past the papers. TuNA sends Q messages between two nodes, or P K / Q in all; this one. The
// inner
//   exchange is TuNA with all rounds of a digit under way, direct where bundles are large. A radix beyond the
//   nodes counts as their number. What may exceed Wire::limit() travels padded, since only its sender knows
//   its length.
// Source: our own, after the TuNA paper, section IV (Q ports), and the locality-aware Bruck paper, section 3
//   (one local rank for each digit).
#include "algorithms/alltoallv/exchange_locally.hpp"
#include "algorithms/copy.hpp"
#include "algorithms/patterns/node_scratch.hpp"

namespace switchyard::algorithms::alltoallv {

namespace {

using patterns::NodeHops;
using patterns::PackedSizes;

class NodeAware {
  public:
    NodeAware(const Exchange& exchange, Context& context)
        : exchange_(exchange), context_(context), map_(*exchange.group.node_map),
          own_node_(exchange.group.own_node()), node_(map_.node_of(exchange.group.rank)),
          hops_(map_.nodes(), context.parameters[Parameter::radix]), shape_{own_node_.size, map_.nodes(),
                                                                            map_.largest()},
          layout_(shape_, exchange.max_block, context.parameters),
          bundles_out_(context.workspace.take(count() * layout_.bundle_bytes).data()),
          bundles_in_(context.workspace.take(count() * layout_.bundle_bytes).data()),
          places_out_(context.workspace.take_array<Block>(count())),
          places_in_(context.workspace.take_array<Block>(count())),
          slot_of_(context.workspace.take_array<int>(static_cast<std::size_t>(map_.nodes()))),
          waiting_bytes_(context.workspace.take_array<std::size_t>(layout_.slots * layout_.rows)),
          waiting_(context.workspace.take(layout_.slots * layout_.offset_bytes()).data()),
          messages_out_(context.workspace.take(layout_.offsets * layout_.offset_bytes()).data()),
          messages_in_(context.workspace.take(layout_.offsets * layout_.offset_bytes()).data()) {
        std::ranges::fill(slot_of_, -1);
    }

    Status run() {
        Status status;
        begin_bundles();
        pack_own();
        status.keep(exchange_bundles([](int) { return true; }));
        for (int source = 0; source < own_node_.size; ++source) unpack_own(source, status);
        for (std::int64_t weight = 1; weight < map_.nodes(); weight *= hops_.radix()) {
            status.keep(hop(weight));
            begin_bundles();
            pack_arrived(weight);
            status.keep(exchange_bundles([&](int from) { return hands_on(weight, from); }));
            for (int source = 0; source < own_node_.size; ++source) unpack_arrived(weight, source, status);
        }
        return status;
    }

  private:
    // What one source has for one node: sizes, then blocks.
    struct Row {
        std::byte* begin;
        std::size_t blocks, bytes;
    };

    std::size_t count() const { return static_cast<std::size_t>(own_node_.size); }
    int node_up(std::int64_t distance) const { return static_cast<int>((node_ + distance) % map_.nodes()); }
    int node_down(std::int64_t distance) const {
        return static_cast<int>((node_ - distance % map_.nodes() + map_.nodes()) % map_.nodes());
    }
    std::size_t size_of(int node) const { return static_cast<std::size_t>(map_.size_of(node)); }
    PackedSizes sizes_at(std::byte* list) const { return {list, layout_.size_bytes}; }

    Row row_at(std::byte* begin, int destination_node) const {
        Row row{begin, size_of(destination_node), 0};
        row.bytes = row.blocks * layout_.size_bytes;
        for (std::size_t i = 0; i < row.blocks; ++i) row.bytes += sizes_at(begin).get(i);
        return row;
    }

    // ---- Inside the node ----

    void begin_bundles() {
        for (std::size_t i = 0; i < count(); ++i) places_out_[i] = {i * layout_.bundle_bytes, 0};
    }
    std::byte* append(int to, const std::byte* data, std::size_t bytes) {
        Block& place = places_out_[static_cast<std::size_t>(to)];
        std::byte* const end = bundles_out_ + place.offset + place.size;
        copy_bytes(end, data, bytes);
        place.size += bytes;
        return end;
    }
    void append_block(int to, const std::byte* data, std::size_t size) {
        Block& place = places_out_[static_cast<std::size_t>(to)];
        sizes_at(bundles_out_ + place.offset + place.size).set(0, size);
        place.size += layout_.size_bytes;
        append(to, data, size);
    }
    // Who of this node gets the blocks of that offset for hops of that weight and more; -1: they are home.
    int next_holder(std::int64_t offset, std::int64_t weight) const {
        const int digit = hops_.next_digit(offset, weight);
        return digit == 0 ? -1 : NodeHops::charge_of(digit, own_node_.size);
    }

    void pack_own() {
        for (int local = 0; local < own_node_.size; ++local) {
            const int rank = own_node_.rank_in_comm(local);
            if (local != own_node_.rank)
                append_block(local, exchange_.send_to(rank), exchange_.send_size(rank));
        }
        for (int offset = 1; offset < map_.nodes(); ++offset) {
            const auto destinations = map_.ranks_of(node_up(offset));
            const int holder = next_holder(offset, 1);
            std::byte* const list = append(holder, nullptr, 0);
            places_out_[static_cast<std::size_t>(holder)].size += destinations.size() * layout_.size_bytes;
            for (std::size_t i = 0; i < destinations.size(); ++i) {
                const std::size_t size = exchange_.send_size(destinations[i]);
                sizes_at(list).set(i, size);
                append(holder, exchange_.send_to(destinations[i]), size);
            }
        }
    }

    void unpack_own(int local, Status& status) {
        std::byte* in = bundles_in_ + static_cast<std::size_t>(local) * layout_.bundle_bytes;
        if (local != own_node_.rank) in = deliver(own_node_.rank_in_comm(local), in, status);
        for (int offset = 1; offset < map_.nodes(); ++offset)
            if (next_holder(offset, 1) == own_node_.rank) in = keep_row(offset, local, in, node_up(offset));
    }

    // All that came with the hops of that weight goes to whom it is for, or to whoever sends it on.
    void pack_arrived(std::int64_t weight) {
        std::byte* message = messages_in_;
        hops_.for_each_digit(weight, own_node_.rank, own_node_.size, [&](int z) {
            std::byte* in = message;
            for_each_row(weight, z, [&](int offset, int source_node) {
                const int destination_node = (source_node + offset) % map_.nodes();
                const Row row = row_at(in, destination_node);
                const int holder = next_holder(offset, weight * hops_.radix());
                if (holder < 0)
                    hand_out(row);
                else
                    append(holder, row.begin, row.bytes);
                in += row.bytes;
            });
            message += most_bytes(weight, z, node_down(z * weight));
        });
    }
    void hand_out(const Row& row) {
        std::byte* block = row.begin + row.blocks * layout_.size_bytes;
        for (int local = 0; local < own_node_.size; ++local) {
            const std::size_t size = sizes_at(row.begin).get(static_cast<std::size_t>(local));
            append_block(local, block, size);
            block += size;
        }
    }

    void unpack_arrived(std::int64_t weight, int from, Status& status) {
        std::byte* in = bundles_in_ + static_cast<std::size_t>(from) * layout_.bundle_bytes;
        hops_.for_each_digit(weight, from, own_node_.size, [&](int z) {
            int local = 0, last_offset = -1;
            for_each_row(weight, z, [&](int offset, int source_node) {
                local = offset == last_offset ? local + 1 : 0;
                last_offset = offset;
                const int holder = next_holder(offset, weight * hops_.radix());
                if (holder < 0)
                    in = deliver(map_.rank_of(source_node, local), in, status);
                else if (holder == own_node_.rank)
                    in = keep_row(offset, local, in, (source_node + offset) % map_.nodes());
            });
        });
    }

    // Calls visit(offset, source node) for each row in the message that arrives with that hop.
    template <typename Visitor>
    void for_each_row(std::int64_t weight, int z, Visitor&& visit) const {
        hops_.for_each_offset(weight, z, [&](int offset) {
            const int source_node = node_down(z * weight + offset % weight);
            for (int i = 0; i < map_.size_of(source_node); ++i) visit(offset, source_node);
        });
    }

    // An application whose counts do not match gets MPI's own answer to that, not an overrun buffer.
    std::byte* deliver(int source, std::byte* in, Status& status) {
        const std::size_t size = sizes_at(in).get(0);
        in += layout_.size_bytes;
        if (size <= exchange_.recv_size(source))
            copy_bytes(exchange_.recv_from(source), in, size);
        else
            status.keep({MPI_ERR_TRUNCATE});
        return in + size;
    }

    // Whether, after the hops of that weight, `from` has anything for this rank.
    bool hands_on(std::int64_t weight, int from) const {
        bool found = from == own_node_.rank;
        hops_.for_each_digit(weight, from, own_node_.size, [&](int z) {
            hops_.for_each_offset(weight, z, [&](int offset) {
                const int holder = next_holder(offset, weight * hops_.radix());
                found = found || holder < 0 || holder == own_node_.rank;
            });
        });
        return found;
    }

    // An empty bundle sends nothing, so its receiver has to know.
    template <typename HasBundle>
    Status exchange_bundles(HasBundle&& has_bundle) {
        const bool is_split = layout_.bundle_bytes > context_.wire.limit();
        for (std::size_t i = 0; i < count(); ++i) {
            places_in_[i] = {i * layout_.bundle_bytes,
                             has_bundle(static_cast<int>(i)) ? layout_.bundle_bytes : 0};
            if (is_split && places_out_[i].size > 0) places_out_[i].size = layout_.bundle_bytes;
        }
        const Exchange bundles{own_node_,   bundles_out_, places_out_,
                               bundles_in_, places_in_,   layout_.bundle_bytes};
        const Parameters parameters =
            patterns::node_aware_inner(own_node_.size, layout_.bundle_bytes, context_.parameters);
        const Status status = exchange_locally(bundles, parameters, context_);
        // What did not arrive must not be read.
        if (!status.ok()) std::memset(bundles_in_, 0, count() * layout_.bundle_bytes);
        return status;
    }

    // ---- Rows that wait for their next hop ----

    std::size_t place_of(int offset, int local) {
        int& slot = slot_of_[static_cast<std::size_t>(offset)];
        if (slot < 0) slot = slots_++;
        return static_cast<std::size_t>(slot) * layout_.rows + static_cast<std::size_t>(local);
    }
    std::byte* keep_row(int offset, int local, std::byte* in, int destination_node) {
        const Row row = row_at(in, destination_node);
        const std::size_t place = place_of(offset, local);
        copy_bytes(waiting_ + place * layout_.row_bytes, row.begin, row.bytes);
        waiting_bytes_[place] = row.bytes;
        return in + row.bytes;
    }

    // ---- Between nodes ----

    // The most bytes of the message that leaves `node` with that hop, from what both sides know.
    std::size_t most_bytes(std::int64_t weight, int z, int node) const {
        std::size_t blocks = 0;
        hops_.for_each_offset(weight, z, [&](int offset) {
            const auto nodes = static_cast<std::int64_t>(map_.nodes());
            const auto source = static_cast<int>((node - offset % weight + nodes) % nodes);
            blocks += size_of(source) * size_of((source + offset) % map_.nodes());
        });
        return blocks * (layout_.size_bytes + exchange_.max_block);
    }

    Status hop(std::int64_t weight) {
        Wire& wire = context_.wire;
        std::byte* in = messages_in_;
        hops_.for_each_digit(weight, own_node_.rank, own_node_.size, [&](int z) {
            const int from = node_down(z * weight);
            const std::size_t bytes = most_bytes(weight, z, from);
            wire.receive(map_.rank_of(from, NodeHops::charge_of(z, map_.size_of(from))), in, bytes);
            in += bytes;
        });
        std::byte* out = messages_out_;
        hops_.for_each_digit(weight, own_node_.rank, own_node_.size, [&](int z) {
            const int to = node_up(z * weight);
            const std::size_t most = most_bytes(weight, z, node_);
            const std::size_t bytes = pack_message(weight, z, out);
            wire.send(map_.rank_of(to, NodeHops::charge_of(z, map_.size_of(to))), out,
                      most > wire.limit() ? most : bytes);
            out += most;
        });
        const Status status = wire.wait_all();
        if (!status.ok()) std::memset(messages_in_, 0, static_cast<std::size_t>(in - messages_in_));
        return status;
    }

    std::size_t pack_message(std::int64_t weight, int z, std::byte* message) {
        std::byte* end = message;
        hops_.for_each_offset(weight, z, [&](int offset) {
            const int source_node = node_down(offset % weight);
            for (int local = 0; local < map_.size_of(source_node); ++local) {
                const std::size_t place = place_of(offset, local);
                copy_bytes(end, waiting_ + place * layout_.row_bytes, waiting_bytes_[place]);
                end += waiting_bytes_[place];
            }
        });
        return static_cast<std::size_t>(end - message);
    }

    const Exchange& exchange_;
    Context& context_;
    const NodeMap& map_;
    const Group own_node_;
    const int node_;
    const NodeHops hops_;
    const patterns::NodeShape shape_;
    const patterns::NodeAwareLayout layout_;
    std::byte* const bundles_out_;
    std::byte* const bundles_in_;
    const std::span<Block> places_out_, places_in_;
    const std::span<int> slot_of_; // by offset
    const std::span<std::size_t> waiting_bytes_;
    std::byte* const waiting_;
    std::byte* const messages_out_;
    std::byte* const messages_in_;
    int slots_ = 0;
};

} // namespace

Status node_aware(const Exchange& exchange, Context& context) {
    Status status = copy_own_block(exchange);
    if (exchange.max_block == 0 || exchange.group.size == 1) return status;
    const NodeMap& map = *exchange.group.node_map;
    const auto scratch = patterns::node_aware_scratch_bytes({map.ranks(), map.nodes(), map.largest()},
                                                            exchange.max_block, context.parameters);
    if (!context.workspace.has(scratch)) return {MPI_ERR_NO_MEM};
    status.keep(NodeAware(exchange, context).run());
    return status;
}

} // namespace switchyard::algorithms::alltoallv
