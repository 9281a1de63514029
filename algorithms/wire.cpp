#include "algorithms/wire.hpp"

#include <algorithm>
#include <new>
#include <utility>

namespace switchyard::algorithms {

namespace {

// One tag does for all: between two ranks messages do not overtake each other, and both sides start their
// transfers, and the parts of a split one, in the same order.
constexpr int tag = 0;

} // namespace

Wire::Wire(const Group& group, std::size_t limit) : group_(group), limit_(limit) {
    requests_.reserve(2 * static_cast<std::size_t>(largest_batch));
}

void Wire::keep(int code) {
    if (error_ == MPI_SUCCESS) {
        error_ = code;
    }
}

// The place for the request is made first: a request that MPI has started must never be lost.
template <typename Start>
void Wire::start(Start&& start_one) {
    try {
        requests_.push_back(MPI_REQUEST_NULL);
    } catch (const std::bad_alloc&) {
        keep(MPI_ERR_NO_MEM);
        return;
    }
    const int code = start_one(&requests_.back());
    if (code != MPI_SUCCESS) {
        requests_.pop_back();
        keep(code);
    }
}

void Wire::send(int destination, const std::byte* data, std::size_t bytes) {
    for (std::size_t done = 0; done < bytes;) {
        const std::size_t part = std::min(bytes - done, limit_);
        start([&](MPI_Request* request) {
            return PMPI_Isend(data + done, static_cast<int>(part), MPI_BYTE, destination, tag, group_.comm,
                              request);
        });
        done += part;
        ++traffic_.messages;
    }
    traffic_.bytes += bytes;
}

void Wire::receive(int source, std::byte* data, std::size_t bytes) {
    for (std::size_t done = 0; done < bytes;) {
        const std::size_t part = std::min(bytes - done, limit_);
        start([&](MPI_Request* request) {
            return PMPI_Irecv(data + done, static_cast<int>(part), MPI_BYTE, source, tag, group_.comm,
                              request);
        });
        done += part;
    }
}

// One by one, because each then gives its own error code, where Waitall has one for all. (MPICH takes an
// error found in either to the handler of MPI_COMM_WORLD instead of our own communicator's; no call that
// waits avoids that.)
Status Wire::wait_all() {
    if (!requests_.empty()) {
        ++traffic_.rounds;
        for (MPI_Request& request : requests_) {
            keep(PMPI_Wait(&request, MPI_STATUS_IGNORE));
        }
        requests_.clear();
    }
    return {std::exchange(error_, MPI_SUCCESS)};
}

Status Wire::exchange(int destination, const std::byte* out, std::size_t out_bytes, int source, std::byte* in,
                      std::size_t in_bytes) {
    receive(source, in, in_bytes);
    send(destination, out, out_bytes);
    return wait_all();
}

} // namespace switchyard::algorithms
