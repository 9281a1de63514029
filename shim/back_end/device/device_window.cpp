#include "device_window.hpp"

#include "algorithms/transport/memory/node_blocks.hpp"
#include "algorithms/transport/messages/mpi_types.hpp"
#include "algorithms/transport/messages/votes.hpp"

#include <algorithm>
#include <array>
#include <bit>

namespace switchyard::shim::device {

using algorithms::Fault;
using algorithms::NodeWindow;
using algorithms::Status;

namespace {

constexpr std::size_t smallest = std::size_t{1} << 20;

// The place for a copy from this address, with the same alignment as the original.
std::size_t placed_like(const std::byte* from, std::size_t offset, std::size_t alignment) {
    const auto low = reinterpret_cast<std::uintptr_t>(from) % alignment;
    return (offset + alignment - 1) / alignment * alignment + low;
}

} // namespace

DeviceWindow::DeviceWindow(int ranks, Streams& streams)
    : streams_(streams), offers_(static_cast<std::size_t>(ranks)), mapped_(offers_.size()),
      told_(offers_.size()), heard_(offers_.size()) {}

DeviceWindow::~DeviceWindow() {
    if (runtime_ == nullptr) return;
    unmap_all();
    free_own();
}

void DeviceWindow::describe(const Runtime& runtime, std::size_t bytes, const Location& sent,
                            const Location& received) {
    runtime_ = &runtime;
    streams_.use(runtime);
    bytes_ = bytes + 2 * alignment * mapped_.size(); // blocks may lie apart
    sent_at_ = sent;
    received_at_ = received;
}

DeviceWindow::Readiness DeviceWindow::readiness() const {
    if (is_refused_) return Readiness::unable;
    if (!has_place()) return Readiness::ready; // it neither sends nor receives
    return has_own() && bytes_ <= capacity_ ? Readiness::ready : Readiness::has_to_renew;
}

// ---- The pieces -----------------------------------------------------------------------------------------

// A rank's pieces, and its mappings of other ranks' pieces, are all in one context while that context lives.
bool DeviceWindow::make_own() {
    if (!has_place() || (has_own() && bytes_ <= capacity_)) return true;
    if (!has_context()) {
        std::ranges::fill(mapped_, Mapped{});
        own_ = nullptr;
    }
    const Location where = has_context() ? own_at_ : place();
    const Within within(*runtime_, where);
    if (!within) return false;
    old_ = own_;
    capacity_ = std::max(smallest, std::bit_ceil(bytes_));
    own_ = static_cast<std::byte*>(runtime_->allocate(capacity_));
    if (own_ == nullptr) return false;
    own_at_ = runtime_->place(where);
    ++own_offer_.number;
    return runtime_->offer(own_, own_offer_.handle);
}

bool DeviceWindow::map(int rank, const Offer& offer) {
    Mapped& mapped = mapped_[static_cast<std::size_t>(rank)];
    if (mapped.number == offer.number) return true;
    if (mapped.memory != nullptr) runtime_->unmap(mapped.memory);
    mapped = {};
    if (offer.number == 0) return true;
    mapped.memory = static_cast<std::byte*>(runtime_->map(offer.handle));
    mapped.number = offer.number;
    return mapped.memory != nullptr;
}

// A rank that has nothing on a device so far maps nothing.
bool DeviceWindow::map_all(const algorithms::Group& group) {
    if (!has_own()) return true;
    const Within within(*runtime_, own_at_);
    if (!within) return false;
    bool good = true;
    for (int rank = 0; rank < group.size; ++rank)
        if (rank != group.rank && !map(rank, offers_[static_cast<std::size_t>(rank)])) good = false;
    return good;
}

void DeviceWindow::unmap_all() {
    if (!has_context()) return;
    const Within within(*runtime_, own_at_);
    for (Mapped& mapped : mapped_) {
        if (within && mapped.memory != nullptr) runtime_->unmap(mapped.memory);
        mapped = {};
    }
}

void DeviceWindow::free_old() {
    if (old_ == nullptr || !has_context()) return;
    const Within within(*runtime_, own_at_);
    if (within) runtime_->free(old_);
    old_ = nullptr;
}

void DeviceWindow::free_own() {
    free_old();
    old_ = own_;
    own_ = nullptr;
    free_old();
}

// A rank frees its old piece after the other ranks have closed it.
bool DeviceWindow::renew(const algorithms::Group& group) {
    bool good = make_own();
    const Offer mine = good && has_own() ? own_offer_ : Offer{};
    good = PMPI_Allgather(&mine, sizeof mine, MPI_BYTE, offers_.data(), sizeof mine, MPI_BYTE,
                          algorithms::mpi_of(group.comm)) == MPI_SUCCESS &&
           good;
    good = map_all(group) && good;
    is_refused_ = !algorithms::all_agree(good, group.comm);
    free_old();
    if (!is_refused_) return true;
    unmap_all();
    if (algorithms::all_agree(true, group.comm)) free_own(); // all have closed it
    return false;
}

// ---- An exchange ----------------------------------------------------------------------------------------

bool DeviceWindow::copy(void* to, const void* from, std::size_t bytes) {
    return streams_.copy(own_at_, to, from, bytes);
}

// describe() made room for all bytes of the call; the check guards the other blocks
// against a mistake of ours.
bool DeviceWindow::copy_run(const std::byte* from, std::size_t bytes, std::size_t to) {
    return to + bytes <= capacity_ && copy(own_ + to, from, bytes);
}

// Blocks that touch are one copy.
bool DeviceWindow::copy_out(const algorithms::Exchange& exchange) {
    const bool is_one_for_all = exchange.send.size() == 1;
    bool good = streams_.settle(sent_at_, own_at_) && streams_.settle(received_at_, own_at_);
    const std::byte* run = nullptr;
    std::size_t run_at = 0, run_bytes = 0, end = 0;
    for (int to = 0; to < exchange.group.size; ++to) {
        Place& told = told_[static_cast<std::size_t>(to)];
        if (is_one_for_all && to > 0) {
            told = told_[0];
            continue;
        }
        const std::byte* const block = exchange.send_to(to);
        told = {0, exchange.send_size(to)};
        if (told.bytes == 0) continue;
        if (run == nullptr || run + run_bytes != block) {
            if (run != nullptr) good = copy_run(run, run_bytes, run_at) && good;
            run = block;
            run_at = placed_like(block, end, alignment);
            run_bytes = 0;
        }
        told.begin = run_at + run_bytes;
        run_bytes += told.bytes;
        end = run_at + run_bytes;
    }
    if (run != nullptr) good = copy_run(run, run_bytes, run_at) && good;
    return streams_.wait() && good;
}

// Starts at the rank after this one, so that not all ranks read from the same GPU.
Status DeviceWindow::copy_in(const algorithms::Exchange& exchange) {
    const int rank = exchange.group.rank, ranks = exchange.group.size;
    Status status;
    bool good = true;
    for (int step = 1; step < ranks; ++step) {
        const int from = rank + step < ranks ? rank + step : rank + step - ranks;
        const Place& heard = heard_[static_cast<std::size_t>(from)];
        const std::size_t room = exchange.recv_size(from);
        if (heard.bytes > room) status.keep(Fault::truncated);
        const std::byte* const piece = mapped_[static_cast<std::size_t>(from)].memory;
        const std::size_t bytes = heard.bytes > room ? 0 : static_cast<std::size_t>(heard.bytes);
        if (bytes > 0)
            good = piece != nullptr && copy(exchange.recv_from(from), piece + heard.begin, bytes) && good;
    }
    const std::byte* const own = exchange.send_to(exchange.send.size() == 1 ? 0 : rank);
    const std::size_t size = exchange.send_size(exchange.send.size() == 1 ? 0 : rank);
    status.keep(algorithms::fits(size, exchange.recv_size(rank)));
    if (own != exchange.recv_from(rank))
        good = copy(exchange.recv_from(rank), own, std::min(size, exchange.recv_size(rank))) && good;
    good = streams_.wait() && good;
    if (!good) status.keep(Status(MPI_ERR_BUFFER));
    return status;
}

Status DeviceWindow::exchange(const algorithms::Exchange& exchange, NodeWindow& window) {
    const bool is_out = copy_out(exchange);
    const auto as_blocks = [](std::vector<Place>& places) {
        return algorithms::EqualBlocks{reinterpret_cast<std::uintptr_t>(places.data()), sizeof(Place)};
    };
    Status status = window.exchange(as_blocks(told_), as_blocks(heard_), false);
    if (!status.ok()) return status;
    status.keep(copy_in(exchange));
    // No rank leaves, and frees its piece, while other ranks read from it. All ranks hear of failed copies.
    std::array<std::uint64_t, 1> failed{is_out ? 0U : 1U};
    status.keep(window.largest(failed));
    if (failed[0] != 0) status.keep(Status(MPI_ERR_BUFFER));
    return status;
}

} // namespace switchyard::shim::device
