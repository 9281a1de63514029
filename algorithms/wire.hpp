// The only sender. It moves any number of bytes between two ranks of a group, through PMPI, and counts them.
//
// Words: a transfer is one call of send() or receive(). It takes several messages where it is longer than the
// limit. Bytes that lie in several places are parts. A fragment is the share that one message carries of one
// part.
#pragma once

#include "group.hpp"
#include "part.hpp"
#include "patterns/batches.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

namespace switchyard::algorithms {

// An error code of the MPI library in use, or MPI_SUCCESS.
struct [[nodiscard]] Status {
    int code = MPI_SUCCESS;
    bool ok() const { return code == MPI_SUCCESS; }
    // Remembers the first error. An exchange goes on after an error, since other ranks wait for our messages.
    void keep(Status later) {
        if (ok()) code = later.code;
    }
};

// The messages that one rank sent since the last reset.
struct Traffic {
    std::uint64_t messages = 0; // as MPI sees them: a transfer over the limit counts several
    std::uint64_t bytes = 0;
    std::uint32_t rounds = 0;         // waits of the rank for others
    std::uint32_t most_under_way = 0; // messages at once, sent and received
    // The share to ranks of other nodes.
    std::uint64_t messages_inter = 0, bytes_inter = 0;
};

// The end of a transfer.
struct Landed {
    int peer;
    bool sent; // false: received
};

// Hears of the end of each receive, as soon as the wire knows.
class Landings {
  public:
    virtual ~Landings() = default;
    virtual void landed(const std::byte* data, std::size_t bytes) = 0;

  protected:
    Landings() = default;
    Landings(const Landings&) = default;
    Landings& operator=(const Landings&) = default;
};

class Wire {
  public:
    // The largest single MPI message in bytes. Both sides split longer transfers in the same way.
    static constexpr std::size_t largest_message = std::size_t{1} << 30;
    static constexpr int largest_batch = patterns::largest_batch;

    // `limit` is the same on all ranks of the group. Other values than the default are for tests.
    explicit Wire(const Group& group, std::size_t limit = largest_message);
    Wire(const Wire&) = delete;
    Wire& operator=(const Wire&) = delete;
    ~Wire() = default;

    // A second wire between the same ranks, whose transfers are waited for by themselves. Both count into one Traffic. Its
    // peers are ranks of the whole group. Its messages meet no message of this wire, and none that it carried before the
    // last take_aside(): a receive that is cancelled late gets no message of the next exchange.
    Wire& take_aside();
    const Wire& aside() const { return *aside_; }
    // Tags of a group: its own, and those of the wire aside.
    static constexpr int tags = 3;

    // While this object lives, peers are ranks of another group of the same communicator. Nothing may be
    // under way when it begins or ends.
    class Within {
      public:
        Within(Wire& wire, const Group& group) : wire_(wire), outer_(wire.group_) { wire.group_ = &group; }
        Within(const Within&) = delete;
        Within& operator=(const Within&) = delete;
        ~Within() { wire_.group_ = outer_; }

      private:
        Wire& wire_;
        const Group* outer_;
    };

    // Starts a transfer. The buffer belongs to the wire until wait_all(). Zero bytes send no message, so both
    // sides must know the size. A receive must have the size of the send; only a receive of at most limit()
    // bytes may be larger. wait_all() reports the errors of a start, so that no transfer is left under way.
    void send(int destination, const std::byte* data, std::size_t bytes);
    void receive(int source, std::byte* data, std::size_t bytes);
    // Ends all transfers from that rank, whose messages will not come. wait_all() reports no error of theirs.
    void cancel_receive(int source);
    // The same for bytes that lie in several parts. A derived datatype takes them and puts them there,
    // without a copy of ours. The messages are the same as for contiguous bytes, so the other side may use
    // either form. The list of parts is the caller's again after the call.
    void send_parts(int destination, std::span<const Part> parts);
    void receive_parts(int source, std::span<const Part> parts);

    // Waits for all transfers. Counts one round. Returns the first error since the last wait.
    Status wait_all();
    // Waits for all sends. Counts one round. wait_all() reports the errors.
    void wait_for_sends();
    // Waits until one transfer is over. Counts one round. Nothing: no transfer is under way. wait_all()
    // reports the errors, so such an exchange ends with it.
    std::optional<Landed> wait_any();
    // The same without waiting. Nothing: no transfer is over yet.
    std::optional<Landed> test_any();
    bool is_idle() const { return requests_.empty(); }
    // Messages that are under way.
    std::size_t under_way() const { return requests_.size(); }

    // One round: one send, one receive, and the wait for both.
    Status exchange(int destination, const std::byte* out, std::size_t out_bytes, int source, std::byte* in,
                    std::size_t in_bytes);

    // The MPI library's own uniform exchange: the block at out + i * block goes to rank i, and the block of
    // rank i comes to in + i * block. The group must be a whole communicator. Counts one round with one
    // message to every other rank, whatever MPI does.
    Status alltoall(const std::byte* out, std::byte* in, std::size_t block);

    // `landings` hears of receives from here on, except of receives into several parts. Null: no object hears.
    void tell(Landings* landings) { landings_ = landings; }

    std::size_t limit() const { return limit_; }
    const Traffic& traffic() const { return *traffic_; }
    void reset() { *traffic_ = {}; }

  private:
    explicit Wire(Wire& beside);
    struct Transfer {
        Landed landed;
        int messages;                    // still under way
        const std::byte* data = nullptr; // of a receive of contiguous bytes
        std::size_t bytes = 0;
    };
    template <typename T>
    bool make_room(std::vector<T>& list, std::size_t more = 1);
    template <typename Start>
    void start(Start&& start_one);
    bool begin(int peer, bool sent);
    void transfer(int peer, bool sent, std::byte* data, std::size_t bytes);
    void transfer_parts(int peer, bool sent, std::span<const Part> parts);
    void transfer_fragments(int peer, bool sent, std::size_t bytes);
    std::optional<Landed> finish(std::size_t request);
    void wait_telling();
    bool watch(MPI_Request& request, Alarm& alarm);
    void wait_watching(Alarm& alarm);
    void count_sent(int peer, std::uint64_t messages, std::uint64_t bytes);
    void keep(int code);

    const Group* group_;
    std::size_t limit_;
    int tag_offset_ = 0; // from the tag of the group
    // These lists grow only where transfers are split, or where more than largest_batch pairs begin before
    // all transfers are over.
    std::vector<MPI_Request> requests_;
    std::vector<std::size_t> transfer_of_; // of each request
    std::size_t next_asked_ = 0;           // by test_any
    std::vector<Transfer> transfers_;      // begun since the last time that all were over
    // The fragments of one message.
    std::vector<int> fragment_bytes_;
    std::vector<MPI_Aint> fragment_addresses_;
    Landings* landings_ = nullptr;
    // Of requests_, while `landings_` hears.
    std::vector<int> done_;
    std::vector<MPI_Status> statuses_;
    int error_ = MPI_SUCCESS; // the first error since the last wait
    Traffic own_traffic_;
    Traffic* traffic_ = &own_traffic_;
    Wire* beside_ = nullptr; // of an aside
    std::unique_ptr<Wire> aside_;
};

} // namespace switchyard::algorithms
