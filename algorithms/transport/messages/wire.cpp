#include "wire.hpp"

#include "alarm.hpp"
#include "mpi_types.hpp"

#include <algorithm>
#include <climits>
#include <cstring>
#include <functional>
#include <new>
#include <numeric>
#include <type_traits>
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

static_assert(std::is_same_v<MPI_Aint, std::ptrdiff_t>);

// Files that know no MPI see the bytes of the requests.
MPI_Request* as_requests(const std::unique_ptr<std::byte[]>& bytes) {
    return std::launder(reinterpret_cast<MPI_Request*>(bytes.get()));
}

// Messages under way at once, as most algorithms have them: a few with each rank. Room for more, where few
// ranks meet, would only cost a communicator's first call: its pages come one by one.
std::size_t usual_messages(const Group& group) {
    constexpr std::size_t with_each_rank = 16, least = 64;
    return std::clamp(with_each_rank * static_cast<std::size_t>(group.size), least,
                      2 * static_cast<std::size_t>(Wire::largest_batch));
}

} // namespace

Wire::Wire(const Group& group, std::size_t limit, int tag_offset)
    : group_(&group), limit_(limit), tag_offset_(tag_offset) {
    make_room_for(usual_messages(group));
    look_at(group);
    second_.reset(new Wire(*this));
}

// The second channel. It has room for the few messages that most exchanges need there.
Wire::Wire(Wire& first)
    : group_(first.group_), limit_(first.limit_), tag_offset_(1), traffic_(first.traffic_), first_(&first) {
    constexpr std::size_t some = 64;
    make_room_for(some);
    look_at(*group_);
}

// A rank is never two exchanges ahead of another rank, since in each exchange it gets something
// from each rank, or meets the ranks that it did not wait for (NodeWindow::meet_others). So two
// tags that alternate are enough.
Wire& Wire::take_second_channel() {
    constexpr int first = 1, second = 2;
    second_->tag_offset_ = first + second - second_->tag_offset_;
    second_->look_at(*group_);
    return *second_;
}

void Wire::look_at(const Group& group) {
    const NodeMap* const map = group.node_map;
    group_ = &group;
    envelope_ = {group.carrier_comm(),
                 group.carrier.tag + tag_offset_,
                 group.members,
                 group.carrier.ranks,
                 map == nullptr ? nullptr : map->node_of_each().data(),
                 map == nullptr ? 0 : map->node_of(group.rank_in_comm(group.rank))};
}

void Wire::keep(Status status) {
    if (status.ok()) return;
    if (group_->carrier.alarm != nullptr) group_->carrier.alarm->look();
    error_.keep(status);
}

// ---- Starting -------------------------------------------------------------------------------------------

template <typename T>
bool Wire::make_room(std::vector<T>& list, std::size_t more) {
    try {
        if (list.capacity() - list.size() < more) list.reserve(std::max(2 * list.size(), list.size() + more));
        return true;
    } catch (const std::bad_alloc&) {
        keep(Fault::no_memory);
        return false;
    }
}

// Makes room before MPI starts a message, since a request that is under way must never be lost.
bool Wire::widen(std::size_t more) {
    try {
        make_room_for(std::max(2 * messages_.size(), count_ + more));
        return true;
    } catch (const std::bad_alloc&) {
        keep(Fault::no_memory);
        return false;
    }
}

void Wire::make_room_for(std::size_t messages) {
    std::unique_ptr<std::byte[]> requests(new std::byte[messages * sizeof(MPI_Request)]);
    if (count_ > 0) std::memcpy(requests.get(), requests_.get(), count_ * sizeof(MPI_Request));
    messages_.resize(messages);
    requests_ = std::move(requests);
}

inline void Wire::note_messages(int count) {
    simulation::note_messages(count);
    pass_time();
}

// One tag is enough for a wire. Messages between two ranks do not overtake each other, and both sides start
// their transfers, and the messages of a transfer, in the same order.
template <typename Datatype>
inline int Wire::isend(const void* data, int count, Datatype type, int peer) {
    note_messages(1);
    return PMPI_Isend(data, count, type, envelope_.rank_in_carrier(envelope_.rank_in_comm(peer)),
                      envelope_.tag, mpi_of(envelope_.comm), as_requests(requests_) + count_);
}
template <typename Datatype>
inline int Wire::irecv(void* data, int count, Datatype type, int peer) {
    note_messages(1);
    return PMPI_Irecv(data, count, type, envelope_.rank_in_carrier(envelope_.rank_in_comm(peer)),
                      envelope_.tag, mpi_of(envelope_.comm), as_requests(requests_) + count_);
}

// Notes a message whose request is the first that is not under way.
inline bool Wire::started(int code, const Completion& completion, const std::byte* data, std::size_t bytes,
                          int transfer) {
    if (code != MPI_SUCCESS) [[unlikely]] {
        keep(code);
        return false;
    }
    messages_[count_++].begin(completion, data, bytes, transfer);
    return true;
}

inline void Wire::count_sent(int peer, std::uint64_t messages, std::uint64_t bytes) {
    traffic_->messages += messages;
    traffic_->bytes += bytes;
    if (envelope_.is_near(envelope_.rank_in_comm(peer))) return;
    traffic_->messages_inter += messages;
    traffic_->bytes_inter += bytes;
}

void Wire::send(int destination, const std::byte* data, std::size_t bytes) {
    if (bytes > limit_) [[unlikely]]
        return send_pieces(destination, data, bytes);
    if (bytes == 0 || !has_room()) return;
    const int code = isend(data, static_cast<int>(bytes), MPI_BYTE, destination);
    if (started(code, {destination, true})) count_sent(destination, 1, bytes);
}

void Wire::receive(int source, std::byte* data, std::size_t bytes) {
    if (bytes > limit_) [[unlikely]]
        return receive_pieces(source, data, bytes);
    if (bytes == 0 || !has_room()) return;
    const int code = irecv(data, static_cast<int>(bytes), MPI_BYTE, source);
    started(code, {source, false}, data, bytes);
}

// The next two functions are send() and receive() in a loop. They check once what send() and receive() check
// for each message.

void Wire::send_upwards(int first, int count, const std::byte* base, std::span<const Block> blocks) {
    note_messages(count);
    const auto ranks = static_cast<int>(blocks.size());
    auto* const from = const_cast<std::byte*>(base); // which is only read
    start_all<true>(first, std::min(first + count, ranks), from, blocks.data());
    if (first + count > ranks) start_all<true>(0, first + count - ranks, from, blocks.data());
}

void Wire::receive_downwards(int first, int count, std::byte* base, std::span<const Block> blocks) {
    note_messages(count);
    const auto ranks = static_cast<int>(blocks.size());
    start_all<false>(first, std::max(first - count, -1), base, blocks.data());
    if (first - count < -1) start_all<false>(ranks - 1, first - count + ranks, base, blocks.data());
}

// Counts all that was `sent`, where each block from `first` to before `end` was one message or none. Most
// ranks are far, so this function looks only at the near ranks.
inline void Wire::count_sent_upwards(int first, int end, const Block* blocks, Traffic& sent) {
    if (const NodeMap* const map = group_->node_map) {
        sent.messages_inter = sent.messages;
        sent.bytes_inter = sent.bytes;
        for (const int near : map->ranks_of(envelope_.own_node)) {
            if (near < first) continue;
            if (near >= end) break;
            const std::size_t bytes = blocks[near].size;
            sent.messages_inter -= bytes != 0 ? 1 : 0;
            sent.bytes_inter -= bytes;
        }
    }
    traffic_->add_sent(sent);
}

// Starts the transfers with the ranks from `first` up or down to before `end`, of blocks that are one message
// or none. Returns the first rank that it left out: its block is longer, its message could not be started,
// the ranks have other numbers in the communicator, or there is no room for so many messages.
template <bool sends>
int Wire::start_singles(int first, int end, std::byte* base, const Block* blocks) {
    if (envelope_.members != nullptr || !has_room(static_cast<std::size_t>(std::abs(end - first))))
        return first;
    const Envelope other = envelope_;
    const MPI_Comm comm = mpi_of(other.comm);
    const std::size_t most = limit_ - 1;
    MPI_Request* request = as_requests(requests_) + count_;
    Message* message = messages_.data() + count_;
    Traffic sent;
    int peer = first;
    for (; peer != end; peer += sends ? 1 : -1) {
        const Block& block = blocks[peer];
        if (block.size - 1 > most) [[unlikely]] {
            if (block.size == 0) continue;
            break;
        }
        std::byte* const data = base + block.offset;
        const auto bytes = static_cast<int>(block.size);
        const int rank = other.rank_in_carrier(peer);
        const int code = sends ? PMPI_Isend(data, bytes, MPI_BYTE, rank, other.tag, comm, request)
                               : PMPI_Irecv(data, bytes, MPI_BYTE, rank, other.tag, comm, request);
        if (code != MPI_SUCCESS) [[unlikely]] {
            keep(code);
            break;
        }
        ++request;
        message++->begin({peer, sends}, data, block.size);
        if (sends) sent.bytes += block.size;
    }
    const auto count = static_cast<std::size_t>(request - as_requests(requests_));
    if (sends) {
        sent.messages = count - count_;
        count_sent_upwards(first, peer, blocks, sent);
    }
    count_ = count;
    return peer;
}

// Starts the transfers with all ranks from `first` up or down to before `end`.
template <bool sends>
void Wire::start_all(int first, int end, std::byte* base, const Block* blocks) {
    for (int peer = first; peer != end; peer += sends ? 1 : -1) {
        peer = start_singles<sends>(peer, end, base, blocks);
        if (peer == end) return;
        if (sends)
            send(peer, base + blocks[peer].offset, blocks[peer].size);
        else
            receive(peer, base + blocks[peer].offset, blocks[peer].size);
    }
}

bool Wire::begin_pieces() {
    if (count_ == 0) messages_left_.clear();
    if (!make_room(messages_left_)) return false;
    messages_left_.push_back(0);
    return true;
}

void Wire::send_pieces(int destination, const std::byte* data, std::size_t bytes) {
    if (!begin_pieces()) return;
    const int transfer = static_cast<int>(messages_left_.size()) - 1;
    for (std::size_t done = 0; done < bytes && has_room();) {
        const std::size_t size = std::min(bytes - done, limit_);
        const int code = isend(data + done, static_cast<int>(size), MPI_BYTE, destination);
        if (started(code, {destination, true}, nullptr, 0, transfer)) {
            ++messages_left_.back();
            count_sent(destination, 1, size);
        }
        done += size;
    }
}

void Wire::receive_pieces(int source, std::byte* data, std::size_t bytes) {
    if (!begin_pieces()) return;
    const int transfer = static_cast<int>(messages_left_.size()) - 1;
    for (std::size_t done = 0; done < bytes && has_room();) {
        const std::size_t size = std::min(bytes - done, limit_);
        const int code = irecv(data + done, static_cast<int>(size), MPI_BYTE, source);
        if (started(code, {source, false}, data, bytes, transfer)) ++messages_left_.back();
        done += size;
    }
}

// Starts one message of the noted fragments. Their number and sizes fit into MPI's integers.
void Wire::transfer_fragments(const Completion& transfer, std::size_t bytes) {
    if (has_room()) {
        const Type type(fragment_bytes_, fragment_addresses_);
        int code = type.code();
        if (code == MPI_SUCCESS)
            code = transfer.sent ? isend(MPI_BOTTOM, 1, type.get(), transfer.peer)
                                 : irecv(MPI_BOTTOM, 1, type.get(), transfer.peer);
        if (started(code, transfer, nullptr, 0, static_cast<int>(messages_left_.size()) - 1)) {
            ++messages_left_.back();
            if (transfer.sent) count_sent(transfer.peer, 1, bytes);
        }
    }
    fragment_bytes_.clear();
    fragment_addresses_.clear();
}

// Messages are cut only by bytes, never at the borders of parts: the other side does not know the parts.
void Wire::transfer_parts(const Completion& transfer, std::span<const Part> parts) {
    simulation::note_parts(parts.size());
    std::size_t fragments = parts.size(), message = 0;
    for (const Part& part : parts) fragments += part.bytes / limit_ + 1;
    if (!begin_pieces() || !make_room(fragment_bytes_, fragments) ||
        !make_room(fragment_addresses_, fragments))
        return;
    for (const Part& part : parts) {
        for (std::size_t done = 0; done < part.bytes;) {
            const std::size_t fragment = std::min(part.bytes - done, limit_ - message);
            MPI_Aint address = 0;
            PMPI_Get_address(part.data + done, &address);
            fragment_bytes_.push_back(static_cast<int>(fragment));
            fragment_addresses_.push_back(address);
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

// ---- Waiting --------------------------------------------------------------------------------------------

// Call it before messages end: so it sees the most messages under way without a look at every start.
inline void Wire::note_under_way() {
    const Wire* const other = first_ != nullptr ? first_ : second_.get();
    traffic_->most_under_way =
        std::max(traffic_->most_under_way, static_cast<std::uint32_t>(count_ + other->count_));
}

// Waits for one request after another, since each wait gives the request's own error code. Waitall has one
// code for all. (In both cases MPICH calls the error handler of MPI_COMM_WORLD instead of our communicator's.
// No call that waits avoids this.)
Status Wire::wait_all() {
    pass_time();
    if (count_ > 0) {
        note_under_way();
        ++traffic_->rounds;
        if (group_->carrier.alarm != nullptr)
            wait_watching(*group_->carrier.alarm);
        else if (watcher_ != nullptr)
            wait_telling();
        MPI_Request* const end = as_requests(requests_) + count_;
        for (MPI_Request* request = as_requests(requests_) + std::min(waited_for_, count_); request != end;
             ++request)
            if (const int code = PMPI_Wait(request, MPI_STATUS_IGNORE); code != MPI_SUCCESS) keep(code);
        count_ = 0;
    }
    waited_for_ = 0;
    return std::exchange(error_, {});
}

// A request that is over is MPI_REQUEST_NULL, so later waits skip it.
Status Wire::wait_for_first(std::size_t messages) {
    pass_time();
    note_under_way();
    for (const std::size_t end = std::min(messages, count_); waited_for_ < end; ++waited_for_) {
        if (auto* const alarm = group_->carrier.alarm)
            watch(waited_for_, *alarm); // where it rings, requests end at once
        if (const int code = PMPI_Wait(as_requests(requests_) + waited_for_, MPI_STATUS_IGNORE);
            code != MPI_SUCCESS)
            keep(code);
    }
    return error_;
}

void Wire::wait_for_sends() {
    pass_time();
    note_under_way();
    bool waited = false;
    for (std::size_t i = count_; i-- > 0;) {
        if (!messages_[i].completion.sent) continue;
        if (auto* const alarm = group_->carrier.alarm) watch(i, *alarm);
        keep(PMPI_Wait(as_requests(requests_) + i, MPI_STATUS_IGNORE));
        finish(i);
        waited = true;
    }
    if (waited) ++traffic_->rounds;
}

// Cancelled receives are waited for like all others. A receive that found its message all
// the same keeps its error.
void Wire::cancel_receive(int source) {
    for (std::size_t i = 0; i < count_; ++i) {
        const Completion& completion = messages_[i].completion;
        if (!completion.sent && completion.peer == source) PMPI_Cancel(as_requests(requests_) + i);
    }
}

// Waits until the request is over or the alarm rings. False: the alarm rings, and all requests end at once.
bool Wire::watch(std::size_t request, Alarm& alarm) {
    for (int is_over = 0; is_over == 0;) {
        if (alarm.rings()) return false;
        keep(PMPI_Test(as_requests(requests_) + request, &is_over, MPI_STATUS_IGNORE));
    }
    return true;
}

void Wire::wait_watching(Alarm& alarm) {
    while (count_ > 0) {
        if (!watch(count_ - 1, alarm)) return;
        finish(count_ - 1);
    }
}

// Takes a request that is over off the list. Returns its transfer, where this was the
// transfer's last message.
std::optional<Completion> Wire::finish(std::size_t request) {
    const Message message = messages_[request];
    --count_;
    as_requests(requests_)[request] = as_requests(requests_)[count_];
    messages_[request] = messages_[count_];
    if (message.transfer != alone && --messages_left_[static_cast<std::size_t>(message.transfer)] > 0)
        return std::nullopt;
    if (watcher_ != nullptr && !message.completion.sent && message.data != nullptr)
        watcher_->completed(message.data, message.bytes);
    return message.completion;
}

// Waits for some requests at a time, as they end. After an error that belongs to no request,
// wait_all() waits for the rest.
void Wire::wait_telling() {
    std::vector<MPI_Status> statuses;
    done_.clear();
    if (!make_room(done_, count_) || !make_room(statuses, count_)) return;
    done_.resize(count_);
    statuses.resize(count_);
    while (count_ > 0) {
        int count = 0, error_class = MPI_SUCCESS;
        const int code = PMPI_Waitsome(static_cast<int>(count_), as_requests(requests_), &count, done_.data(),
                                       statuses.data());
        if (code != MPI_SUCCESS) PMPI_Error_class(code, &error_class);
        if (count == MPI_UNDEFINED || count <= 0 || (code != MPI_SUCCESS && error_class != MPI_ERR_IN_STATUS))
            return keep(code);
        if (code != MPI_SUCCESS)
            for (int i = 0; i < count; ++i) keep(statuses[static_cast<std::size_t>(i)].MPI_ERROR);
        // From the back, since finish() puts the last request into the place of the finished one.
        std::sort(done_.begin(), done_.begin() + count, std::greater<>());
        for (int i = 0; i < count; ++i) finish(static_cast<std::size_t>(done_[static_cast<std::size_t>(i)]));
    }
}

std::optional<Completion> Wire::wait_any() {
    pass_time();
    note_under_way();
    if (auto* const alarm = group_->carrier.alarm)
        while (count_ > 0 && !alarm->rings())
            if (auto completion = test_any()) return completion;
    while (count_ > 0) {
        int index = MPI_UNDEFINED;
        const int code =
            PMPI_Waitany(static_cast<int>(count_), as_requests(requests_), &index, MPI_STATUS_IGNORE);
        keep(code);
        if (index < 0 ||
            index == MPI_UNDEFINED) { // an error that belongs to no request: take the first request
            index = 0;
            keep(PMPI_Wait(as_requests(requests_), MPI_STATUS_IGNORE));
        }
        if (auto completion = finish(static_cast<std::size_t>(index))) {
            ++traffic_->rounds;
            return completion;
        }
    }
    return std::nullopt;
}

std::optional<Completion> Wire::test_any() {
    pass_time();
    if (count_ == 0) return std::nullopt;
    note_under_way();
    if (group_->carrier.alarm != nullptr) group_->carrier.alarm->rings(); // then a request ends with an error
    int index = MPI_UNDEFINED, is_over = 0;
    int code =
        PMPI_Testany(static_cast<int>(count_), as_requests(requests_), &index, &is_over, MPI_STATUS_IGNORE);
    keep(code);
    if (code == MPI_SUCCESS && is_over == 0) {
        // While other requests are under way, SimGrid's Testany does not report small sends, which are over
        // at once. Therefore each request is also tested by itself, in turn.
        next_asked_ = (next_asked_ + 1) % count_;
        index = static_cast<int>(next_asked_);
        code = PMPI_Test(as_requests(requests_) + next_asked_, &is_over, MPI_STATUS_IGNORE);
        keep(code);
        if (code == MPI_SUCCESS && is_over == 0) return std::nullopt;
    }
    if (index < 0 || index == MPI_UNDEFINED) { // as in wait_any
        index = 0;
        keep(PMPI_Wait(as_requests(requests_), MPI_STATUS_IGNORE));
    }
    auto completion = finish(static_cast<std::size_t>(index));
    if (completion) ++traffic_->rounds;
    return completion;
}

void Wire::probe(Comm comm) {
    int arrived = 0;
    PMPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, mpi_of(comm), &arrived, MPI_STATUS_IGNORE);
}

// ---- Both -----------------------------------------------------------------------------------------------

Status Wire::exchange(int destination, const std::byte* out, std::size_t out_bytes, int source, std::byte* in,
                      std::size_t in_bytes) {
    receive(source, in, in_bytes);
    send(destination, out, out_bytes);
    return wait_all();
}

// `call` gets a datatype that has a block.
template <typename Call>
Status Wire::exchange_by_mpi(const std::byte* out, std::byte* in, std::size_t block, Call&& call) {
    pass_time();
    if (block == 0 || group_->size == 1) {
        if (block != 0) std::copy_n(out, block, in);
        return {};
    }
    for (int peer = 0; peer < group_->size; ++peer)
        if (peer != group_->rank) count_sent(peer, 1, block);
    ++traffic_->rounds;
    const std::size_t fragments = block / largest_message + 1;
    if (!make_room(fragment_bytes_, fragments) || !make_room(fragment_addresses_, fragments))
        return std::exchange(error_, {});
    for (std::size_t done = 0; done < block;) { // a block is one item, since MPI counts with int
        const std::size_t fragment = std::min(block - done, largest_message);
        fragment_bytes_.push_back(static_cast<int>(fragment));
        fragment_addresses_.push_back(static_cast<MPI_Aint>(done));
        done += fragment;
    }
    const Type item(fragment_bytes_, fragment_addresses_);
    fragment_bytes_.clear();
    fragment_addresses_.clear();
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
