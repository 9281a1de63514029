// Coalesced TuNA (TuNA paper, section IV, algorithm 3), for blocks with sizes (alltoallv) and for equal blocks
// (alltoall). alltoallv/tuna_coalesced.cpp says what it costs and where it departs from the paper.
#include "tuna_coalesced.hpp"
#include "algorithms/forwarding/tuna_coalesced_scratch.hpp"
#include "tuna/node_bundles.hpp"

namespace switchyard::algorithms::forwarding {

namespace {

template <typename Size>
class Coalesced {
  public:
    Coalesced(const Exchange& exchange, Context& context, const NodeBundles<Size>& bundles)
        : exchange_(exchange), map_(*exchange.group.node_map), bundles_(bundles), wire_(context.wire),
          layout_(bundles.shape(), exchange.max_block, context.parameters),
          has_sizes_(exchange.direct != nullptr),
          outgoing_(context.workspace.take(layout_.nodes_at_once * layout_.out_bytes + spare_bytes).data()),
          incoming_(context.workspace.take(layout_.nodes_at_once * layout_.in_bytes).data()) {}

    Status run() { // lines 20 to 30
        Status status;
        std::size_t next = 1; // destination; destination 0 is this rank
        for (patterns::Batch batch(map_.nodes(), static_cast<std::int64_t>(layout_.nodes_at_once));
             batch.valid(); batch.advance()) {
            wire_.enter(Phase::inter);
            std::byte* in = incoming_;
            for (int distance = batch.first(); distance < batch.last(); ++distance, in += layout_.in_bytes)
                receive(bundles_.carriers().node_down(distance), in);
            next = send_all(next, batch.last());
            in = incoming_;
            std::size_t messages = 0;
            for (int distance = batch.first(); distance < batch.last(); ++distance, in += layout_.in_bytes) {
                const int node = bundles_.carriers().node_down(distance);
                messages += wire_.messages_of(arriving_bytes(node));
                wire_.enter(Phase::inter);
                // sizes that did not arrive must not be read
                if (wire_.wait_for_first(messages).ok() || !has_sizes_) deliver(node, in, status);
            }
            wire_.enter(Phase::inter);
            status.keep(wire_.wait_all());
        }
        return status;
    }

  private:
    void receive(int node, std::byte* message) {
        wire_.receive(bundles_.carriers().carrier_on(node, exchange_.group.rank), message,
                      arriving_bytes(node));
    }
    std::size_t arriving_bytes(int node) const {
        return has_sizes_ ? most_bytes(map_.size_of(node)) : expected_bytes(node);
    }
    std::size_t expected_bytes(int node) const {
        const auto sources = map_.ranks_of(node);
        const Block* const recv = exchange_.recv.data();
        std::size_t bytes = 0;
        for (const int source : sources) bytes += recv[source].size;
        return std::min(bytes, layout_.in_bytes);
    }
    // The most bytes of a message from a node of that many ranks, by numbers that both sides know.
    std::size_t most_bytes(int sources) const {
        return static_cast<std::size_t>(sources) * layout_.block_bytes;
    }

    // Sends to the destinations from that one to before that distance. Returns the next destination. A rank of
    // a small node sends to several ranks of a larger one, so there may be more sends than nodes. It waits for
    // sends only behind its receives, as all ranks do, so each send finds its receiver.
    std::size_t send_all(std::size_t next, int end_of_distances) {
        const auto all = bundles_.destinations();
        std::byte* out = outgoing_;
        for (int started = 1; next < all.size() && all[next].distance < end_of_distances; ++next, ++started) {
            out = send(next, out);
            if (started % wire_.batch() == 0) wire_.wait_for_sends();
        }
        return next;
    }

    // Line 19: the blocks of all local ranks, without gaps. A message with sizes that may exceed the limit
    // travels padded, since both sides must split it alike.
    std::byte* send(std::size_t destination, std::byte* message) {
        wire_.enter(Phase::rearrange);
        std::byte* end = has_sizes_ ? pack_with_sizes(bundles_.blocks(destination), message)
                                    : pack(bundles_.blocks(destination), message);
        const std::size_t most = most_bytes(bundles_.shape().ranks);
        if (has_sizes_ && most > wire_.limit()) end = message + most;
        wire_.enter(Phase::inter);
        wire_.send(bundles_.destinations()[destination].rank, message,
                   static_cast<std::size_t>(end - message));
        return end;
    }

    // Return the end of the message.
    std::byte* pack(std::span<const Part> blocks, std::byte* end) const {
        for (const Part& block : blocks) {
            copy_spaciously(end, block.data, block.bytes);
            end += block.bytes;
        }
        return end;
    }
    std::byte* pack_with_sizes(std::span<const Part> blocks, std::byte* end) const {
        const SizesOf<Size> said_sizes(exchange_);
        for (const Part& block : blocks) {
            const std::size_t bytes = size_bytes<Size> + said_sizes.bytes(block.bytes);
            copy_spaciously(end, block.data - size_bytes<Size>, bytes);
            end += bytes;
        }
        return end;
    }

    void deliver(int node, std::byte* message, Status& status) {
        wire_.enter(Phase::rearrange);
        if (!has_sizes_) return deliver_expected(node, message);
        const SizesOf<Size> said_sizes(exchange_);
        for (const int source : map_.ranks_of(node))
            message = deliver_block<Size>(exchange_, source, message, said_sizes, status);
    }
    void deliver_expected(int node, const std::byte* message) {
        const Block* const recv = exchange_.recv.data();
        std::byte* const recv_base = exchange_.recv_base;
        std::size_t left = layout_.in_bytes; // an application may expect more than the largest block
        for (const int source : map_.ranks_of(node)) {
            const Block& place = recv[source];
            const std::size_t bytes = std::min(place.size, left);
            copy_bytes(recv_base + place.offset, message, bytes);
            message += bytes;
            left -= bytes;
        }
    }

    const Exchange& exchange_;
    const NodeMap& map_;
    const NodeBundles<Size>& bundles_;
    Wire& wire_;
    const CoalescedLayout layout_;
    const bool has_sizes_;
    std::byte* const outgoing_;
    std::byte* const incoming_;
};

struct SendsCoalesced {
    template <typename Size>
    Status operator()(const Exchange& exchange, Context& context, const NodeBundles<Size>& bundles) const {
        return Coalesced<Size>(exchange, context, bundles).run();
    }
};

} // namespace

std::unique_ptr<Schedule> tuna_coalesced_schedule(const Group& group, const Parameters& parameters) {
    return std::make_unique<NodeBundlesSchedule>(group, parameters);
}

Status tuna_coalesced(const Exchange& exchange, Context& context) {
    return exchange_by_bundles(exchange, context, coalesced_between_bytes, SendsCoalesced());
}

Status tuna_coalesced_of_equal_blocks(const Exchange& exchange, Context& context) {
    const auto alone = patterns::FramedBlock::alone(exchange.max_block);
    return in_node_bundles(
        alone, exchange, context, coalesced_between_bytes, [](auto& blocks, auto& means, auto& schedule) {
            return exchange_bundles<patterns::NoSize>(blocks, means, schedule, SendsCoalesced());
        });
}

} // namespace switchyard::algorithms::forwarding
