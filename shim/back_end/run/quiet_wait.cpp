#include "quiet_wait.hpp"

#include <algorithm>
#include <ctime>

namespace switchyard::shim {

namespace {

// Naps grow from a turn of a few ranks on a core. A longer nap than the last one would be felt.
constexpr long first_nap_ns = 20'000, last_nap_ns = 300'000;
constexpr int looks_awake = 50;

void nap(int naps) {
    const long ns = naps < 5 ? first_nap_ns << naps : last_nap_ns;
    const timespec time{0, std::min(ns, last_nap_ns)};
    nanosleep(&time, nullptr);
}

} // namespace

int wait_quietly(MPI_Request& request, MPI_Status* status) noexcept {
    for (int looks = 0;; ++looks) {
        int done = 0;
        const int code = PMPI_Test(&request, &done, status);
        if (done != 0 || code != MPI_SUCCESS) return code;
        if (looks >= looks_awake) nap(looks - looks_awake);
    }
}

bool add_up_quietly(std::span<std::uint64_t> numbers, MPI_Comm comm) noexcept {
    MPI_Request request = MPI_REQUEST_NULL;
    return PMPI_Iallreduce(MPI_IN_PLACE, numbers.data(), static_cast<int>(numbers.size()), MPI_UINT64_T,
                           MPI_SUM, comm, &request) == MPI_SUCCESS &&
           wait_quietly(request) == MPI_SUCCESS;
}

int hear_quietly(int number, MPI_Comm comm) noexcept {
    MPI_Request request = MPI_REQUEST_NULL;
    if (PMPI_Ibcast(&number, 1, MPI_INT, 0, comm, &request) != MPI_SUCCESS ||
        wait_quietly(request) != MPI_SUCCESS)
        return 0;
    return number;
}

} // namespace switchyard::shim
