#include "routes.hpp"

#include <algorithm>
#include <map>
#include <span>

namespace switchyard::algorithms::neighborhood {

namespace {

// The rank of `node` that carries what goes to and comes from `other`: the ranks of a node take turns.
int carrier(const NodeMap& map, int node, int other) {
    return map.rank_of(node, other % map.size_of(node));
}

// The edges as runs: those with the same key, which lie side by side.
template <typename Key, typename Visit>
void for_each_run(std::span<const Edge> edges, const Key& key, const Visit& visit) {
    while (!edges.empty()) {
        const auto value = key(edges.front());
        std::size_t length = 1;
        while (length < edges.size() && key(edges[length]) == value) ++length;
        visit(value, edges.first(length));
        edges = edges.subspan(length);
    }
}

int source_of(const Edge& edge) {
    return edge.source;
}

class Making {
  public:
    Making(Routes& routes, const Group& group, bool copies)
        : routes_(routes), map_(*group.node_map), neighbors_(*group.neighborhood), rank_(group.rank),
          node_(map_.node_of(rank_)), copies_(copies) {}

    void run() {
        const auto destination_node = [this](const Edge& edge) { return map_.node_of(edge.destination); };
        const auto source_node = [this](const Edge& edge) { return map_.node_of(edge.source); };
        for_each_run(neighbors_.leaving, destination_node,
                     [this](int node, auto edges) { leave(node, edges); });
        for_each_run(neighbors_.arriving, source_node, [this](int node, auto edges) { arrive(node, edges); });
    }

  private:
    // The blocks of the edges from one source to one node.
    int blocks_of(std::span<const Edge> edges) const { return copies_ ? 1 : static_cast<int>(edges.size()); }

    // Edges from this node to `node`.
    void leave(int node, std::span<const Edge> edges) {
        const int by = carrier(map_, node_, node);
        Carried carried{carrier(map_, node, node_), {}};
        for_each_run(edges, source_of, [&](int source, std::span<const Edge> of_source) {
            if (source == rank_) collect(by, of_source);
            if (by != rank_) return;
            const int blocks = blocks_of(of_source);
            carried.chunks.push_back({message_from(source, blocks), blocks});
            carried.blocks += blocks;
        });
        if (by == rank_) routes_.carried.push_back(std::move(carried));
    }

    // This rank's blocks for one node.
    void collect(int by, std::span<const Edge> edges) {
        std::vector<int> chunk;
        for (const Edge& edge : edges.first(static_cast<std::size_t>(blocks_of(edges))))
            chunk.push_back(neighbors_.block_of_sent(edge.destination, edge.occurrence));
        if (by == rank_) {
            routes_.own_chunks.insert(routes_.own_chunks.end(), chunk.begin(), chunk.end());
            return;
        }
        const auto [place, is_new] = collected_.try_emplace(by, static_cast<int>(routes_.collected.size()));
        if (is_new) routes_.collected.push_back({by, {}});
        auto& collected = routes_.collected[static_cast<std::size_t>(place->second)];
        collected.blocks += static_cast<int>(chunk.size());
        collected.chunks.push_back(std::move(chunk));
    }

    // The number of the message in which the source hands this rank these blocks.
    int message_from(int source, int blocks) {
        if (source == rank_) return SourceChunk::own;
        const auto [place, is_new] =
            from_sources_.try_emplace(source, static_cast<int>(routes_.from_sources.size()));
        if (is_new) routes_.from_sources.push_back({source});
        routes_.from_sources[static_cast<std::size_t>(place->second)].blocks += blocks;
        return place->second;
    }

    // Edges from `node` to this node.
    void arrive(int node, std::span<const Edge> edges) {
        const int by = carrier(map_, node_, node);
        if (by != rank_) return expect(by, edges);
        Arrived arrived{carrier(map_, node, node_), {}, {}};
        for_each_run(edges, source_of, [&](int, std::span<const Edge> of_source) {
            const int blocks = blocks_of(of_source);
            arrived.chunks.push_back(blocks);
            arrived.blocks += blocks;
            for (int block = 0; block < blocks; ++block)
                arrived.deliveries.push_back(copies_ ? static_cast<int>(of_source.size()) : 1);
            for (const Edge& edge : of_source) deliver(edge);
        });
        routes_.arrived.push_back(std::move(arrived));
    }

    void deliver(const Edge& edge) {
        if (edge.destination == rank_) {
            const int block = neighbors_.block_of_received(edge.source, edge.occurrence);
            routes_.deliveries.push_back({Delivery::own, block});
            return;
        }
        const auto [place, is_new] =
            to_ranks_.try_emplace(edge.destination, static_cast<int>(routes_.to_ranks.size()));
        if (is_new) routes_.to_ranks.push_back({edge.destination, {}});
        auto& message = routes_.to_ranks[static_cast<std::size_t>(place->second)];
        routes_.deliveries.push_back({place->second, message.number++});
    }

    // The blocks for this rank that another rank of its node carries.
    void expect(int by, std::span<const Edge> edges) {
        for (const Edge& edge : edges) {
            if (edge.destination != rank_) continue;
            const auto [place, is_new] =
                from_carriers_.try_emplace(by, static_cast<int>(routes_.from_carriers.size()));
            if (is_new) routes_.from_carriers.push_back({by, {}});
            auto& message = routes_.from_carriers[static_cast<std::size_t>(place->second)];
            message.blocks.push_back(neighbors_.block_of_received(edge.source, edge.occurrence));
            ++message.number;
        }
    }

    Routes& routes_;
    const NodeMap& map_;
    const Neighborhood& neighbors_;
    const int rank_, node_;
    const bool copies_;
    std::map<int, int> collected_, from_sources_, to_ranks_, from_carriers_; // by rank: number of a message
};

} // namespace

Routes::Routes(const Group& group, bool copies) {
    if (group.node_map != nullptr) Making(*this, group, copies).run();
}

} // namespace switchyard::algorithms::neighborhood
