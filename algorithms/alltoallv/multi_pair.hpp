// The order of the pairs of a multi-pair exchange, and a window that slides over them.
//
// Pair i of a rank, 1 <= i < P, is a send to the rank i places up and a receive from the rank i places down.
// So the i-th send of a rank is the i-th receive of its partner.
#pragma once

#include "algorithms/algorithm.hpp"
#include "algorithms/transport/messages/wire.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace switchyard::algorithms::alltoallv {

// The most pairs under way at once.
inline std::int64_t stride_of(const Context& context) {
    return std::min<std::int64_t>(context.parameters[Parameter::stride], context.wire.batch());
}

inline void start_send(int i, const Exchange& exchange, Wire& wire) {
    const int destination = exchange.group.up(i);
    wire.send(destination, exchange.send_to(destination), exchange.send_size(destination));
}

inline void start_receive(int i, const Exchange& exchange, Wire& wire) {
    const int source = exchange.group.down(i);
    wire.receive(source, exchange.recv_from(source), exchange.recv_size(source));
}

// Keeps `stride` sends and `stride` receives under way. A transfer that is over is replaced
// by the next of its kind.
//
// Why nothing blocks for ever. Assume that ranks are stuck. Look at the unfinished transfers with the
// smallest i, and among them at a transfer from p to q. All earlier sends of p and all earlier receives of q
// are over, so both windows have reached i: p has started this send, and q has started this receive. A
// send and a receive that are both under way end in any case, so they were not stuck. Sends and receives have
// windows of their own, so neither takes the place of the other.
class SlidingWindow {
  public:
    SlidingWindow(const Exchange& exchange, Wire& wire, std::int64_t stride)
        : exchange_(exchange), wire_(wire) {
        for (std::int64_t pair = 0; pair < stride && !is_spent(); ++pair) {
            send_next();
            receive_next();
        }
    }

    void refill_after(const Completion& completion) {
        if (completion.sent) {
            send_next();
        } else {
            receive_next();
        }
    }

  private:
    bool is_spent() const { return next_send_ == exchange_.group.size && next_receive_ == next_send_; }
    void send_next() { start_next(next_send_, start_send); }
    void receive_next() { start_next(next_receive_, start_receive); }

    // Skips transfers that do not get under way, since they never end and never make room for the next
    // transfer: blocks of no bytes, on both sides alike, and errors, which the wire keeps.
    template <typename Start>
    void start_next(int& next, Start&& start) {
        const std::size_t before = wire_.under_way();
        while (next < exchange_.group.size && wire_.under_way() == before) {
            start(next++, exchange_, wire_);
        }
    }

    const Exchange& exchange_;
    Wire& wire_;
    int next_send_ = 1, next_receive_ = 1;
};

} // namespace switchyard::algorithms::alltoallv
