// What the applications report: the time of the whole, and the time in collective calls.
#pragma once

#include <mpi.h>

#include <cstdint>
#include <cstdio>

namespace apps {

inline int rank_in(MPI_Comm comm) {
    int rank = 0;
    MPI_Comm_rank(comm, &rank);
    return rank;
}

inline int size_of(MPI_Comm comm) {
    int size = 0;
    MPI_Comm_size(comm, &size);
    return size;
}

// Seconds and number of the collective calls that are made through it.
class TimedCollectives {
  public:
    // One all-to-all exchange. Each call on a communicator counts once for all its ranks.
    template <typename Call>
    void exchange(MPI_Comm comm, Call&& call) {
        timed(call);
        if (rank_in(comm) == 0) ++exchanges_;
    }
    template <typename Call>
    void timed(Call&& call) {
        const double start = MPI_Wtime();
        call();
        seconds_ += MPI_Wtime() - start;
    }

    double seconds() const { return seconds_; }
    long exchanges() const { return exchanges_; }

  private:
    double seconds_ = 0;
    long exchanges_ = 0;
};

inline double largest(double mine) {
    double all = 0;
    MPI_Allreduce(&mine, &all, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    return all;
}

inline std::uint64_t sum(std::uint64_t mine) {
    std::uint64_t all = 0;
    MPI_Allreduce(&mine, &all, 1, MPI_UINT64_T, MPI_SUM, MPI_COMM_WORLD);
    return all;
}

// Prints the last lines of a program, times as those of the slowest rank. Returns its exit code. All ranks
// call it, and `correct` is the same on all. `digest`: this rank's part of a sum over the whole result.
inline int report(double wall, const TimedCollectives& collectives, std::uint64_t digest, bool correct) {
    const double slowest_wall = largest(wall), slowest_collectives = largest(collectives.seconds());
    const std::uint64_t calls = sum(static_cast<std::uint64_t>(collectives.exchanges())), all = sum(digest);
    if (rank_in(MPI_COMM_WORLD) == 0) {
        std::printf("wall time       %.6f s\nin collectives  %.6f s\n", slowest_wall, slowest_collectives);
        std::printf("%s calls=%llu digest=%016llx %s\n", correct ? "ok" : "FAILED",
                    static_cast<unsigned long long>(calls), static_cast<unsigned long long>(all),
                    correct ? "correct" : "WRONG RESULT");
    }
    return correct ? 0 : 1;
}

} // namespace apps
