// The transitive closure of a directed graph: all pairs of vertices that a path joins. Joins of a
// distributed relation find them, as in the path finding of the TuNA paper (section VI-B),
// semi-naive: each iteration joins only the pairs that are new since the last one with the edges, and
// it ends when no rank has a new pair.
//
//   mpirun -n 4 build/bin/switchyard-app-transitive-closure-openmpi --graph grid --size 30
//
// A rank owns the pairs whose second vertex has its hash, and the edges whose first vertex has it: so a join
// needs no message. Its results go to their owners by MPI_Alltoallv, and counts before them by MPI_Alltoall.
// Breadth-first searches on all ranks check pairs and iterations, and formulas the number of pairs of a chain
// and a grid. The exit code is 1 where something is wrong.
#include "command_line.hpp"
#include "reachable.hpp"
#include "timed.hpp"

#include <algorithm>
#include <limits>
#include <numeric>
#include <string>
#include <unordered_map>
#include <unordered_set>

namespace {

using namespace apps;

std::size_t owner_of(std::uint32_t vertex, std::size_t ranks) {
    return hash(vertex) % ranks;
}

// Pairs in order of their destinations.
struct Outgoing {
    std::vector<std::uint64_t> words;
    std::vector<int> counts;
};

template <typename Owner>
Outgoing sorted_by_owner(const std::vector<Edge>& pairs, std::size_t ranks, Owner&& owner) {
    if (pairs.size() > std::numeric_limits<int>::max()) {
        std::fprintf(
            stderr, "transitive closure: a rank has more pairs to send than an int counts: use more ranks\n");
        MPI_Abort(MPI_COMM_WORLD, 2);
    }
    std::vector<std::size_t> next(ranks + 1);
    for (const Edge& pair : pairs) ++next[owner(pair) + 1];
    Outgoing outgoing{std::vector<std::uint64_t>(pairs.size()), {next.begin() + 1, next.end()}};
    std::partial_sum(next.begin(), next.end(), next.begin());
    for (const Edge& pair : pairs) outgoing.words[next[owner(pair)]++] = word_of(pair);
    return outgoing;
}

std::vector<int> displacements_of(const std::vector<int>& counts) {
    std::vector<int> displacements(counts.size());
    std::exclusive_scan(counts.begin(), counts.end(), displacements.begin(), 0);
    return displacements;
}

class TransitiveClosure {
  public:
    explicit TransitiveClosure(TimedCollectives& collectives) : collectives_(collectives) {}

    void run(const Graph& graph) {
        load(graph);
        while (new_pairs_anywhere()) {
            delta_ = not_yet_known(to_owners(joined(), by_second));
            ++iterations_;
        }
    }

    std::uint64_t pairs() const { return known_.size(); }
    std::uint64_t iterations() const { return iterations_; }
    std::uint64_t digest() const {
        std::uint64_t digest = 0;
        for (const std::uint64_t word : known_) digest += hash(word);
        return digest;
    }

  private:
    static std::uint32_t by_first(const Edge& pair) { return pair.from; }
    static std::uint32_t by_second(const Edge& pair) { return pair.to; }

    // Each rank makes the edges of some vertices. An edge is a pair, too.
    void load(const Graph& graph) {
        const std::uint64_t vertices = graph.vertices();
        const auto slice = graph.edges(vertices * rank_ / ranks_, vertices * (rank_ + 1) / ranks_);
        for (const Edge& edge : to_owners(slice, by_first)) edges_[edge.from].push_back(edge.to);
        delta_ = not_yet_known(to_owners(slice, by_second));
    }

    std::vector<Edge> joined() const {
        std::vector<Edge> results;
        for (const Edge& pair : delta_) {
            const auto found = edges_.find(pair.to);
            if (found == edges_.end()) continue;
            for (const std::uint32_t end : found->second) results.push_back({pair.from, end});
        }
        std::sort(results.begin(), results.end());
        results.erase(std::unique(results.begin(), results.end()), results.end());
        return results;
    }

    std::vector<Edge> not_yet_known(const std::vector<Edge>& pairs) {
        std::vector<Edge> fresh;
        for (const Edge& pair : pairs)
            if (known_.insert(word_of(pair)).second) fresh.push_back(pair);
        return fresh;
    }

    template <typename Column>
    std::vector<Edge> to_owners(const std::vector<Edge>& pairs, Column&& column) {
        const auto outgoing =
            sorted_by_owner(pairs, ranks_, [&](const Edge& pair) { return owner_of(column(pair), ranks_); });
        std::vector<int> counts(ranks_);
        collectives_.exchange(MPI_COMM_WORLD, [&] {
            MPI_Alltoall(outgoing.counts.data(), 1, MPI_INT, counts.data(), 1, MPI_INT, MPI_COMM_WORLD);
        });
        const auto from = displacements_of(outgoing.counts), to = displacements_of(counts);
        std::vector<std::uint64_t> words(static_cast<std::size_t>(to.back() + counts.back()));
        collectives_.exchange(MPI_COMM_WORLD, [&] {
            MPI_Alltoallv(outgoing.words.data(), outgoing.counts.data(), from.data(), MPI_UINT64_T,
                          words.data(), counts.data(), to.data(), MPI_UINT64_T, MPI_COMM_WORLD);
        });
        std::vector<Edge> arrived(words.size());
        std::transform(words.begin(), words.end(), arrived.begin(), edge_of);
        return arrived;
    }

    bool new_pairs_anywhere() {
        std::uint64_t all = 0;
        collectives_.timed([&] { all = sum(delta_.size()); });
        return all > 0;
    }

    TimedCollectives& collectives_;
    std::size_t ranks_ = static_cast<std::size_t>(size_of(MPI_COMM_WORLD));
    std::size_t rank_ = static_cast<std::size_t>(rank_in(MPI_COMM_WORLD));
    std::unordered_map<std::uint32_t, std::vector<std::uint32_t>> edges_; // ends by beginning
    std::unordered_set<std::uint64_t> known_;
    std::vector<Edge> delta_; // new since the last iteration
    std::uint64_t iterations_ = 0;
};

// Every rank searches from some of the vertices.
Reachable searched(const Graph& graph) {
    Search search(graph);
    Reachable mine;
    const auto ranks = static_cast<std::uint32_t>(size_of(MPI_COMM_WORLD));
    for (auto source = static_cast<std::uint32_t>(rank_in(MPI_COMM_WORLD)); source < graph.vertices();
         source += ranks)
        search.add(source, mine);
    return {sum(mine.pairs), sum(mine.digest),
            static_cast<std::uint64_t>(largest(static_cast<double>(mine.farthest)))};
}

// The first iteration joins paths of one edge, and the last one finds nothing: so there are as many as edges
// in the longest shortest path.
bool is_correct(const Graph& graph, const TransitiveClosure& closure) {
    const Reachable expected = searched(graph);
    const std::uint64_t pairs = sum(closure.pairs());
    return pairs == expected.pairs && sum(closure.digest()) == expected.digest &&
           closure.iterations() == expected.farthest && graph.closure_size().value_or(pairs) == pairs;
}

int run(const Graph& graph) {
    TimedCollectives collectives;
    TransitiveClosure closure(collectives);
    MPI_Barrier(MPI_COMM_WORLD);
    const double start = MPI_Wtime();
    closure.run(graph);
    const double wall = MPI_Wtime() - start;
    const auto tuples = static_cast<unsigned long long>(sum(closure.pairs()));
    if (rank_in(MPI_COMM_WORLD) == 0)
        std::printf(
            "transitive closure of a %s of size %u, %d ranks\ntuples          %llu\niterations      %llu\n",
            graph_names[static_cast<std::size_t>(graph.kind)].data(), graph.size, size_of(MPI_COMM_WORLD),
            tuples, static_cast<unsigned long long>(closure.iterations()));
    return report(wall, collectives, closure.digest(), is_correct(graph, closure));
}

void add_options(CommandLine& line, Graph& graph) {
    const auto take = [&graph](const std::string& name) {
        const auto found = std::find(graph_names.begin(), graph_names.end(), name);
        graph.kind = static_cast<Graph::Kind>(found - graph_names.begin());
    };
    line.word("--graph", {graph_names.begin(), graph_names.end()}, take, "default: grid");
    line.number("--size", graph.size, {1, 1 << 15}, "vertices, or the side of a grid (default: 20)");
    line.seed("--seed", graph.seed, "of a power-law graph (default: 1)");
}

} // namespace

int main(int argc, char** argv) {
    MPI_Init(&argc, &argv);
    CommandLine line("Computes the transitive closure of a graph that it makes, and checks it.");
    Graph graph;
    add_options(line, graph);
    const auto ended = line.parse(argc, argv, rank_in(MPI_COMM_WORLD) == 0);
    const int code = ended ? *ended : run(graph);
    MPI_Finalize();
    return code;
}
