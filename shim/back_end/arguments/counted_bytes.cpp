#include "counted_bytes.hpp"

#include "datatype.hpp"
#include "words.hpp"

#include <algorithm>
#include <mpi.h>

namespace switchyard::shim {

namespace {

using Sent = CountedTraits::Sent;

bool is_intercommunicator(MPI_Comm comm) {
    int is_inter = 0;
    PMPI_Comm_test_inter(comm, &is_inter);
    return is_inter != 0;
}

int own_rank(MPI_Comm comm) {
    int rank = 0;
    PMPI_Comm_rank(comm, &rank);
    return rank;
}

int size_of_group(MPI_Comm comm, bool remote) {
    int ranks = 0;
    (remote ? PMPI_Comm_remote_size : PMPI_Comm_size)(comm, &ranks);
    return ranks;
}

// The number of neighbours that a rank sends to.
int neighbours_of(MPI_Comm comm) {
    int kind = MPI_UNDEFINED, count = 0, sources = 0, weighted = 0;
    PMPI_Topo_test(comm, &kind);
    if (kind == MPI_CART && PMPI_Cartdim_get(comm, &count) == MPI_SUCCESS) return 2 * count;
    if (kind == MPI_GRAPH) PMPI_Graph_neighbors_count(comm, own_rank(comm), &count);
    if (kind == MPI_DIST_GRAPH) PMPI_Dist_graph_neighbors_count(comm, &sources, &count, &weighted);
    return count;
}

class CountedArguments {
  public:
    CountedArguments(const CountedTraits& traits, const Word* words, bool large_count)
        : traits_(traits), words_(words), large_count_(large_count),
          comm_(handle_of<MPI_Comm>(words[traits.communicator])),
          in_place_(handle_of<void*>(words[traits.send_buffer]) == MPI_IN_PLACE && !traits.root_sends_alone),
          counts_(in_place_ ? traits.receive_counts : traits.send_counts),
          types_(in_place_ ? traits.receive_types : traits.send_types) {}

    // When an intercommunicator gathers, the root and the other ranks of its group send nothing, and their
    // send side is not significant. When only the root sends, no other rank's send side is significant.
    bool sends() const {
        if (traits_.root == CountedTraits::none) return true;
        const int root = static_cast<int>(words_[traits_.root]);
        if (!traits_.root_sends_alone) return root != MPI_ROOT && root != MPI_PROC_NULL;
        if (root == MPI_ROOT) return true;
        return root == own_rank(comm_) && !is_intercommunicator(comm_);
    }

    std::uint64_t bytes() const {
        switch (traits_.sent) {
        case Sent::nothing: return 0;
        case Sent::one:
        case Sent::root_one: return bytes_of(has_array() ? own_rank(comm_) : 0);
        case Sent::each:
        case Sent::root_each: return bytes_of(0) * static_cast<std::uint64_t>(blocks());
        case Sent::array:
        case Sent::root_array: return bytes_of_all();
        }
        return 0;
    }

  private:
    bool has_array() const { return traits_.arguments[counts_] == 'N'; }
    bool has_type_array() const { return traits_.arguments[types_] == 'T'; }

    // The counts of a reduction are for the rank's own group.
    int blocks() const {
        if (traits_.is_of_neighbours) return neighbours_of(comm_);
        return size_of_group(comm_, !traits_.reduces && is_intercommunicator(comm_));
    }

    std::uint64_t count(int block) const {
        const Word word = words_[counts_];
        const auto numbers = large_count_ ? (has_array() ? array_of<true>(word) : number_of<true>(word))
                                          : (has_array() ? array_of<false>(word) : number_of<false>(word));
        return static_cast<std::uint64_t>(std::max<std::int64_t>(numbers[block], 0));
    }
    static std::uint64_t bytes_of_item(MPI_Datatype type) {
        return static_cast<std::uint64_t>(std::max<std::int64_t>(size_of(type), 0));
    }
    // The type of a block without items is not significant.
    std::uint64_t bytes_of(int block) const {
        const auto items = count(block);
        if (items == 0) return 0;
        const Word word = words_[types_];
        return items * bytes_of_item(has_type_array() ? handle_of<const MPI_Datatype*>(word)[block]
                                                      : handle_of<MPI_Datatype>(word));
    }
    std::uint64_t bytes_of_all() const {
        const int all = blocks();
        std::uint64_t sum = 0;
        if (has_type_array()) {
            for (int block = 0; block < all; ++block) sum += bytes_of(block);
            return sum;
        }
        for (int block = 0; block < all; ++block) sum += count(block);
        return sum > 0 ? sum * bytes_of_item(handle_of<MPI_Datatype>(words_[types_])) : 0;
    }

    const CountedTraits& traits_;
    const Word* words_;
    bool large_count_;
    MPI_Comm comm_;
    bool in_place_;
    std::size_t counts_, types_;
};

} // namespace

std::uint64_t bytes_sent(const CountedTraits& traits, const Word* words, bool large_count) {
    if (traits.sent == Sent::nothing) return 0;
    const CountedArguments arguments(traits, words, large_count);
    return arguments.sends() ? arguments.bytes() : 0;
}

} // namespace switchyard::shim
