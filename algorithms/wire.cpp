#include "wire.hpp"

#include <algorithm>
#include <climits>
#include <functional>
#include <new>
#include <utility>

namespace switchyard::algorithms {

namespace {

// A datatype of our own. It is freed with its scope; MPI keeps it for messages under way.
class Type {
  public:
    // Bytes at addresses, for use with MPI_BOTTOM, or at distances from a buffer.
    Type(const std::vector<int>& bytes, const std::vector<MPI_Aint>& addresses) {
        code_ = PMPI_Type_create_hindexed(static_cast<int>(bytes.size()), bytes.data(), addresses.data(),
                                          MPI_BYTE, &type_);
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

} // namespace

Wire::Wire(const Group& group, std::size_t limit) : group_(&group), limit_(limit) {
    constexpr auto most = 2 * static_cast<std::size_t>(largest_batch);
    requests_.reserve(most);
    transfer_of_.reserve(most);
    transfers_.reserve(most);
    aside_.reset(new Wire(*this));
}

// Its lists have room for the few messages that most exchanges need aside, and grow.
Wire::Wire(Wire& beside)
    : group_(beside.group_), limit_(beside.limit_), tag_offset_(1), traffic_(beside.traffic_),
      beside_(&beside) {
    constexpr std::size_t some = 64;
    requests_.reserve(some);
    transfer_of_.reserve(some);
    transfers_.reserve(some);
}

// A rank is never two exchanges ahead of another rank, since it has something from each rank in each exchange. So two tags
// in turn are enough.
Wire& Wire::take_aside() {
    aside_->tag_offset_ = tags - aside_->tag_offset_;
    return *aside_;
}

void Wire::keep(int code) {
    if (code != MPI_SUCCESS && group_->carrier.alarm != nullptr) group_->carrier.alarm->look();
    if (error_ == MPI_SUCCESS) {
        error_ = code;
    }
}

// ---- Starting -------------------------------------------------------------------------------------------

// Makes room before MPI starts a message, since a request that is under way must never be lost.
template <typename T>
bool Wire::make_room(std::vector<T>& list, std::size_t more) {
    try {
        if (list.capacity() - list.size() < more) list.reserve(std::max(2 * list.size(), list.size() + more));
        return true;
    } catch (const std::bad_alloc&) {
        keep(MPI_ERR_NO_MEM);
        return false;
    }
}

bool Wire::begin(int peer, bool sent) {
    if (requests_.empty()) transfers_.clear();
    if (!make_room(transfers_)) return false;
    transfers_.push_back({{peer, sent}, 0, nullptr, 0});
    return true;
}

// Starts one message of the last transfer.
template <typename Start>
void Wire::start(Start&& start_one) {
    if (!make_room(requests_) || !make_room(transfer_of_)) return;
    MPI_Request request = MPI_REQUEST_NULL;
    const int code = start_one(&request);
    if (code != MPI_SUCCESS) {
        keep(code);
        return;
    }
    requests_.push_back(request);
    transfer_of_.push_back(transfers_.size() - 1);
    ++transfers_.back().messages;
    const Wire* const other = beside_ != nullptr ? beside_ : aside_.get();
    traffic_->most_under_way = std::max(
        traffic_->most_under_way, static_cast<std::uint32_t>(requests_.size() + other->requests_.size()));
}

void Wire::count_sent(int peer, std::uint64_t messages, std::uint64_t bytes) {
    traffic_->messages += messages;
    traffic_->bytes += bytes;
    if (group_->is_near(peer)) return;
    traffic_->messages_inter += messages;
    traffic_->bytes_inter += bytes;
}

// One tag is enough for a wire. Messages between two ranks do not overtake each other, and both sides start their transfers, and the
// messages of a transfer, in the same order.
void Wire::transfer(int peer, bool sent, std::byte* data, std::size_t bytes) {
    const int rank = group_->rank_in_carrier(peer), tag = group_->carrier.tag + tag_offset_;
    const MPI_Comm comm = group_->carrier_comm();
    for (std::size_t done = 0; done < bytes;) {
        const int size = static_cast<int>(std::min(bytes - done, limit_));
        start([&](MPI_Request* request) {
            return sent ? PMPI_Isend(data + done, size, MPI_BYTE, rank, tag, comm, request)
                        : PMPI_Irecv(data + done, size, MPI_BYTE, rank, tag, comm, request);
        });
        done += static_cast<std::size_t>(size);
        if (sent) count_sent(peer, 1, static_cast<std::uint64_t>(size));
    }
}

// Starts one message of the fragments noted. Their number and sizes fit into MPI's integers.
void Wire::transfer_fragments(int peer, bool sent, std::size_t bytes) {
    const Type type(fragment_bytes_, fragment_addresses_);
    const int rank = group_->rank_in_carrier(peer), tag = group_->carrier.tag + tag_offset_;
    const MPI_Comm comm = group_->carrier_comm();
    start([&](MPI_Request* request) {
        if (type.code() != MPI_SUCCESS) return type.code();
        return sent ? PMPI_Isend(MPI_BOTTOM, 1, type.get(), rank, tag, comm, request)
                    : PMPI_Irecv(MPI_BOTTOM, 1, type.get(), rank, tag, comm, request);
    });
    fragment_bytes_.clear();
    fragment_addresses_.clear();
    if (sent) count_sent(peer, 1, bytes);
}

// Messages are cut by bytes alone, never at the borders of parts: the other side does not know the parts.
void Wire::transfer_parts(int peer, bool sent, std::span<const Part> parts) {
    std::size_t fragments = parts.size(), message = 0;
    for (const Part& part : parts) fragments += part.bytes / limit_ + 1;
    if (!make_room(fragment_bytes_, fragments) || !make_room(fragment_addresses_, fragments)) return;
    for (const Part& part : parts) {
        for (std::size_t done = 0; done < part.bytes;) {
            const std::size_t fragment = std::min(part.bytes - done, limit_ - message);
            MPI_Aint address = 0;
            PMPI_Get_address(part.data + done, &address);
            fragment_bytes_.push_back(static_cast<int>(fragment));
            fragment_addresses_.push_back(address);
            done += fragment;
            message += fragment;
            if (message == limit_) transfer_fragments(peer, sent, std::exchange(message, 0));
        }
    }
    if (message > 0) transfer_fragments(peer, sent, message);
}

void Wire::send(int destination, const std::byte* data, std::size_t bytes) {
    if (bytes != 0 && begin(destination, true))
        transfer(destination, true, const_cast<std::byte*>(data), bytes); // MPI only reads it
}

void Wire::receive(int source, std::byte* data, std::size_t bytes) {
    if (bytes == 0 || !begin(source, false)) return;
    transfers_.back().data = data;
    transfers_.back().bytes = bytes;
    transfer(source, false, data, bytes);
}

void Wire::send_parts(int destination, std::span<const Part> parts) {
    if (parts.size() == 1) return send(destination, parts.front().data, parts.front().bytes);
    if (begin(destination, true)) transfer_parts(destination, true, parts);
}

void Wire::receive_parts(int source, std::span<const Part> parts) {
    if (parts.size() == 1) return receive(source, parts.front().data, parts.front().bytes);
    if (begin(source, false)) transfer_parts(source, false, parts);
}

// ---- Waiting --------------------------------------------------------------------------------------------

// Waits for one request after the other, since each then gives its own error code, while Waitall has one code
// for all. (In both cases MPICH calls the error handler of MPI_COMM_WORLD instead of our communicator's. No
// call that waits avoids this.)
Status Wire::wait_all() {
    if (!requests_.empty()) {
        ++traffic_->rounds;
        if (group_->carrier.alarm != nullptr)
            wait_watching(*group_->carrier.alarm);
        else if (landings_ != nullptr)
            wait_telling();
        for (MPI_Request& request : requests_) {
            keep(PMPI_Wait(&request, MPI_STATUS_IGNORE));
        }
        requests_.clear();
        transfer_of_.clear();
    }
    return {std::exchange(error_, MPI_SUCCESS)};
}

void Wire::wait_for_sends() {
    bool waited = false;
    for (std::size_t i = requests_.size(); i-- > 0;) {
        if (!transfers_[transfer_of_[i]].landed.sent) continue;
        if (auto* const alarm = group_->carrier.alarm) watch(requests_[i], *alarm);
        keep(PMPI_Wait(&requests_[i], MPI_STATUS_IGNORE));
        finish(i);
        waited = true;
    }
    if (waited) ++traffic_->rounds;
}

// The receives are waited for as all others. A receive that found its message all the same keeps its error.
void Wire::cancel_receive(int source) {
    for (std::size_t i = 0; i < requests_.size(); ++i) {
        const Landed& landed = transfers_[transfer_of_[i]].landed;
        if (!landed.sent && landed.peer == source) PMPI_Cancel(&requests_[i]);
    }
}

// Until the request is over, or the alarm rings: then false, and all requests end at once.
bool Wire::watch(MPI_Request& request, Alarm& alarm) {
    for (int is_over = 0; is_over == 0;) {
        if (alarm.rings()) return false;
        keep(PMPI_Test(&request, &is_over, MPI_STATUS_IGNORE));
    }
    return true;
}

void Wire::wait_watching(Alarm& alarm) {
    for (std::size_t last = requests_.size(); last-- > 0;) {
        if (!watch(requests_[last], alarm)) return;
        finish(last);
    }
}

// Takes a request that is over off the list. Returns the transfer where this was its last message.
std::optional<Landed> Wire::finish(std::size_t request) {
    Transfer& transfer = transfers_[transfer_of_[request]];
    requests_[request] = requests_.back();
    requests_.pop_back();
    transfer_of_[request] = transfer_of_.back();
    transfer_of_.pop_back();
    if (--transfer.messages > 0) return std::nullopt;
    if (landings_ != nullptr && transfer.data != nullptr) landings_->landed(transfer.data, transfer.bytes);
    return transfer.landed;
}

// Waits for some requests at a time, as they end. After an error that belongs to no request, wait_all() waits
// for the others.
void Wire::wait_telling() {
    done_.clear();
    statuses_.clear();
    if (!make_room(done_, requests_.size()) || !make_room(statuses_, requests_.size())) return;
    done_.resize(requests_.size());
    statuses_.resize(requests_.size());
    while (!requests_.empty()) {
        int count = 0, error_class = MPI_SUCCESS;
        const int code = PMPI_Waitsome(static_cast<int>(requests_.size()), requests_.data(), &count,
                                       done_.data(), statuses_.data());
        if (code != MPI_SUCCESS) PMPI_Error_class(code, &error_class);
        if (count == MPI_UNDEFINED || count <= 0 || (code != MPI_SUCCESS && error_class != MPI_ERR_IN_STATUS))
            return keep(code);
        if (code != MPI_SUCCESS)
            for (int i = 0; i < count; ++i) keep(statuses_[static_cast<std::size_t>(i)].MPI_ERROR);
        // From the back, since finish() puts the last request into the place of the finished one.
        std::sort(done_.begin(), done_.begin() + count, std::greater<>());
        for (int i = 0; i < count; ++i) finish(static_cast<std::size_t>(done_[static_cast<std::size_t>(i)]));
    }
}

std::optional<Landed> Wire::wait_any() {
    if (auto* const alarm = group_->carrier.alarm)
        while (!requests_.empty() && !alarm->rings())
            if (auto landed = test_any()) return landed;
    while (!requests_.empty()) {
        int index = MPI_UNDEFINED;
        const int code =
            PMPI_Waitany(static_cast<int>(requests_.size()), requests_.data(), &index, MPI_STATUS_IGNORE);
        keep(code);
        if (index < 0 ||
            index == MPI_UNDEFINED) { // an error that belongs to no request: take the first request
            index = 0;
            keep(PMPI_Wait(requests_.data(), MPI_STATUS_IGNORE));
        }
        if (auto landed = finish(static_cast<std::size_t>(index))) {
            ++traffic_->rounds;
            return landed;
        }
    }
    return std::nullopt;
}

std::optional<Landed> Wire::test_any() {
    if (requests_.empty()) return std::nullopt;
    if (group_->carrier.alarm != nullptr) group_->carrier.alarm->rings(); // then a request ends with an error
    int index = MPI_UNDEFINED, is_over = 0;
    int code = PMPI_Testany(static_cast<int>(requests_.size()), requests_.data(), &index, &is_over,
                            MPI_STATUS_IGNORE);
    keep(code);
    if (code == MPI_SUCCESS && is_over == 0) {
        // SimGrid's Testany does not report small sends, which are over at once, as long as other requests
        // are under way. Therefore each request is also tested by itself, in turn.
        next_asked_ = (next_asked_ + 1) % requests_.size();
        index = static_cast<int>(next_asked_);
        code = PMPI_Test(&requests_[next_asked_], &is_over, MPI_STATUS_IGNORE);
        keep(code);
        if (code == MPI_SUCCESS && is_over == 0) return std::nullopt;
    }
    if (index < 0 || index == MPI_UNDEFINED) { // as in wait_any
        index = 0;
        keep(PMPI_Wait(requests_.data(), MPI_STATUS_IGNORE));
    }
    auto landed = finish(static_cast<std::size_t>(index));
    if (landed) ++traffic_->rounds;
    return landed;
}

// ---- Both -----------------------------------------------------------------------------------------------

Status Wire::exchange(int destination, const std::byte* out, std::size_t out_bytes, int source, std::byte* in,
                      std::size_t in_bytes) {
    receive(source, in, in_bytes);
    send(destination, out, out_bytes);
    return wait_all();
}

Status Wire::alltoall(const std::byte* out, std::byte* in, std::size_t block) {
    if (block == 0 || group_->size == 1) {
        if (block != 0) std::copy_n(out, block, in);
        return {};
    }
    for (int peer = 0; peer < group_->size; ++peer)
        if (peer != group_->rank) count_sent(peer, 1, block);
    ++traffic_->rounds;
    const std::size_t fragments = block / largest_message + 1;
    if (!make_room(fragment_bytes_, fragments) || !make_room(fragment_addresses_, fragments))
        return {std::exchange(error_, MPI_SUCCESS)};
    for (std::size_t done = 0; done < block;) { // a block is one item, since MPI counts with int
        const std::size_t fragment = std::min(block - done, largest_message);
        fragment_bytes_.push_back(static_cast<int>(fragment));
        fragment_addresses_.push_back(static_cast<MPI_Aint>(done));
        done += fragment;
    }
    const Type item(fragment_bytes_, fragment_addresses_);
    fragment_bytes_.clear();
    fragment_addresses_.clear();
    if (item.code() != MPI_SUCCESS) return {item.code()};
    return {PMPI_Alltoall(out, 1, item.get(), in, 1, item.get(), group_->comm)};
}

} // namespace switchyard::algorithms
