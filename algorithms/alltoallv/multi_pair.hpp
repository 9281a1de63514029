// What the multi-pair exchanges have in common: the order of their pairs, and a window that slides over them.
//
// Pair i of a rank is a send to the rank i places up and a receive from the rank i places down, for i from 1
// to P - 1: what is one rank's i-th send is its partner's i-th receive.
#pragma once

#include "algorithms/algorithm.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace switchyard::algorithms::alltoallv {

// How many pairs may be under way at once.
inline std::int64_t stride_of(const Context& context) {
    return std::min<std::int64_t>(context.parameters[Parameter::stride], Wire::largest_batch);
}

inline void start_send(int i, const Exchange& exchange, Wire& wire) {
    const int destination = exchange.group.up(i);
    wire.send(destination, exchange.send_to(destination), exchange.send_size(destination));
}

inline void start_receive(int i, const Exchange& exchange, Wire& wire) {
    const int source = exchange.group.down(i);
    wire.receive(source, exchange.recv_from(source), exchange.recv_size(source));
}

// `stride` sends and `stride` receives under way, as long as there are as many left; one that has landed is
// replaced by the next of its kind.
//
// Why nothing blocks for ever: assume that ranks are stuck, and look at the unfinished transfers of smallest
// i, one of them from p to q. Everything before it has landed on p's side of sends and on q's side of
// receives, so each window has reached i: p has started this send, and q this receive. A send and a receive
// that are both under way end, whatever else does; so they were not stuck. Sends and receives have windows of
// their own, of at least one, so neither takes the other's place.
class Window {
  public:
    Window(const Exchange& exchange, Wire& wire, std::int64_t stride) : exchange_(exchange), wire_(wire) {
        for (std::int64_t pair = 0; pair < stride && !is_spent(); ++pair) {
            send_next();
            receive_next();
        }
    }

    void refill_after(const Landed& landed) {
        if (landed.sent) {
            send_next();
        } else {
            receive_next();
        }
    }

  private:
    bool is_spent() const { return next_send_ == exchange_.group.size && next_receive_ == next_send_; }
    void send_next() { start_next(next_send_, start_send); }
    void receive_next() { start_next(next_receive_, start_receive); }

    // Passes over what does not get under way (blocks of no bytes, on both sides alike, and errors, which the
    // wire keeps): nothing of it would ever land and make place for the next.
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
