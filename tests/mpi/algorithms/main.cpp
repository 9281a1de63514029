// All algorithms of the registry x corners of their parameters x patterns of blocks, compared with the MPI
// library's own collectives. Every receive buffer is compared as a whole, with the bytes around and between
// the blocks. It runs with any number of ranks.
//   --reduced  fewer patterns, and one parameter varied at a time, for an MPI that spins with more ranks than cores
//   --sampled  still fewer, for hundreds of simulated ranks. Above 128 ranks, choices.hpp says what runs
// A second word is the name of an algorithm: only its exchanges run. `transport`: only what is below algorithms.
#include "check_agreement.hpp"
#include "check_algorithms.hpp"
#include "check_window.hpp"
#include "check_wire.hpp"
#include "small_messages.hpp"
#include "window_sizes.hpp"

#include "algorithms/transport/messages/mpi_types.hpp"
#include "algorithms/transport/messages/simulation.hpp"

#include <algorithm>
#include <cstdio>
#include <mpi.h>
#include <string_view>
#include <vector>

using namespace switchyard::algorithms;
using namespace switchyard::tests;

namespace {

constexpr std::string_view transport = "transport";
constexpr int most_ranks_for_window_sizes = 5; // blocks of some MB for each other rank

MPI_Comm duplicate() {
    MPI_Comm comm = MPI_COMM_NULL;
    PMPI_Comm_dup(MPI_COMM_WORLD, &comm);
    PMPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
    return comm;
}

int conclude(const Test& test) {
    long mine[] = {test.failures.checks_, test.failures.failures_};
    long all[] = {0, 0};
    PMPI_Allreduce(mine, all, 2, MPI_LONG, MPI_SUM, test.oracle);
    if (test.group.rank == 0) {
        std::printf("%s: %ld checks on %d ranks, %ld failed\n", all[1] == 0 ? "passed" : "FAILED", all[0],
                    test.group.size, all[1]);
    }
    return all[1] == 0 ? 0 : 1;
}

// Whether the second word names something. With too few ranks an algorithm may still have nothing to check.
bool is_known(std::string_view name) {
    const auto has_name = [&](const Traits& traits) { return traits.name == name; };
    return name.empty() || name == transport || std::ranges::any_of(all_traits(), has_name);
}

// The messages travel on a communicator with the ranks in the opposite order.
struct Opposite {
    MPI_Comm comm = MPI_COMM_NULL;
    std::vector<int> ranks;

    explicit Opposite(const Group& group) {
        PMPI_Comm_split(mpi_of(group.comm), 0, group.size - group.rank, &comm);
        PMPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
        for (int rank = 0; rank < group.size; ++rank) ranks.push_back(group.size - 1 - rank);
    }
    Carrier carrier() const { return {comm_of(comm), 7, ranks.data()}; }
};

void check_what_algorithms_use(Test& test) {
    check_workspace(test.failures);
    check_types_of_mpi(test);
    check_small_messages(test.oracle, report_to(test.failures));
    check_wire(test);
    check_wire_parts(test);
    check_wire_any(test);
    check_second_channel(test);
    check_wire_alltoall(test);
    check_wire_errors(test);
    for (std::size_t map = 0; map < test.maps.size(); ++map) {
        test.take_map(map, 0);
        check_agreement(test);
    }
    check_exchange_ahead(test);
}

void check_algorithms(Test& test) {
    test.take_map(0, 0);
    for (const CollectiveTraits& traits : dense_collectives) {
        const Collective collective = traits.collective;
        check_against_oracle(test, collective);
        if (!test.sampled) {
            check_workspace_reuse(test, collective);
            check_small_limit(test, collective);
            check_few_at_once(test, collective);
        }
        check_no_workspace(test, collective);
    }
    if (!is_large_simulation(test)) {
        if (test.only.empty()) check_two_phase_is_tuna(test);
        for (const CollectiveTraits& traits : dense_collectives)
            if (traits.has_count_arrays()) check_wrong_counts(test, traits.collective);
        check_regions(test);
    }
    check_overlaps(test);
}

void check_node_memory(Test& test) {
    if (test.group.size > 2) check_waits_for_senders_alone(test);
    if (test.group.size > 1) check_sent_in_vain(test);
    test.take_map(1, 0); // whose large blocks are offered
    check_reading_by_cma(test);
    if (!simulation::is_on && !test.sampled && test.group.size <= most_ranks_for_window_sizes)
        check_window_sizes(test.group, test.oracle, report_to(test.failures));
}

} // namespace

int main(int argc, char** argv) {
    MPI_Init(&argc, &argv);
    if (argc > 2 && !is_known(argv[2])) {
        std::fprintf(stderr, "%s is no algorithm\n", argv[2]);
        MPI_Finalize();
        return 2;
    }
    MPI_Comm comm = duplicate();
    Test test{.group = {.comm = comm_of(comm)},
              .oracle = duplicate(),
              .only = {},
              .failures = {},
              .maps = {},
              .regions = {}};
    PMPI_Comm_rank(comm, &test.group.rank);
    PMPI_Comm_size(comm, &test.group.size);
    Opposite opposite(test.group);
    test.group.carrier = opposite.carrier();
    test.failures.rank_ = test.group.rank;
    test.maps = all_maps(test.group.size);
    test.make_windows();
    test.take_map(0, 0);
    test.sampled = argc > 1 && std::string_view(argv[1]) == "--sampled";
    test.reduced = test.sampled || (argc > 1 && std::string_view(argv[1]) == "--reduced");
    if (argc > 2) test.only = argv[2];
    const bool has_transport = test.only.empty() || test.only == transport;
    if (has_transport) check_what_algorithms_use(test);
    if (test.only != transport) check_algorithms(test);
    if (has_transport) check_node_memory(test);

    const int result = conclude(test);
    test.free_windows();
    PMPI_Comm_free(&opposite.comm);
    PMPI_Comm_free(&comm);
    PMPI_Comm_free(&test.oracle);
    MPI_Finalize();
    return result;
}
