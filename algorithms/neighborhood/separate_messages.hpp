// Blocks between neighbours, each in a message of its own.
#pragma once

#include "algorithms/exchange.hpp"
#include "algorithms/neighborhood.hpp"
#include "algorithms/transport/messages/wire.hpp"
#include "one_block.hpp"

#include <cstddef>

namespace switchyard::algorithms::neighborhood {

// Every block.
struct Everything {
    constexpr bool operator()(int, std::size_t) const { return true; }
};

// Sends and receives the blocks for which `is_direct(other rank, bytes)`. At most Wire::batch() sends and as
// many receives are under way.
//
// Why nothing blocks for ever. Assume that ranks are stuck. Look at the unfinished transfers between the
// nearest ranks, and among them at the one with the smallest occurrence, from p to q. All earlier sends of p
// and all earlier receives of q are over, since all ranks have the edges of one distance in the same place of
// their order. So p has started this send, and q this receive, and they end. Between two ranks messages
// arrive in the order of the occurrences.
template <typename IsDirect>
class SeparateMessages {
  public:
    SeparateMessages(const Exchange& exchange, Wire& wire, const IsDirect& is_direct)
        : exchange_(exchange), sent_(exchange.group.neighborhood->sent()),
          received_(exchange.group.neighborhood->received()), wire_(wire), is_direct_(is_direct) {}

    void start() {
        for (int i = 0; i < wire_.batch() && next_received_ < received_.size(); ++i) receive_next();
        for (int i = 0; i < wire_.batch() && next_sent_ < sent_.size(); ++i) send_next();
    }

    Status finish() {
        while (!is_spent())
            if (const auto completion = wire_.wait_any()) completion->sent ? send_next() : receive_next();
        return wire_.wait_all();
    }

  private:
    bool is_spent() const { return next_sent_ == sent_.size() && next_received_ == received_.size(); }

    // Skip blocks that do not get under way, since they never end: blocks of no bytes, on both sides alike, and
    // errors, which the wire keeps.
    void send_next() {
        for (const auto before = wire_.under_way();
             next_sent_ < sent_.size() && wire_.under_way() == before;) {
            const auto& [rank, occurrence, number] = sent_[next_sent_++];
            const Block& block = sent_block(exchange_, number);
            if (is_direct_(rank, block.size))
                wire_.send(rank, exchange_.send_base + block.offset, block.size);
        }
    }
    void receive_next() {
        for (const auto before = wire_.under_way();
             next_received_ < received_.size() && wire_.under_way() == before;) {
            const auto& [rank, occurrence, number] = received_[next_received_++];
            const std::size_t bytes = exchange_.recv_size(number);
            if (is_direct_(rank, bytes)) wire_.receive(rank, exchange_.recv_from(number), bytes);
        }
    }

    const Exchange& exchange_;
    const std::span<const Neighborhood::Neighbor> sent_, received_;
    Wire& wire_;
    const IsDirect is_direct_;
    std::size_t next_sent_ = 0, next_received_ = 0;
};

} // namespace switchyard::algorithms::neighborhood
