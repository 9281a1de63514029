#include "small_messages.hpp"

#include "algorithms/transport/messages/mpi_types.hpp"
#include "algorithms/transport/messages/simulation.hpp"
#include "algorithms/transport/messages/small_messages.hpp"
#include "cases.hpp"

#include <algorithm>
#include <cstdint>

namespace switchyard::tests {

using namespace algorithms;

namespace {

constexpr std::size_t beside = 16; // bytes of nobody on each side of a buffer

class Buffer {
  public:
    explicit Buffer(std::size_t bytes) : bytes_(filled(bytes + 2 * beside, 1)), before_(bytes_) {}
    std::byte* data() { return bytes_.data() + beside; }
    // The wanted bytes, and nothing else.
    bool has(const std::vector<std::byte>& wanted) {
        std::ranges::copy(wanted, before_.begin() + beside);
        return are_same(bytes_, before_);
    }
    bool is_untouched() const { return are_same(bytes_, before_); }

  private:
    std::vector<std::byte> bytes_, before_;
};

std::vector<std::byte> bytes_of(int rank, std::size_t bytes) {
    return filled(bytes, mixed(static_cast<std::uint64_t>(rank), 5));
}

std::vector<std::byte> bytes_of_all(int ranks, std::size_t bytes) {
    std::vector<std::byte> all;
    for (int rank = 0; rank < ranks; ++rank) {
        const auto some = bytes_of(rank, bytes);
        all.insert(all.end(), some.begin(), some.end());
    }
    return all;
}

void check_size(std::size_t bytes, int rank, int ranks, MPI_Comm comm, const Report& report) {
    const auto place = std::to_string(bytes) + " bytes in small messages";
    const auto own = bytes_of(rank, bytes), all = bytes_of_all(ranks, bytes);
    const auto whole = static_cast<std::size_t>(ranks) * bytes;
    Buffer gathered(whole), everywhere(whole);
    report(gather(own.data(), bytes, rank == 0 ? gathered.data() : nullptr, comm_of(comm)) == MPI_SUCCESS,
           place, "a gather fails");
    report(rank == 0 ? gathered.has(all) : gathered.is_untouched(), place, "a gather");
    report(gather_everywhere(own.data(), bytes, everywhere.data(), comm_of(comm)) == MPI_SUCCESS, place,
           "a gather everywhere fails");
    report(everywhere.has(all), place, "a gather everywhere");
}

// All ranks send messages for each piece of all ranks' bytes. Many ranks and many pieces together show nothing
// that few ranks do not, and took the simulator minutes.
std::size_t largest_simulated(std::size_t ranks) {
    constexpr std::size_t pieces_of_all_ranks = 2000;
    return simulation::is_on ? pieces_of_all_ranks / ranks * largest_own_message / ranks : SIZE_MAX;
}

} // namespace

void check_small_messages(MPI_Comm comm, const Report& report) {
    int rank = 0, ranks = 1;
    PMPI_Comm_rank(comm, &rank);
    PMPI_Comm_size(comm, &ranks);
    constexpr std::size_t most = largest_own_message;
    const auto all = static_cast<std::size_t>(ranks);
    const std::size_t together = most / all;
    for (const std::size_t bytes :
         {std::size_t{0}, std::size_t{1}, std::size_t{80}, std::size_t{256}, together, together + 1,
          3 * together + 1, most - 1, most, most + 1, 2 * most, 3 * most + 5})
        if (bytes <= largest_simulated(all)) check_size(bytes, rank, ranks, comm, report);
}

} // namespace switchyard::tests
