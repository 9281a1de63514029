#include "neighbors.hpp"

#include "algorithms/transport/messages/mpi_types.hpp"
#include "algorithms/transport/messages/votes.hpp"

#include <algorithm>
#include <numeric>
#include <tuple>

namespace switchyard::shim {

using algorithms::Edge;
using algorithms::Neighborhood;

namespace {

// A graph with more edges is not made known to every rank: its algorithms send every block directly.
constexpr std::size_t most_known_edges = std::size_t{1} << 22;

std::vector<int> shifted(MPI_Comm comm) {
    int dimensions = 0;
    PMPI_Cartdim_get(comm, &dimensions);
    std::vector<int> ranks;
    for (int dimension = 0; dimension < dimensions; ++dimension) {
        int down = MPI_PROC_NULL, up = MPI_PROC_NULL;
        PMPI_Cart_shift(comm, dimension, 1, &down, &up);
        ranks.insert(ranks.end(), {down, up});
    }
    std::ranges::replace(ranks, int{MPI_PROC_NULL}, Neighborhood::nobody);
    return ranks;
}

std::vector<int> neighbors_of_graph(MPI_Comm comm, int rank) {
    int number = 0;
    PMPI_Graph_neighbors_count(comm, rank, &number);
    std::vector<int> ranks(static_cast<std::size_t>(number));
    PMPI_Graph_neighbors(comm, rank, number, ranks.data());
    return ranks;
}

} // namespace

Neighbors::Lists Neighbors::lists_of(MPI_Comm comm, int rank) {
    int kind = MPI_UNDEFINED;
    PMPI_Topo_test(comm, &kind);
    Lists lists;
    if (kind == MPI_CART) lists.destinations = lists.sources = shifted(comm);
    if (kind == MPI_GRAPH) lists.destinations = lists.sources = neighbors_of_graph(comm, rank);
    if (kind != MPI_DIST_GRAPH) return lists;
    int sources = 0, destinations = 0, is_weighted = 0;
    PMPI_Dist_graph_neighbors_count(comm, &sources, &destinations, &is_weighted);
    lists.sources.resize(static_cast<std::size_t>(sources));
    lists.destinations.resize(static_cast<std::size_t>(destinations));
    std::vector<int> weights(lists.sources.size()), more_weights(lists.destinations.size());
    PMPI_Dist_graph_neighbors(comm, sources, lists.sources.data(), weights.data(), destinations,
                              lists.destinations.data(), more_weights.data());
    return lists;
}

std::unique_ptr<Neighbors> Neighbors::of(MPI_Comm comm, int rank, int ranks) noexcept {
    int kind = MPI_UNDEFINED;
    PMPI_Topo_test(comm, &kind);
    if (kind == MPI_UNDEFINED) return nullptr;
    try {
        return std::unique_ptr<Neighbors>(new Neighbors(lists_of(comm, rank), rank, ranks));
    } catch (...) {
        return nullptr;
    }
}

bool Neighbors::meet(Neighbors* own, const algorithms::Group& group, MPI_Comm comm,
                     bool knows_edges) noexcept {
    if (!algorithms::all_agree(own != nullptr, group.comm)) return false;
    bool has_learnt = false;
    try {
        has_learnt = own->learn_together(group, comm, knows_edges);
    } catch (...) { // no memory
    }
    return algorithms::all_agree(has_learnt, group.comm);
}

namespace {

// The number of each block among the blocks for the same rank, in the order of the destinations.
std::vector<int> occurrences_of_sent(const Neighborhood& neighbors) {
    std::vector<int> occurrences(neighbors.destinations().size(), 0);
    for (const auto& neighbor : neighbors.sent())
        occurrences[static_cast<std::size_t>(neighbor.block)] = neighbor.occurrence;
    int own = 0;
    for (const auto& block : neighbors.own()) occurrences[static_cast<std::size_t>(block.sent)] = own++;
    return occurrences;
}

// Whether each source's blocks have arrived once.
bool are_complete(std::span<const int> sources, std::span<const int> occurrences) {
    std::vector<std::pair<int, int>> arrived;
    for (std::size_t i = 0; i < sources.size(); ++i)
        if (sources[i] != Neighborhood::nobody) arrived.emplace_back(sources[i], occurrences[i]);
    std::ranges::sort(arrived);
    for (std::size_t i = 0, number = 0; i < arrived.size(); ++i) {
        number = i > 0 && arrived[i].first == arrived[i - 1].first ? number + 1 : 0;
        if (arrived[i].second != static_cast<int>(number)) return false;
    }
    return true;
}

} // namespace

// The ranks that have no memory in the middle would keep the others waiting: each step takes its memory before
// a vote.
bool Neighbors::learn_together(const algorithms::Group& group, MPI_Comm comm, bool knows_edges) {
    const auto own_degree = static_cast<int>(usual_.destinations().size());
    std::vector<int> degrees;
    const auto has_room = [&] {
        try {
            degrees.resize(static_cast<std::size_t>(group.size));
            return true;
        } catch (...) {
            return false;
        }
    }();
    if (!algorithms::all_agree(has_room, group.comm)) return false;
    PMPI_Allgather(&own_degree, 1, MPI_INT, degrees.data(), 1, MPI_INT, comm);
    const int own_most = usual_.most_repeated();
    PMPI_Allreduce(&own_most, &usual_.most_repeated_of_all, 1, MPI_INT, MPI_MAX, comm);
    usual_.edges_of_all = std::accumulate(degrees.begin(), degrees.end(), std::size_t{0});
    if (usual_.most_repeated_of_all > 1 && !learn_orders(group, comm)) return false;
    if (knows_edges && group.node_map->nodes() > 1 && usual_.edges_of_all <= most_known_edges &&
        !learn_edges(group, comm, degrees))
        return false;
    if (!of_alltoall_) return true;
    of_alltoall_->most_repeated_of_all = usual_.most_repeated_of_all;
    of_alltoall_->edges_of_all = usual_.edges_of_all;
    of_alltoall_->knows_edges = usual_.knows_edges;
    of_alltoall_->leaving = usual_.leaving;
    of_alltoall_->arriving = usual_.arriving;
    return true;
}

// MPI libraries differ in the block that arrives first where a rank has several blocks for another, and one of
// them differs by function. So the library is asked, with a block that says its number.
bool Neighbors::learn_orders(const algorithms::Group& group, MPI_Comm comm) {
    struct Room {
        std::vector<int> sent, sent_ones, sent_places, by_alltoall, by_alltoallv, ones, places;
    };
    std::optional<Room> room;
    try {
        room.emplace();
        room->sent = occurrences_of_sent(usual_);
        room->sent_ones.assign(usual_.destinations().size(), 1);
        room->sent_places.resize(usual_.destinations().size());
        room->by_alltoall.resize(usual_.sources().size());
        room->by_alltoallv.resize(usual_.sources().size());
        room->ones.assign(usual_.sources().size(), 1);
        room->places.resize(usual_.sources().size());
        std::iota(room->sent_places.begin(), room->sent_places.end(), 0);
        std::iota(room->places.begin(), room->places.end(), 0);
    } catch (...) {
        room.reset();
    }
    if (!algorithms::all_agree(room.has_value(), group.comm)) return false;
    // Without neighbours a vector may have no address, which some MPIs refuse.
    int none = 0;
    const auto data = [&none](std::vector<int>& list) { return list.empty() ? &none : list.data(); };
    PMPI_Neighbor_alltoall(data(room->sent), 1, MPI_INT, data(room->by_alltoall), 1, MPI_INT, comm);
    PMPI_Neighbor_alltoallv(data(room->sent), data(room->sent_ones), data(room->sent_places), MPI_INT,
                            data(room->by_alltoallv), data(room->ones), data(room->places), MPI_INT, comm);
    bool is_learnt = false;
    try {
        const auto with_order = [&](std::span<const int> occurrences) {
            const auto destinations = usual_.destinations(), sources = usual_.sources();
            return Neighborhood(group.rank, group.size, {destinations.begin(), destinations.end()},
                                {sources.begin(), sources.end()}, occurrences);
        };
        is_learnt = are_complete(usual_.sources(), room->by_alltoall) &&
                    are_complete(usual_.sources(), room->by_alltoallv);
        if (is_learnt) {
            of_alltoall_.emplace(with_order(room->by_alltoall));
            auto usual = with_order(room->by_alltoallv);
            usual.most_repeated_of_all = usual_.most_repeated_of_all;
            usual.edges_of_all = usual_.edges_of_all;
            usual_ = std::move(usual);
        }
    } catch (...) {
        is_learnt = false;
    }
    return algorithms::all_agree(is_learnt, group.comm);
}

namespace {

// The edges of all ranks, one rank after the other.
class AllEdges {
  public:
    AllEdges(std::span<const int> degrees) : degrees_(degrees) {
        begins_.resize(degrees.size());
        std::exclusive_scan(degrees.begin(), degrees.end(), begins_.begin(), 0);
        destinations_.resize(static_cast<std::size_t>(begins_.back() + degrees.back()) + 1); // never empty
        seen_.resize(degrees.size());
    }

    void gather(std::span<const int> own, MPI_Comm comm) {
        const int none = 0;
        PMPI_Allgatherv(own.empty() ? &none : own.data(), static_cast<int>(own.size()), MPI_INT,
                        destinations_.data(), degrees_.data(), begins_.data(), MPI_INT, comm);
    }

    // Calls visit(edge) for each.
    template <typename Visit>
    void for_each(const Visit& visit) {
        for (std::size_t source = 0; source < degrees_.size(); ++source) {
            const auto list = std::span(destinations_)
                                  .subspan(static_cast<std::size_t>(begins_[source]),
                                           static_cast<std::size_t>(degrees_[source]));
            for (const int destination : list) {
                if (destination == Neighborhood::nobody) continue;
                int& occurrences = seen_[static_cast<std::size_t>(destination)];
                visit(Edge{static_cast<int>(source), destination, occurrences++});
            }
            for (const int destination : list)
                if (destination != Neighborhood::nobody) seen_[static_cast<std::size_t>(destination)] = 0;
        }
    }

  private:
    std::span<const int> degrees_;
    std::vector<int> begins_, destinations_, seen_;
};

// Whether the edges to this rank that its sources say are those that it knows.
class Comparison {
  public:
    Comparison(const Neighborhood& neighbors, int ranks) : expected_(static_cast<std::size_t>(ranks), 0) {
        for (const int source : neighbors.sources())
            if (source != Neighborhood::nobody) ++expected_[static_cast<std::size_t>(source)];
    }
    void meet(const Edge& edge) { --expected_[static_cast<std::size_t>(edge.source)]; }
    bool is_equal() const {
        return std::ranges::all_of(expected_, [](int left) { return left == 0; });
    }

  private:
    std::vector<int> expected_;
};

} // namespace

bool Neighbors::learn_edges(const algorithms::Group& group, MPI_Comm comm, std::span<const int> degrees) {
    std::optional<AllEdges> edges;
    try {
        edges.emplace(degrees);
    } catch (...) {
    }
    if (!algorithms::all_agree(edges.has_value(), group.comm)) return false;
    edges->gather(usual_.destinations(), comm);
    const auto& map = *group.node_map;
    const int node = map.node_of(group.rank);
    Comparison comparison(usual_, group.size);
    edges->for_each([&](const Edge& edge) {
        const int from = map.node_of(edge.source), to = map.node_of(edge.destination);
        if (edge.destination == group.rank) comparison.meet(edge);
        if (from == to) return;
        if (from == node) usual_.leaving.push_back(edge);
        if (to == node) usual_.arriving.push_back(edge);
    });
    const auto sort = [&](std::vector<Edge>& list, int Edge::*other) {
        std::ranges::sort(list, {}, [&](const Edge& edge) {
            return std::tuple(map.node_of(edge.*other), edge.source, edge.destination, edge.occurrence);
        });
    };
    sort(usual_.leaving, &Edge::destination);
    sort(usual_.arriving, &Edge::source);
    usual_.knows_edges = true;
    return comparison.is_equal();
}

} // namespace switchyard::shim
