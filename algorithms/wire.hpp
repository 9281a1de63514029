// The only sender: bytes between two ranks of a group, through PMPI, any size, counted.
#pragma once

#include "group.hpp"
#include "part.hpp"
#include "patterns/batches.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace switchyard::algorithms {

// An MPI error code of the library in use; MPI_SUCCESS when all went well.
struct [[nodiscard]] Status {
    int code = MPI_SUCCESS;
    bool ok() const { return code == MPI_SUCCESS; }
    // Remembers the first error. An exchange goes on after one: the other ranks wait for our messages.
    void keep(Status later) {
        if (ok()) code = later.code;
    }
};

// What one rank sent since the last reset.
struct Traffic {
    std::uint64_t messages = 0; // as handed to MPI: a transfer over the limit counts several
    std::uint64_t bytes = 0;
    std::uint32_t rounds = 0; // waits with something to wait for: how often the rank stood still for others
    std::uint32_t most_under_way = 0; // messages at once, sent and received
    // Of those, to ranks of other nodes.
    std::uint64_t messages_inter = 0, bytes_inter = 0;
};

// A transfer that is over.
struct Landed {
    int peer;
    bool sent; // else received
};

// Somebody who wants to know of each receive that is over, as soon as the wire knows.
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
    // Largest single MPI message, in bytes; longer transfers are split on both sides alike.
    static constexpr std::size_t largest_message = std::size_t{1} << 30;
    static constexpr int largest_batch = patterns::largest_batch;

    // `limit` is the same on all ranks of the group; anything but the default is for tests.
    explicit Wire(const Group& group, std::size_t limit = largest_message);

    // While it lives, peers are ranks of another group of the same communicator. Nothing may be under way
    // when it begins or ends.
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

    // Starts a transfer; the buffer belongs to the wire until wait_all(). Zero bytes send nothing, so both
    // sides must know the size. Receives must be exact, except that a receive of at most limit() may be
    // longer than what arrives. What goes wrong here is reported by wait_all(), so that nothing under way is
    // ever left behind.
    void send(int destination, const std::byte* data, std::size_t bytes);
    void receive(int source, std::byte* data, std::size_t bytes);
    // The same for bytes that lie in several places, taken and put there by a derived datatype, without a
    // copy of ours. What travels is the same as if they lay in one piece, so the other side may use either
    // form. The list of parts is read at once and is the caller's again.
    void send_parts(int destination, std::span<const Part> parts);
    void receive_parts(int source, std::span<const Part> parts);

    // Waits for everything started; one round in the count. The first error since the last wait, if any.
    Status wait_all();
    // Waits until any one transfer is over; each is one round in the count. Nothing: none is under way. What
    // went wrong is left for wait_all(), which ends such an exchange.
    std::optional<Landed> wait_any();
    // The same without waiting: nothing where none is over yet.
    std::optional<Landed> test_any();
    bool is_idle() const { return requests_.empty(); }
    // Messages that were started and not yet waited for.
    std::size_t under_way() const { return requests_.size(); }

    // A round: one send and one receive, then wait.
    Status exchange(int destination, const std::byte* out, std::size_t out_bytes, int source, std::byte* in,
                    std::size_t in_bytes);

    // The MPI library's own uniform exchange over the group: the block at out + i * block goes to rank i, the
    // one from rank i to in + i * block. Only of a whole communicator. Counts as one round with a message for
    // every other rank; what MPI makes of it is its own affair.
    Status alltoall(const std::byte* out, std::byte* in, std::size_t block);

    // Tells of landings from here on, but for those that lie in several places; null: tells nobody.
    void tell(Landings* landings) { landings_ = landings; }

    std::size_t limit() const { return limit_; }
    const Traffic& traffic() const { return traffic_; }
    void reset() { traffic_ = {}; }

  private:
    struct Transfer {
        Landed landed;
        int messages;                    // still under way
        const std::byte* data = nullptr; // of a receive into one place
        std::size_t bytes = 0;
    };
    template <typename T>
    bool make_room(std::vector<T>& list, std::size_t more = 1);
    template <typename Start>
    void start(Start&& start_one);
    bool begin(int peer, bool sent);
    void transfer(int peer, bool sent, std::byte* data, std::size_t bytes);
    void transfer_parts(int peer, bool sent, std::span<const Part> parts);
    void transfer_pieces(int peer, bool sent, std::size_t bytes);
    std::optional<Landed> finish(std::size_t request);
    void wait_telling();
    void count_sent(int peer, std::uint64_t messages, std::uint64_t bytes);
    void keep(int code);

    const Group* group_;
    std::size_t limit_;
    // These grow only where transfers are split, or where there are more than largest_batch pairs between
    // two times that nothing is under way.
    std::vector<MPI_Request> requests_;
    std::vector<std::size_t> transfer_of_; // of each request
    std::size_t next_asked_ = 0;           // by test_any
    std::vector<Transfer> transfers_;      // begun since the last time all were over
    // The pieces of one message that lie in several places.
    std::vector<int> piece_bytes_;
    std::vector<MPI_Aint> piece_addresses_;
    Landings* landings_ = nullptr;
    // Of requests_, while somebody is told.
    std::vector<int> done_;
    std::vector<MPI_Status> statuses_;
    int error_ = MPI_SUCCESS; // first one since the last wait
    Traffic traffic_;
};

} // namespace switchyard::algorithms
