// The messages between nodes of node_aware: one for each hop and lane in the charge of this rank.
#pragma once

#include "routes.hpp"

namespace switchyard::algorithms::alltoallv {

class HopMessages {
  public:
    HopMessages(const Exchange& exchange, Context& context, const Routes& routes, WaitingRows& waiting)
        : exchange_(exchange), wire_(context.wire), routes_(routes), map_(routes.map()), waiting_(waiting),
          outgoing_(context.workspace.take(routes.layout().message_bytes()).data()),
          incoming_(context.workspace.take(routes.layout().message_bytes()).data()) {}

    // The hops of that weight. Messages that did not arrive read as zeros.
    Status exchange(std::int64_t weight) {
        std::byte* const end =
            for_each_arrived(weight, [&](int z, int lane, std::byte* in, std::size_t most) {
                const int from = routes_.node_down(z * weight);
                const bool is_exact = !has_sizes(weight) && most > 0 && most <= wire_.limit();
                wire_.receive(rank_in_charge(from, z, lane), in, is_exact ? expected_bytes(weight, z) : most);
            });
        std::byte* out = outgoing_;
        for_each_charge(weight, [&](int z, int lane) {
            const std::size_t most = most_bytes(weight, z, lane, routes_.node());
            const std::size_t bytes = pack(weight, z, lane, out);
            // A message that may exceed the limit travels padded, since both sides must split it alike.
            wire_.send(rank_in_charge(routes_.node_up(z * weight), z, lane), out,
                       most > wire_.limit() ? most : bytes);
            out += most;
        });
        const Status status = wire_.wait_all();
        if (!status.ok()) std::memset(incoming_, 0, static_cast<std::size_t>(end - incoming_));
        return status;
    }

    // Calls visit(z, lane, message, room for it) for the messages that arrive with the hops of that weight.
    // Returns the end of their rooms.
    template <typename Visitor>
    std::byte* for_each_arrived(std::int64_t weight, Visitor&& visit) const {
        std::byte* message = incoming_;
        for_each_charge(weight, [&](int z, int lane) {
            const std::size_t most = most_bytes(weight, z, lane, routes_.node_down(z * weight));
            visit(z, lane, message, most);
            message += most;
        });
        return message;
    }

    // Delivers the messages of the hops that end the exchange: a block in each row.
    Status deliver(std::int64_t weight) const {
        Status status;
        for_each_arrived(weight, [&](int z, int lane, std::byte* in, std::size_t) {
            if (lane != routes_.lane()) return; // the node has no rank in the lane, and no block is for it
            routes_.for_each_row(weight, z, [&](int, int source_node, int source_rank) {
                const int source = map_.rank_of(source_node, source_rank);
                in = has_sizes(weight)
                         ? deliver_block(exchange_, source, in, routes_.layout().size_bytes, status)
                         : deliver_expected(source, in, status);
            });
        });
        return status;
    }

  private:
    // The receiver of a hop that ends the exchange knows the sizes of its blocks, so no sizes travel. With blocks that go
    // straight they do, since the receiver may expect a block here that goes straight, or the other way round.
    bool has_sizes(std::int64_t weight) const {
        return exchange_.straight != nullptr || !routes_.ends_exchange(weight);
    }
    std::byte* deliver_expected(int source, std::byte* in, Status& status) const {
        const std::size_t size = arriving_size(source);
        if (size < exchange_.recv_size(source)) status.keep({MPI_ERR_TRUNCATE});
        copy_bytes(exchange_.recv_from(source), in, size);
        return in + size;
    }

    template <typename Visitor>
    void for_each_charge(std::int64_t weight, Visitor&& visit) const {
        routes_.for_each_charge(weight, routes_.own_node().rank, visit);
    }
    int rank_in_charge(int node, int z, int lane) const {
        return map_.rank_of(node, routes_.hops().charge_of(z, lane, map_.size_of(node)));
    }

    // The most bytes of the message that leaves `node` with that hop, from numbers that both
    // sides know.
    std::size_t most_bytes(std::int64_t weight, int z, int lane, int node) const {
        const auto& hops = routes_.hops();
        std::size_t blocks = 0;
        hops.for_each_offset(weight, z, [&](int offset) {
            const auto nodes = static_cast<std::int64_t>(map_.nodes());
            const auto source = static_cast<int>((node - offset % weight + nodes) % nodes);
            const int destinations = hops.ranks_in(lane, map_.size_of((source + offset) % map_.nodes()));
            blocks += static_cast<std::size_t>(map_.size_of(source)) * static_cast<std::size_t>(destinations);
        });
        return blocks * (routes_.layout().size_bytes + exchange_.max_block);
    }
    // The bytes that arrive with a hop that ends the exchange. Where all blocks are empty, no message
    // travels.
    std::size_t expected_bytes(std::int64_t weight, int z) const {
        std::size_t bytes = 0;
        routes_.for_each_row(weight, z, [&](int, int source_node, int source) {
            bytes += arriving_size(map_.rank_of(source_node, source));
        });
        return bytes;
    }
    // An application whose counts do not match may expect more than the largest block.
    std::size_t arriving_size(int source) const {
        return std::min(exchange_.recv_size(source), exchange_.max_block);
    }

    std::size_t pack(std::int64_t weight, int z, int lane, std::byte* message) {
        std::byte* end = message;
        const std::size_t without = has_sizes(weight) ? 0 : routes_.layout().size_bytes;
        routes_.hops().for_each_offset(weight, z, [&](int offset) {
            const int sources = map_.size_of(routes_.node_down(offset % weight));
            for (int source = 0; source < sources; ++source)
                end = waiting_.append(routes_.key_of(offset, lane), source, end, without);
        });
        return static_cast<std::size_t>(end - message);
    }

    const Exchange& exchange_;
    Wire& wire_;
    const Routes& routes_;
    const NodeMap& map_;
    WaitingRows& waiting_;
    std::byte* const outgoing_;
    std::byte* const incoming_;
};

} // namespace switchyard::algorithms::alltoallv
