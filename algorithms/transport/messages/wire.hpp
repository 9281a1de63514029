// The only sender. It moves any number of bytes between two ranks of a group, through PMPI.
//
// Words: a transfer is one call of send() or receive(). It takes several messages where it is longer than the
// limit. Bytes that lie in several places are parts. A fragment is what one message carries of one part.
//
//   wire.cpp         where messages go, and how they start
//   wire_long.cpp    transfers of several messages, of several parts, and by MPI's own exchange
//   wire_waits.cpp   how messages end
//   under_way.hpp    the messages between start and end
//   meter.hpp        what they cost
#pragma once

#include "algorithms/block.hpp"
#include "algorithms/group.hpp"
#include "algorithms/patterns/batches.hpp"
#include "algorithms/status.hpp"
#include "meter.hpp"
#include "part.hpp"
#include "under_way.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

namespace switchyard::algorithms {

// Hears of the end of each receive, as soon as the wire knows.
class CompletionWatcher {
  public:
    virtual ~CompletionWatcher() = default;
    virtual void completed(const std::byte* data, std::size_t bytes) = 0;

  protected:
    CompletionWatcher() = default;
    CompletionWatcher(const CompletionWatcher&) = default;
    CompletionWatcher& operator=(const CompletionWatcher&) = default;
};

class Wire {
  public:
    // The largest single MPI message in bytes. Both sides split longer transfers in the same way.
    static constexpr std::size_t largest_message = std::size_t{1} << 30;
    static constexpr int largest_batch = patterns::largest_batch;

    // The most sends that an algorithm has under way at once, and the most receives, where no parameter of
    // its own says fewer. All ranks cut their batches by this number.
    int batch() const { return batch_; }
    // Alike on all ranks, and while nothing is under way.
    void limit_batch(int pairs) { batch_ = second_->batch_ = pairs; }

    // `limit` is the same on all ranks of the group. Other values than the default are for tests.
    // `tag_offset`: added to the tag of the group; wires with different offsets do not meet.
    explicit Wire(const Group& group, std::size_t limit = largest_message, int tag_offset = 0);
    Wire(const Wire&) = delete;
    Wire& operator=(const Wire&) = delete;
    ~Wire() = default;

    // A second wire between the same ranks. Its transfers are waited for by themselves. Both wires count into
    // one Traffic. Its peers are ranks of the whole group. Its messages meet no message of this wire, and
    // none that it carried before the last take_second_channel(). So a receive that is cancelled late gets no
    // message of the next exchange.
    Wire& take_second_channel();
    const Wire& second_channel() const { return *second_; }
    // The tags of a group: its own, and two for the second channel.
    static constexpr int tags = 3;

    // While this object lives, peers are ranks of another group of the same communicator. Nothing may be
    // under way when it begins or ends.
    class Within {
      public:
        Within(Wire& wire, const Group& group) : wire_(wire), outer_(wire.group_) { wire.look_at(group); }
        Within(const Within&) = delete;
        Within& operator=(const Within&) = delete;
        ~Within() { wire_.look_at(*outer_); }

      private:
        Wire& wire_;
        const Group* outer_;
    };

    // Starts a transfer. The buffer belongs to the wire until wait_all(). Zero bytes send no message, so both
    // sides must know the size. A receive must have the size of the send; only a receive of at most limit()
    // bytes may be larger. wait_all() reports the errors of a start, so that no transfer is left under way.
    void send(int destination, const std::byte* data, std::size_t bytes);
    void receive(int source, std::byte* data, std::size_t bytes);
    // The same with `count` ranks, from `first` up or down the ring. Block i is rank i's.
    void send_upwards(int first, int count, const std::byte* base, std::span<const Block> blocks);
    void receive_downwards(int first, int count, std::byte* base, std::span<const Block> blocks);
    // Ends all transfers from that rank, whose messages will not come. wait_all() reports no error for them.
    void cancel_receive(int source);
    // send() and receive() for bytes that lie in several parts. A derived datatype gathers and scatters the
    // bytes, without a copy of ours. The messages are the same as for contiguous bytes, so the other side may
    // use either form. The list of parts is the caller's again after the call.
    void send_parts(int destination, std::span<const Part> parts);
    void receive_parts(int source, std::span<const Part> parts);

    // Waits for the first `messages` messages that were started since nothing was under way. Their bytes can
    // be used while other messages are under way. Returns the first error since the last wait_all(). A
    // wait_all() must follow. Not allowed with a watcher.
    Status wait_for_first(std::size_t messages);
    // The number of messages of a transfer of `bytes` bytes.
    std::size_t messages_of(std::size_t bytes) const {
        return bytes / limit_ + (bytes % limit_ == 0 ? 0 : 1);
    }
    // Waits for all transfers. Counts one round. Returns the first error since the last wait.
    Status wait_all();
    // Waits for all sends. Counts one round. wait_all() reports the errors.
    void wait_for_sends();
    // Waits until one transfer is over. Counts one round. Nothing: no transfer is under way. wait_all()
    // reports the errors, so such an exchange ends with wait_all().
    std::optional<Completion> wait_any();
    // The same without waiting. Nothing: no transfer is over yet.
    std::optional<Completion> test_any();
    bool is_idle() const { return under_way() == 0; }
    // Messages that are under way.
    std::size_t under_way() const { return under_way_.count(); }

    // One round: one send, one receive, and the wait for both.
    Status exchange(int destination, const std::byte* out, std::size_t out_bytes, int source, std::byte* in,
                    std::size_t in_bytes);

    // The MPI library's own uniform exchange: the block at out + i * block goes to rank i, and the block of
    // rank i comes to in + i * block. The group must be a whole communicator. Counts one round with one
    // message to every other rank, whatever MPI does.
    Status alltoall(const std::byte* out, std::byte* in, std::size_t block);
    // The same by the exchange with counts. `numbers`: room for two for each rank.
    Status alltoall_with_counts(const std::byte* out, std::byte* in, std::size_t block,
                                std::span<int> numbers);

    // From here on `watcher` hears of receives, except receives into several parts. Null: no object hears.
    void tell(CompletionWatcher* watcher) { watcher_ = watcher; }

    // The phase begins.
    void enter(Phase phase) { meter_.enter(phase); }
    Meter& meter() { return meter_; }

    // Lets MPI work on the messages of a communicator.
    static void probe(Comm comm);
    // Lets MPI work on the transfers that are under way, while the rank copies. A simulator's messages travel
    // by themselves.
    void progress() const {
        if (!simulation::is_on && !is_idle()) probe(envelope_.comm);
    }

    std::size_t limit() const { return limit_; }
    const Traffic& traffic() const { return meter_.traffic(); }
    // Call it before each exchange: counts begin anew, and the group may have another carrier.
    void reset() {
        meter_.reset();
        look_at(*group_);
        second_->look_at(*group_);
    }

  private:
    explicit Wire(Wire& first);
    template <typename Call>
    Status exchange_by_mpi(const std::byte* out, std::byte* in, std::size_t block, Call&& call);
    // Where the messages of the group go. It is in one place, since each message asks for it.
    struct Envelope {
        Comm comm;
        int tag;
        const int* members;       // Group::members
        const int* carrier_ranks; // Carrier::ranks
        const int* node_of;       // by rank in the communicator; null: all are on one node
        int own_node;

        int rank_in_comm(int peer) const { return members == nullptr ? peer : members[peer]; }
        int rank_in_carrier(int known_as) const {
            return carrier_ranks == nullptr ? known_as : carrier_ranks[known_as];
        }
        bool is_near(int known_as) const { return node_of == nullptr || node_of[known_as] == own_node; }
    };
    void look_at(const Group& group);
    bool has_room(std::size_t more = 1) { return under_way_.has_room(more) || widen(more); }
    bool widen(std::size_t more);
    // Keeps the error where there is no memory.
    bool made(bool room) {
        if (!room) keep(Fault::no_memory);
        return room;
    }
    // Whether MPI started a message, whose request is the first that is not under way.
    bool started(int code) {
        if (code == 0) [[likely]]
            return true;
        keep(code);
        return false;
    }
    void count_sent(int peer, std::uint64_t messages, std::uint64_t bytes) {
        meter_.count_sent(messages, bytes, envelope_.is_near(envelope_.rank_in_comm(peer)));
    }
    template <bool sends>
    void start_all(int first, int end, std::byte* base, const Block* blocks);
    template <bool sends>
    int start_singles(int first, int end, std::byte* base, const Block* blocks);
    void count_sent_upwards(int first, int end, const Block* blocks, Traffic& sent);
    void send_pieces(int destination, const std::byte* data, std::size_t bytes);
    void receive_pieces(int source, std::byte* data, std::size_t bytes);
    void transfer_parts(const Completion& transfer, std::span<const Part> parts);
    void transfer_fragments(const Completion& transfer, std::size_t bytes);
    void note_messages(int count);
    void note_under_way();
    std::optional<Completion> finish(std::size_t request);
    void wait_telling();
    bool watch(std::size_t request, Alarm& alarm);
    void wait_watching(Alarm& alarm);
    template <typename Datatype>
    int isend(const void* data, int count, Datatype type, int peer);
    template <typename Datatype>
    int irecv(void* data, int count, Datatype type, int peer);
    void keep(int code_of_mpi) { keep(Status(code_of_mpi)); }
    void keep(Status status);

    const Group* group_;
    Envelope envelope_{}; // of the group
    std::size_t limit_;
    int batch_ = largest_batch;
    int tag_offset_ = 0; // from the tag of the group
    Meter meter_;
    UnderWay under_way_;
    Fragments fragments_;
    std::size_t waited_for_ = 0; // of the messages under way, already waited for by wait_for_first()
    std::size_t next_asked_ = 0; // by test_any
    CompletionWatcher* watcher_ = nullptr;
    std::vector<int> done_; // of the messages under way, while `watcher_` hears
    Status error_;          // the first error since the last wait
    Wire* first_ = nullptr; // for a second channel: the wire that has it
    std::unique_ptr<Wire> second_;
};

} // namespace switchyard::algorithms
