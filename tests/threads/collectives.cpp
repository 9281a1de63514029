#include "collectives.hpp"

#include "exported.hpp"
#include "types.hpp"
#include "waiting.hpp"

#include <algorithm>
#include <cstdint>
#include <memory>

namespace switchyard::tests::threads {

void send_within(const MPI_ABI_Comm& comm, int to, std::vector<std::byte> bytes) {
    std::unique_ptr<Message> message(new Message{comm.context + 1, this_rank().number, 0, std::move(bytes)});
    mailbox_of(comm.members[static_cast<std::size_t>(to)]).put(std::move(message));
}

std::vector<std::byte> receive_within(const MPI_ABI_Comm& comm, int from) {
    Receive receive{.wanted = {comm.context + 1, comm.members[static_cast<std::size_t>(from)], 0}};
    mailbox_of(this_rank().number).begin(receive);
    wait_until([&] { return receive.has_come.load(std::memory_order_acquire); });
    return std::move(Mailbox::take(receive)->bytes);
}

std::vector<std::vector<std::byte>> bytes_of_all(const MPI_ABI_Comm& comm,
                                                 const std::vector<std::byte>& own) {
    for (int peer = 0; peer < size_of(comm); ++peer) send_within(comm, peer, own);
    std::vector<std::vector<std::byte>> all;
    for (int peer = 0; peer < size_of(comm); ++peer) all.push_back(receive_within(comm, peer));
    return all;
}

namespace {

std::vector<std::byte> packed(const Items& items) {
    std::vector<std::byte> bytes(items.bytes());
    items.copy_to(bytes.data());
    return bytes;
}

template <typename Value>
Value folded(Value a, Value b, MPI_Op op) {
    if (op == MPI_MIN) return std::min(a, b);
    if (op == MPI_MAX) return std::max(a, b);
    if (op == MPI_BAND) return a & b;
    if (op == MPI_BOR) return a | b;
    return a + b;
}

template <typename Value>
void fold(std::vector<std::byte>& into, const std::vector<std::byte>& more, MPI_Op op) {
    for (std::size_t at = 0; at < into.size(); at += sizeof(Value)) {
        Value a, b;
        std::memcpy(&a, &into[at], sizeof a);
        std::memcpy(&b, &more[at], sizeof b);
        a = folded(a, b, op);
        std::memcpy(&into[at], &a, sizeof a);
    }
}

void fold(std::vector<std::byte>& into, const std::vector<std::byte>& more, MPI_Datatype type, MPI_Op op) {
    if (type == MPI_INT)
        fold<int>(into, more, op);
    else if (type == MPI_UNSIGNED)
        fold<unsigned>(into, more, op);
    else if (type == MPI_LONG)
        fold<long>(into, more, op);
    else if (type == MPI_UINT64_T)
        fold<std::uint64_t>(into, more, op);
    else
        fold<unsigned char>(into, more, op);
}

// send_of(peer) and received_from(peer) are Items.
template <typename Sent, typename Received>
int exchange(const MPI_ABI_Comm& comm, const Sent& send_to, const Received& receive_from) {
    for (int peer = 0; peer < size_of(comm); ++peer) send_within(comm, peer, packed(send_to(peer)));
    int code = MPI_SUCCESS;
    for (int peer = 0; peer < size_of(comm); ++peer) {
        const auto bytes = receive_within(comm, peer);
        const Items into = receive_from(peer);
        into.take_from(bytes);
        if (bytes.size() > into.bytes()) code = MPI_ERR_TRUNCATE;
    }
    return code;
}

} // namespace

} // namespace switchyard::tests::threads

using namespace switchyard::tests::threads;

SWITCHYARD_EXPORTED int PMPI_Barrier(MPI_Comm comm) {
    bytes_of_all(object_of(comm), {});
    return MPI_SUCCESS;
}

SWITCHYARD_EXPORTED int PMPI_Allreduce(const void* send, void* recv, int count, MPI_Datatype type, MPI_Op op,
                                       MPI_Comm comm) {
    const auto own = packed(items(send == MPI_IN_PLACE ? recv : send, count, type));
    auto all = bytes_of_all(object_of(comm), own);
    for (std::size_t rank = 1; rank < all.size(); ++rank) fold(all.front(), all[rank], type, op);
    items(recv, count, type).take_from(all.front());
    return MPI_SUCCESS;
}

SWITCHYARD_EXPORTED int PMPI_Reduce(const void* send, void* recv, int count, MPI_Datatype type, MPI_Op op,
                                    int root, MPI_Comm comm) {
    const bool is_root = object_of(comm).rank == root;
    std::vector<std::byte> unwanted(is_root ? 0 : items(send, count, type).bytes());
    return PMPI_Allreduce(send, is_root ? recv : unwanted.data(), count, type, op, comm);
}

SWITCHYARD_EXPORTED int PMPI_Bcast(void* data, int count, MPI_Datatype type, int root, MPI_Comm comm) {
    const Items all = items(data, count, type);
    const auto bytes = bytes_of_all(object_of(comm), packed(all));
    all.take_from(bytes[static_cast<std::size_t>(root)]);
    return MPI_SUCCESS;
}

SWITCHYARD_EXPORTED int PMPI_Gather(const void* send, int send_count, MPI_Datatype send_type, void* recv,
                                    int recv_count, MPI_Datatype recv_type, int root, MPI_Comm comm) {
    const auto all = bytes_of_all(object_of(comm), packed(items(send, send_count, send_type)));
    if (object_of(comm).rank != root) return MPI_SUCCESS;
    const Items into = items(recv, recv_count, recv_type);
    for (std::size_t rank = 0; rank < all.size(); ++rank)
        into.from(static_cast<std::ptrdiff_t>(rank) * recv_count, recv_count).take_from(all[rank]);
    return MPI_SUCCESS;
}

SWITCHYARD_EXPORTED int PMPI_Allgather(const void* send, int send_count, MPI_Datatype send_type, void* recv,
                                       int recv_count, MPI_Datatype recv_type, MPI_Comm comm) {
    const Items own = items(send, send_count, send_type), all = items(recv, recv_count, recv_type);
    return exchange(
        object_of(comm), [&](int) { return own; },
        [&](int peer) { return all.from(std::ptrdiff_t{peer} * recv_count, recv_count); });
}

SWITCHYARD_EXPORTED int PMPI_Alltoall(const void* send, int send_count, MPI_Datatype send_type, void* recv,
                                      int recv_count, MPI_Datatype recv_type, MPI_Comm comm) {
    const Items out = items(send, send_count, send_type), in = items(recv, recv_count, recv_type);
    return exchange(
        object_of(comm), [&](int peer) { return out.from(std::ptrdiff_t{peer} * send_count, send_count); },
        [&](int peer) { return in.from(std::ptrdiff_t{peer} * recv_count, recv_count); });
}

SWITCHYARD_EXPORTED int PMPI_Alltoallv(const void* send, const int send_counts[], const int send_offsets[],
                                       MPI_Datatype send_type, void* recv, const int recv_counts[],
                                       const int recv_offsets[], MPI_Datatype recv_type, MPI_Comm comm) {
    const Items out = items(send, 0, send_type), in = items(recv, 0, recv_type);
    return exchange(
        object_of(comm), [&](int peer) { return out.from(send_offsets[peer], send_counts[peer]); },
        [&](int peer) { return in.from(recv_offsets[peer], recv_counts[peer]); });
}
