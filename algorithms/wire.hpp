// The only sender: bytes between two ranks of a group, through PMPI, any size, counted.
#pragma once

#include "group.hpp"

#include <cstddef>
#include <cstdint>
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
};

class Wire {
  public:
    // Largest single MPI message, in bytes; longer transfers are split on both sides alike.
    static constexpr std::size_t largest_message = std::size_t{1} << 30;
    // Most transfers an algorithm should have under way at once, sends and receives counted in pairs: enough
    // to fill any network, few enough not to exhaust a network card's match entries.
    static constexpr int largest_batch = 512;

    // `limit` is the same on all ranks of the group; anything but the default is for tests.
    explicit Wire(const Group& group, std::size_t limit = largest_message);

    // Starts a transfer; the buffer belongs to the wire until wait_all(). Zero bytes send nothing, so both
    // sides must know the size. Receives must be exact, except that a receive of at most limit() may be
    // longer than what arrives. What goes wrong here is reported by wait_all(), so that nothing under way is
    // ever left behind.
    void send(int destination, const std::byte* data, std::size_t bytes);
    void receive(int source, std::byte* data, std::size_t bytes);
    // Waits for everything started; one round in the count. The first error since the last wait, if any.
    Status wait_all();

    // A round: one send and one receive, then wait.
    Status exchange(int destination, const std::byte* out, std::size_t out_bytes, int source, std::byte* in,
                    std::size_t in_bytes);

    std::size_t limit() const { return limit_; }
    const Traffic& traffic() const { return traffic_; }
    void reset() { traffic_ = {}; }

  private:
    template <typename Start>
    void start(Start&& start_one);
    void keep(int code);

    const Group& group_;
    std::size_t limit_;
    std::vector<MPI_Request> requests_; // grows only where transfers are split
    int error_ = MPI_SUCCESS;           // first one since the last wait
    Traffic traffic_;
};

} // namespace switchyard::algorithms
