// Neighbourhoods and the ways of blocks between nodes, without MPI: the parts of all ranks fit together.
#include "algorithms/group.hpp"
#include "algorithms/neighborhood.hpp"
#include "algorithms/neighborhood/routes.hpp"
#include "algorithms/node_map.hpp"
#include "tests/support/catch.hpp"

#include <algorithm>
#include <map>
#include <memory>
#include <random>
#include <tuple>
#include <vector>

using namespace switchyard::algorithms;
using neighborhood::Routes;

namespace {

constexpr int nobody = Neighborhood::nobody;

std::vector<std::tuple<int, int, int>> as_tuples(std::span<const Neighborhood::Neighbor> neighbors) {
    std::vector<std::tuple<int, int, int>> list;
    for (const auto& [rank, occurrence, block] : neighbors) list.emplace_back(rank, occurrence, block);
    return list;
}

using Lists = std::vector<std::vector<int>>; // by rank

Lists random_destinations(std::mt19937& random, int ranks) {
    Lists destinations(static_cast<std::size_t>(ranks));
    for (auto& list : destinations)
        for (auto left = random() % static_cast<unsigned>(2 * ranks); left > 0; --left)
            list.push_back(static_cast<int>(random() % static_cast<unsigned>(ranks)));
    return destinations;
}

// A graph on nodes of any sizes, as each of its ranks sees it.
struct World {
    World(const Lists& destinations, const NodeMap& nodes) : map(nodes) {
        const int ranks = map.ranks();
        Lists sources(destinations.size());
        for (std::size_t from = 0; from < destinations.size(); ++from)
            for (const int to : destinations[from])
                sources[static_cast<std::size_t>(to)].push_back(static_cast<int>(from));
        for (int rank = 0; rank < ranks; ++rank) {
            const auto own = static_cast<std::size_t>(rank);
            neighborhoods.push_back(
                std::make_unique<Neighborhood>(rank, ranks, destinations[own], sources[own]));
        }
        for (int rank = 0; rank < ranks; ++rank) learn_edges(rank, destinations);
    }

    void learn_edges(int rank, const Lists& destinations) {
        auto& neighborhood = *neighborhoods[static_cast<std::size_t>(rank)];
        const int node = map.node_of(rank);
        for (std::size_t from = 0; from < destinations.size(); ++from) {
            std::map<int, int> seen;
            for (const int to : destinations[from]) {
                const Edge edge{static_cast<int>(from), to, seen[to]++};
                if (map.is_near(edge.source, edge.destination)) continue;
                if (map.node_of(edge.source) == node) neighborhood.leaving.push_back(edge);
                if (map.node_of(edge.destination) == node) neighborhood.arriving.push_back(edge);
            }
        }
        const auto sort = [this](std::vector<Edge>& edges, int Edge::*other) {
            std::ranges::sort(edges, {}, [&](const Edge& edge) {
                return std::tuple(map.node_of(edge.*other), edge.source, edge.destination, edge.occurrence);
            });
        };
        sort(neighborhood.leaving, &Edge::destination);
        sort(neighborhood.arriving, &Edge::source);
    }

    Routes routes(int rank, bool copies) const {
        Group group{};
        group.rank = rank;
        group.size = map.ranks();
        group.node_map = &map;
        group.neighborhood = neighborhoods[static_cast<std::size_t>(rank)].get();
        return {group, copies};
    }

    NodeMap map;
    std::vector<std::unique_ptr<Neighborhood>> neighborhoods;
};

// A block of a rank's send side.
struct Sent {
    int rank, block;
    bool operator==(const Sent&) const = default;
};

// Walks all messages of all ranks. `arrived`: by rank and block of the receive side.
class Walk {
  public:
    Walk(const World& world, bool copies) {
        for (int rank = 0; rank < world.map.ranks(); ++rank) routes_.push_back(world.routes(rank, copies));
    }

    std::map<std::pair<int, int>, Sent> arrived;

    void run() {
        for (int rank = 0; rank < ranks(); ++rank) carry(rank);
        for (int rank = 0; rank < ranks(); ++rank) distribute(rank);
    }

  private:
    int ranks() const { return static_cast<int>(routes_.size()); }
    const Routes& of(int rank) const { return routes_[static_cast<std::size_t>(rank)]; }

    // The blocks of the message from `source` to `carrier`.
    std::vector<Sent> collected(int source, int carrier) const {
        std::vector<Sent> blocks;
        for (const auto& message : of(source).collected)
            if (message.carrier == carrier)
                for (const auto& chunk : message.chunks)
                    for (const int block : chunk) blocks.push_back({source, block});
        return blocks;
    }

    void carry(int rank) {
        std::vector<std::vector<Sent>> from_sources;
        for (const auto& [source, blocks] : of(rank).from_sources) {
            from_sources.push_back(collected(source, rank));
            CHECK(from_sources.back().size() == static_cast<std::size_t>(blocks));
        }
        std::vector<std::size_t> read(from_sources.size(), 0);
        std::size_t own = 0;
        for (const auto& message : of(rank).carried) {
            auto& blocks = on_the_network_[{rank, message.to}];
            CHECK(blocks.empty()); // one message for each pair
            for (const auto& [source, count] : message.chunks)
                for (int i = 0; i < count; ++i)
                    blocks.push_back(source == neighborhood::SourceChunk::own
                                         ? Sent{rank, of(rank).own_chunks[own++]}
                                         : from_sources[static_cast<std::size_t>(source)]
                                                       [read[static_cast<std::size_t>(source)]++]);
            CHECK(blocks.size() == static_cast<std::size_t>(message.blocks));
        }
        for (std::size_t i = 0; i < read.size(); ++i) CHECK(read[i] == from_sources[i].size());
        CHECK(own == of(rank).own_chunks.size());
    }

    void distribute(int rank) {
        std::map<int, std::vector<Sent>> to_ranks;
        auto delivery = of(rank).deliveries.begin();
        for (const auto& message : of(rank).arrived) {
            const auto& blocks = on_the_network_.at({message.from, rank});
            REQUIRE(blocks.size() == static_cast<std::size_t>(message.blocks));
            for (std::size_t i = 0; i < blocks.size(); ++i)
                for (int copy = message.deliveries[i]; copy > 0; --copy, ++delivery) {
                    if (delivery->message == neighborhood::Delivery::own) {
                        arrive(rank, delivery->block, blocks[i]);
                        continue;
                    }
                    auto& to = of(rank).to_ranks[static_cast<std::size_t>(delivery->message)];
                    CHECK(to_ranks[to.with].size() == static_cast<std::size_t>(delivery->block));
                    to_ranks[to.with].push_back(blocks[i]);
                }
        }
        CHECK(delivery == of(rank).deliveries.end());
        for (const auto& message : of(rank).to_ranks) take(rank, message.with, to_ranks[message.with]);
    }

    void take(int carrier, int rank, const std::vector<Sent>& blocks) {
        for (const auto& message : of(rank).from_carriers) {
            if (message.with != carrier) continue;
            REQUIRE(message.blocks.size() == blocks.size());
            for (std::size_t i = 0; i < blocks.size(); ++i) arrive(rank, message.blocks[i], blocks[i]);
            return;
        }
        FAIL("nobody receives a message");
    }

    void arrive(int rank, int block, const Sent& sent) {
        CHECK(arrived.emplace(std::pair(rank, block), sent).second); // once
    }

    std::vector<Routes> routes_;
    std::map<std::pair<int, int>, std::vector<Sent>> on_the_network_; // by carriers
};

} // namespace

TEST_CASE("a neighbourhood has its edges by distance, own blocks apart", "[neighborhood]") {
    const Neighborhood neighbors(2, 5, {1, 2, nobody, 3, 1, 2}, {4, 2, 2, 1, nobody});
    CHECK(as_tuples(neighbors.sent()) ==
          std::vector<std::tuple<int, int, int>>{{3, 0, 3}, {1, 0, 0}, {1, 1, 4}});
    CHECK(as_tuples(neighbors.received()) == std::vector<std::tuple<int, int, int>>{{1, 0, 3}, {4, 0, 0}});
    REQUIRE(neighbors.own().size() == 2);
    CHECK(neighbors.own()[0].sent == 1);
    CHECK(neighbors.own()[0].received == 1);
    CHECK(neighbors.own()[1].sent == 5);
    CHECK(neighbors.own()[1].received == 2);
    CHECK(neighbors.most_repeated() == 2);
    CHECK(neighbors.block_of_sent(1, 1) == 4);
    CHECK(neighbors.block_of_received(4, 0) == 0);
}

TEST_CASE("an MPI's order of blocks from one rank is the neighbourhood's", "[neighborhood]") {
    const std::vector<int> reversed = {1, 0, 0};
    const Neighborhood neighbors(0, 2, {0, 0, 1}, {0, 0, 1}, reversed);
    CHECK(neighbors.own()[0].sent == 0);
    CHECK(neighbors.own()[0].received == 1);
    CHECK(neighbors.own()[1].received == 0);
    const std::vector<int> swapped = {1, 0};
    CHECK(Neighborhood(0, 2, {1, 1}, {1, 1}, swapped).block_of_received(1, 0) == 1);
    CHECK(Neighborhood(0, 2, {}, {}).most_repeated() == 1);
    CHECK(Neighborhood(0, 2, {}, {nobody}).received().empty());
}

TEST_CASE("each block between nodes arrives once, in one message for each pair of nodes",
          "[neighborhood][property]") {
    std::mt19937 random(11);
    for (int round = 0; round < 60; ++round) {
        const int ranks = 2 + static_cast<int>(random() % 11);
        std::vector<std::uint64_t> nodes(static_cast<std::size_t>(ranks));
        for (auto& node : nodes) node = random() % 4;
        const World world(random_destinations(random, ranks), NodeMap(nodes));
        for (const bool copies : {false, true}) {
            Walk walk(world, copies);
            walk.run();
            std::size_t expected = 0;
            for (int rank = 0; rank < ranks; ++rank) {
                const auto& own = *world.neighborhoods[static_cast<std::size_t>(rank)];
                for (const auto& [source, occurrence, block] : own.received()) {
                    if (world.map.is_near(rank, source)) continue;
                    ++expected;
                    const auto& other = *world.neighborhoods[static_cast<std::size_t>(source)];
                    const Sent found = walk.arrived.at({rank, block});
                    CHECK(found.rank == source);
                    if (!copies) CHECK(found.block == other.block_of_sent(rank, occurrence));
                }
            }
            CHECK(walk.arrived.size() == expected);
        }
    }
}
