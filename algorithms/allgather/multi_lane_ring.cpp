// Idea: the ranks of a node are in lanes of their own, as in multi_lane. Each lane passes its blocks around
//   the ring of nodes. While a node's next blocks travel, its ranks share the last ones.
// Cost: N - 1 messages of one block between nodes for each rank. Inside the node a rank writes N blocks into
//   the node's memory and reads Q N blocks there. All but the last Q of them overlap the network. By
//   messages: a ring of the node's ranks for the blocks of each node, N (Q - 1) messages of one block.
// Needs: memory that the processor can copy; any number of ranks on each node, wherever they are.
// Departs: our own. multi_lane doubles the blocks of its messages: fewer messages, but half of the blocks
//   come with the last one, and nobody shares them before. Local rank i % q of a node of q ranks serves lane
//   i, and nodes without a local rank i add no block to the lane. Blocks are received in their places, so
//   there is no scratch memory. Blocks may differ in size.
// Source: our own, from the locality-aware Bruck paper, section 5 (multi-lane), and section 2 (ring).
#include "algorithms/algorithm.hpp"
#include "algorithms/transport/memory/node_window.hpp"
#include "algorithms/transport/messages/copy.hpp"
#include "algorithms/transport/messages/wire.hpp"

namespace switchyard::algorithms::allgather {

namespace {

class LaneRing {
  public:
    LaneRing(const Exchange& exchange, Context& context)
        : exchange_(exchange), map_(*exchange.group.node_map), node_(exchange.group.own_node()),
          home_(map_.node_of(exchange.group.rank)), near_(context.wire),
          far_(context.wire.take_second_channel()), window_(context.intra_window()) {}

    Status run() {
        Status status;
        for (int distance = 0; distance < map_.nodes(); ++distance) {
            near_.enter(Phase::inter);
            if (distance + 1 < map_.nodes()) pass_on(distance);
            near_.enter(window_ != nullptr ? Phase::intra : Phase::data);
            status.keep(window_ != nullptr ? share_by_copies(distance) : share_by_messages(distance));
            near_.enter(Phase::inter);
            status.keep(far_.wait_all());
        }
        return status;
    }

  private:
    int node_at(int distance) const { return (home_ + distance) % map_.nodes(); }
    int server_on(int node, int lane) const { return map_.rank_of(node, lane % map_.size_of(node)); }

    // Calls visit(lane, rank) for the blocks of the node `distance` places up the ring that are in lanes of
    // the local rank.
    template <typename Visit>
    void for_each_block(int local, int distance, Visit&& visit) const {
        const int node = node_at(distance);
        for (int lane = local; lane < map_.size_of(node); lane += node_.size)
            visit(lane, map_.rank_of(node, lane));
    }

    // The blocks that came last go down the ring of nodes, and the next ones come from above.
    void pass_on(int distance) {
        const int above = node_at(1), below = node_at(map_.nodes() - 1);
        for_each_block(node_.rank, distance + 1, [&](int lane, int rank) {
            far_.receive(server_on(above, lane), exchange_.recv_from(rank), exchange_.recv_size(rank));
        });
        for_each_block(node_.rank, distance, [&](int lane, int rank) {
            far_.send(server_on(below, lane), exchange_.recv_from(rank), exchange_.recv_size(rank));
        });
    }

    Status share_by_copies(int distance) {
        return window_->gather([&](int local, auto&& add) {
            for_each_block(local, distance, [&](int, int rank) {
                look_at_network(exchange_.recv_size(rank));
                add(Part{exchange_.recv_from(rank), exchange_.recv_size(rank)});
            });
        });
    }
    // Large messages go on only while a rank is in MPI, so a rank lets MPI work after some microseconds of
    // copies.
    void look_at_network(std::size_t copied) {
        constexpr std::size_t bytes_between_looks = 32 << 10;
        copied_ += copied;
        if (copied_ < bytes_between_looks) return;
        copied_ = 0;
        far_.progress();
    }

    Status share_by_messages(int distance) {
        Status status;
        const int up = node_.rank_in_comm(node_.up(1)), down = node_.rank_in_comm(node_.down(1));
        for (int round = 0; round + 1 < node_.size; ++round) {
            for_each_block(node_.up(round + 1), distance, [&](int, int rank) {
                near_.receive(up, exchange_.recv_from(rank), exchange_.recv_size(rank));
            });
            for_each_block(node_.up(round), distance, [&](int, int rank) {
                near_.send(down, exchange_.recv_from(rank), exchange_.recv_size(rank));
            });
            status.keep(near_.wait_all());
        }
        return status;
    }

    const Exchange& exchange_;
    const NodeMap& map_;
    const Group node_; // this rank's
    const int home_;   // its number
    Wire &near_, &far_;
    NodeWindow* const window_; // null: the ranks of the node use messages
    std::size_t copied_ = 0;   // bytes since the last look at the network
};

} // namespace

Status multi_lane_ring(const Exchange& exchange, Context& context) {
    copy_contribution(exchange, exchange.recv_from(exchange.group.rank));
    return LaneRing(exchange, context).run();
}

} // namespace switchyard::algorithms::allgather
