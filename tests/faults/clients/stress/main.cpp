// Random sequences of collective calls that know what they should receive: c_stress --help.
//
// It prints `FAILED ...` for the first failures, `HANGS ...` or `CRASHED ...`, and otherwise `ok calls=...`.
// With the same options and ranks it does the same again, but for times.
#include "children.hpp"
#include "flood.hpp"
#include "lane.hpp"
#include "own_faults.hpp"
#include "watch.hpp"

#include <cstdio>
#include <thread>
#include <unistd.h>

namespace stress {

namespace {

// So that somebody can stop a rank for a while.
void say_who_we_are(int rank, int ranks) {
    long own = getpid();
    std::vector<long> all(static_cast<std::size_t>(ranks));
    PMPI_Gather(&own, 1, MPI_LONG, all.data(), 1, MPI_LONG, 0, MPI_COMM_WORLD);
    if (rank != 0) return;
    std::printf("pids");
    for (const long pid : all) std::printf(" %ld", pid);
    std::printf("\n");
    std::fflush(stdout);
}

Counts run_lanes(const Options& options) {
    const auto number = static_cast<std::size_t>(options.threads);
    std::vector<MPI_Comm> roots(number, MPI_COMM_WORLD), controls(number);
    std::vector<std::unique_ptr<Lane>> lanes;
    own_faults::open_topologies();
    for (std::size_t i = 0; i < number; ++i) {
        if (i > 0) MPI_Comm_dup(MPI_COMM_WORLD, &roots[i]);
        MPI_Comm_dup(MPI_COMM_WORLD, &controls[i]);
        lanes.push_back(std::make_unique<Lane>(options, static_cast<int>(i), roots[i], controls[i]));
    }
    std::vector<std::thread> threads;
    for (std::size_t i = 1; i < number; ++i)
        threads.emplace_back([&lane = lanes[i], i] {
            take_lane(static_cast<int>(i));
            lane->run();
        });
    lanes[0]->run();
    for (auto& thread : threads) thread.join();
    Counts all;
    for (std::size_t i = 0; i < number; ++i) {
        const auto counts = lanes[i]->counts();
        lanes[i].reset();
        all.calls += counts.calls;
        all.made += counts.made;
        all.structure += counts.structure;
    }
    for (auto& comm : controls) MPI_Comm_free(&comm);
    return all;
}

// Of all ranks, by rank 0.
void say_end(const Counts& counts, int rank) {
    const unsigned long long mine[] = {counts.calls, counts.made, counts.structure, has_failed() ? 1u : 0u};
    unsigned long long all[4] = {};
    PMPI_Allreduce(mine, all, 4, MPI_UNSIGNED_LONG_LONG, MPI_SUM, MPI_COMM_WORLD);
    if (rank != 0) return;
    if (all[3] == 0)
        std::printf("ok calls=%llu made=%llu structure=%016llx\n", all[0], all[1], all[2]);
    else
        std::printf("failed on %llu ranks, calls=%llu\n", all[3], all[0]);
    std::fflush(stdout);
}

int run(const Options& options, int count, char** words) {
    int provided = 0, rank = 0, ranks = 0;
    const int wanted = options.threads > 1 ? MPI_THREAD_MULTIPLE : MPI_THREAD_SINGLE;
    MPI_Init_thread(&count, &words, wanted, &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    if (provided < wanted) {
        if (rank == 0) std::printf("this MPI has no MPI_THREAD_MULTIPLE\n");
        MPI_Finalize();
        return 5;
    }
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
    start_watching(options, rank, ranks);
    if (options.child_of_step > 0) {
        exchange_with_parents(options);
    } else {
        say_who_we_are(rank, ranks);
        say_end(options.flood > 0 ? flood(options) : run_lanes(options), rank);
    }
    place().what = "MPI_Finalize";
    ++place().progress;
    MPI_Finalize();
    stop_watching();
    return has_failed() ? 1 : 0;
}

} // namespace

} // namespace stress

int main(int count, char** words) {
    return stress::run(stress::read_options(count, words), count, words);
}
