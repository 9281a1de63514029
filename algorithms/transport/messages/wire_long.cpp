// Transfers of several messages, transfers of several parts, and MPI's own exchange.
#include "mpi_types.hpp"
#include "wire.hpp"

#include <algorithm>
#include <numeric>
#include <type_traits>
#include <utility>

namespace switchyard::algorithms {

namespace {

// A datatype of our own. It is freed with its scope; MPI keeps it for messages under way.
class Type {
  public:
    // Bytes at addresses, for use with MPI_BOTTOM, or at distances from a buffer.
    explicit Type(const Fragments& fragments) {
        code_ =
            PMPI_Type_create_hindexed(static_cast<int>(fragments.bytes().size()), fragments.bytes().data(),
                                      fragments.addresses().data(), MPI_BYTE, &type_);
        if (code_ == MPI_SUCCESS) code_ = PMPI_Type_commit(&type_);
    }
    Type(const Type&) = delete;
    Type& operator=(const Type&) = delete;
    ~Type() {
        if (type_ != MPI_DATATYPE_NULL) PMPI_Type_free(&type_);
    }
    int code() const { return code_; }
    MPI_Datatype get() const { return type_; }

  private:
    MPI_Datatype type_ = MPI_DATATYPE_NULL;
    int code_ = MPI_SUCCESS;
};

static_assert(std::is_same_v<MPI_Aint, std::ptrdiff_t>);

} // namespace

void Wire::send_pieces(int destination, const std::byte* data, std::size_t bytes) {
    if (!made(under_way_.begin_transfer())) return;
    for (std::size_t done = 0; done < bytes && has_room();) {
        const std::size_t size = std::min(bytes - done, limit_);
        const int code = isend(data + done, static_cast<int>(size), MPI_BYTE, destination);
        if (started(code)) {
            under_way_.add_of_transfer({destination, true}, nullptr, 0);
            count_sent(destination, 1, size);
        }
        done += size;
    }
}

void Wire::receive_pieces(int source, std::byte* data, std::size_t bytes) {
    if (!made(under_way_.begin_transfer())) return;
    for (std::size_t done = 0; done < bytes && has_room();) {
        const std::size_t size = std::min(bytes - done, limit_);
        const int code = irecv(data + done, static_cast<int>(size), MPI_BYTE, source);
        if (started(code)) under_way_.add_of_transfer({source, false}, data, bytes);
        done += size;
    }
}

// Starts one message of the noted fragments. Their number and sizes fit into MPI's integers.
void Wire::transfer_fragments(const Completion& transfer, std::size_t bytes) {
    if (has_room()) {
        const Type type(fragments_);
        int code = type.code();
        if (code == MPI_SUCCESS)
            code = transfer.sent ? isend(MPI_BOTTOM, 1, type.get(), transfer.peer)
                                 : irecv(MPI_BOTTOM, 1, type.get(), transfer.peer);
        if (started(code)) {
            under_way_.add_of_transfer(transfer, nullptr, 0);
            if (transfer.sent) count_sent(transfer.peer, 1, bytes);
        }
    }
    fragments_.clear();
}

// Messages are cut only by bytes, never at the borders of parts: the other side does not know the parts.
void Wire::transfer_parts(const Completion& transfer, std::span<const Part> parts) {
    simulation::note_parts(parts.size());
    std::size_t fragments = parts.size(), message = 0;
    for (const Part& part : parts) fragments += part.bytes / limit_ + 1;
    if (!made(under_way_.begin_transfer() && fragments_.make_room_for(fragments))) return;
    for (const Part& part : parts) {
        for (std::size_t done = 0; done < part.bytes;) {
            const std::size_t fragment = std::min(part.bytes - done, limit_ - message);
            MPI_Aint address = 0;
            PMPI_Get_address(part.data + done, &address);
            fragments_.add(address, fragment);
            done += fragment;
            message += fragment;
            if (message == limit_) transfer_fragments(transfer, std::exchange(message, 0));
        }
    }
    if (message > 0) transfer_fragments(transfer, message);
}

void Wire::send_parts(int destination, std::span<const Part> parts) {
    if (parts.size() == 1) return send(destination, parts.front().data, parts.front().bytes);
    transfer_parts({destination, true}, parts);
}

void Wire::receive_parts(int source, std::span<const Part> parts) {
    if (parts.size() == 1) return receive(source, parts.front().data, parts.front().bytes);
    transfer_parts({source, false}, parts);
}

// `call` gets a datatype that has a block.
template <typename Call>
Status Wire::exchange_by_mpi(const std::byte* out, std::byte* in, std::size_t block, Call&& call) {
    meter_.pass_time();
    if (block == 0 || group_->size == 1) {
        if (block != 0) std::copy_n(out, block, in);
        return {};
    }
    for (int peer = 0; peer < group_->size; ++peer)
        if (peer != group_->rank) count_sent(peer, 1, block);
    meter_.count_round();
    if (!made(fragments_.make_room_for(block / largest_message + 1))) return std::exchange(error_, {});
    for (std::size_t done = 0; done < block;) { // a block is one item, since MPI counts with int
        const std::size_t fragment = std::min(block - done, largest_message);
        fragments_.add(static_cast<MPI_Aint>(done), fragment);
        done += fragment;
    }
    const Type item(fragments_);
    fragments_.clear();
    if (item.code() != MPI_SUCCESS) return Status(item.code());
    return Status(call(item.get()));
}

Status Wire::alltoall(const std::byte* out, std::byte* in, std::size_t block) {
    return exchange_by_mpi(out, in, block, [&](MPI_Datatype item) {
        return PMPI_Alltoall(out, 1, item, in, 1, item, mpi_of(group_->comm));
    });
}

Status Wire::alltoall_with_counts(const std::byte* out, std::byte* in, std::size_t block,
                                  std::span<int> numbers) {
    const auto ranks = static_cast<std::size_t>(group_->size);
    const auto counts = numbers.first(ranks), places = numbers.subspan(ranks, ranks);
    std::ranges::fill(counts, 1);
    std::iota(places.begin(), places.end(), 0);
    return exchange_by_mpi(out, in, block, [&](MPI_Datatype item) {
        return PMPI_Alltoallv(out, counts.data(), places.data(), item, in, counts.data(), places.data(), item,
                              mpi_of(group_->comm));
    });
}

} // namespace switchyard::algorithms
