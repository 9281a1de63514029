#include "quiet_wait.hpp"

#include <algorithm>
#include <array>
#include <ctime>
#include <functional>

namespace switchyard::shim {

namespace {

constexpr int looks_awake = 50;

// The first nap is as long as a turn of a few ranks on a core. A nap is a fifth of the naps before it, so
// that what waits for this rank waits a little longer, not twice as long. A nap longer than `longest_ns`
// would be felt.
class Naps {
  public:
    void take() {
        const timespec time{0, next_ns_};
        nanosleep(&time, nullptr);
        next_ns_ = std::min(next_ns_ + next_ns_ / 4, longest_ns);
    }

  private:
    static constexpr long first_ns = 20'000, longest_ns = 300'000;
    long next_ns_ = first_ns;
};

} // namespace

int wait_quietly(MPI_Request& request, MPI_Status* status) noexcept {
    Naps naps;
    for (int looks = 0;; ++looks) {
        int done = 0;
        const int code = PMPI_Test(&request, &done, status);
        if (done != 0 || code != MPI_SUCCESS) return code;
        if (looks >= looks_awake) naps.take();
    }
}

namespace {

// Messages along the binomial tree of rank 0: from the rank with a bit to the rank without it,
// from the lowest bit on, and back. MPI's nonblocking collectives take memory at each call, and
// MPICH's crash if there is none.
class Tree {
  public:
    explicit Tree(MPI_Comm comm) : comm_(comm) {
        PMPI_Comm_rank(comm, &rank_);
        PMPI_Comm_size(comm, &ranks_);
    }

    // Calls take() after each child's numbers have arrived in `arrived`.
    template <typename Take>
    bool rise(std::span<std::uint64_t> numbers, std::span<std::uint64_t> arrived, const Take& take) const {
        for (int bit = 1; bit < ranks_; bit *= 2) {
            if ((rank_ & bit) != 0) return send(numbers, rank_ - bit);
            if (rank_ + bit >= ranks_) continue;
            if (!receive(arrived, rank_ + bit)) return false;
            take();
        }
        return true;
    }
    bool fall(std::span<std::uint64_t> numbers) const {
        int bit = 1;
        while (bit < ranks_ && (rank_ & bit) == 0) bit *= 2;
        if (rank_ != 0 && !receive(numbers, rank_ - bit)) return false;
        for (bit /= 2; bit > 0; bit /= 2)
            if (rank_ + bit < ranks_ && !send(numbers, rank_ + bit)) return false;
        return true;
    }

  private:
    static constexpr int tag = 6;
    bool send(std::span<std::uint64_t> numbers, int to) const {
        return PMPI_Send(numbers.data(), static_cast<int>(numbers.size()), MPI_UINT64_T, to, tag, comm_) ==
               MPI_SUCCESS;
    }
    bool receive(std::span<std::uint64_t> numbers, int from) const {
        MPI_Request request = MPI_REQUEST_NULL;
        return PMPI_Irecv(numbers.data(), static_cast<int>(numbers.size()), MPI_UINT64_T, from, tag, comm_,
                          &request) == MPI_SUCCESS &&
               wait_quietly(request) == MPI_SUCCESS;
    }

    MPI_Comm comm_;
    int rank_ = 0, ranks_ = 1;
};

} // namespace

bool add_up_quietly(std::span<std::uint64_t> numbers, MPI_Comm comm) noexcept {
    std::array<std::uint64_t, most_numbers> place;
    const auto arrived = std::span(place).first(numbers.size());
    const Tree tree(comm);
    return tree.rise(numbers, arrived, [&] {
        std::ranges::transform(numbers, arrived, numbers.begin(), std::plus<>{});
    }) && tree.fall(numbers);
}

int hear_quietly(int number, MPI_Comm comm) noexcept {
    std::array<std::uint64_t, 1> heard{static_cast<std::uint64_t>(number)};
    return Tree(comm).fall(heard) ? static_cast<int>(heard[0]) : 0;
}

} // namespace switchyard::shim
