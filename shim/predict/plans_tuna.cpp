// TuNA, and Bruck's exchanges for blocks of several sizes.
#include "plan_tuna.hpp"
#include "plans.hpp"

#include "algorithms/patterns/batches.hpp"
#include "algorithms/patterns/packed_sizes.hpp"
#include "algorithms/patterns/radix.hpp"

#include <algorithm>
#include <cstdint>

namespace switchyard::shim::predict {

namespace patterns = algorithms::patterns;
using algorithms::Metadata;
using algorithms::Parameter;

namespace {

// The rounds of a digit that are under way together, as they become messages.
class Flights {
  public:
    Flights(const TunaExchange& exchange, const Ring* ring) : exchange_(exchange), ring_(ring) {}

    void add(const patterns::Round& round) {
        const auto blocks = static_cast<double>(round.blocks());
        const bool is_one_block = round.blocks() == 1 && !exchange_.sizes_of_all;
        const double data = is_one_block ? exchange_.direct : blocks * exchange_.block,
                     sizes = blocks * exchange_.size_bytes;
        if (!exchange_.fused) {
            send(first_, round, 1, sizes);
            send(second_, round, is_one_block ? exchange_.some : 1, data);
        } else if (is_one_block) {
            send(first_, round, exchange_.some, data);
        } else {
            send(first_, round, 1, sizes + data);
        }
        if (is_one_block) return;
        first_.copy_before(blocks, exchange_.block);
        (exchange_.fused ? first_ : second_).copy_after(blocks, exchange_.block);
    }
    void end(Sink& sink) {
        sink.round(first_);
        if (!exchange_.fused) sink.round(second_);
    }

  private:
    void send(Round& to, const patterns::Round& round, double count, double bytes) const {
        if (bytes <= 0) return; // no bytes, no message
        if (ring_ == nullptr)
            exchange_near(to, count, bytes / count);
        else
            ring_->exchange(to, round.distance(), count, bytes / count);
    }

    const TunaExchange& exchange_;
    const Ring* const ring_;
    Round first_, second_;
};

bool is_fused(const algorithms::Parameters& parameters) {
    return parameters[Parameter::metadata] == static_cast<std::int64_t>(Metadata::fused);
}

void copy_own_block(const Situation& situation, Sink& sink) {
    Round round;
    round.copy_before(1, situation.blocks.all().mean);
    sink.round(round);
}

} // namespace

void plan_tuna(const TunaExchange& exchange, const Ring* ring, Sink& sink) {
    for (patterns::Round round(exchange.ranks, exchange.radices); round.valid();) {
        Flights flights(exchange, ring);
        const std::int64_t together =
            std::min<std::int64_t>({round.left_in_digit(), exchange.in_flight, patterns::largest_batch});
        for (std::int64_t i = 0; i < together; ++i, round.advance()) flights.add(round);
        flights.end(sink);
    }
}

namespace alltoall {

void tuna(const Situation& situation, Sink& sink) {
    const Ring ring(situation.shape);
    const double block = situation.blocks.all().mean;
    copy_own_block(situation, sink);
    if (block == 0) return;
    plan_tuna({.ranks = ring.ranks(),
               .radices = situation.parameters[Parameter::radix],
               .in_flight = situation.parameters[Parameter::in_flight],
               .block = block,
               .direct = block},
              &ring, sink);
}

} // namespace alltoall

namespace alltoallv {

void tuna(const Situation& situation, Sink& sink) {
    const Ring ring(situation.shape);
    const BlockFacts blocks = forwarded_blocks(situation);
    const bool fused = is_fused(situation.parameters);
    const std::size_t width = patterns::narrowest(static_cast<std::size_t>(blocks.largest));
    copy_own_block(situation, sink);
    if (blocks.largest == 0) return;
    plan_tuna({.ranks = ring.ranks(),
               .radices = situation.parameters[Parameter::radix],
               .in_flight = situation.parameters[Parameter::in_flight],
               .fused = fused,
               .block = blocks.mean,
               .direct = blocks.busiest,
               .some = blocks.some,
               .size_bytes = static_cast<double>(fused ? width : std::max(width, sizeof(std::uint32_t))),
               .sizes_of_all = sends_directly(situation.parameters)},
              &ring, sink);
    plan_direct_blocks(situation, sink);
}

// Each step sends the sizes of its blocks, then the blocks. Even blocks that travel alone are copied.
void two_phase_bruck(const Situation& situation, Sink& sink) {
    const Ring ring(situation.shape);
    const BlockFacts facts = forwarded_blocks(situation);
    const double size_bytes = facts.largest > UINT32_MAX ? sizeof(std::uint64_t) : sizeof(std::uint32_t);
    copy_own_block(situation, sink);
    if (facts.largest == 0) return;
    for (patterns::Round step(ring.ranks(), 2); step.valid(); step.advance()) {
        const auto blocks = static_cast<double>(step.blocks());
        Round sizes, data;
        ring.exchange(sizes, step.distance(), 1, blocks * size_bytes);
        data.copy_before(blocks, facts.mean);
        if (facts.mean > 0) ring.exchange(data, step.distance(), 1, blocks * facts.mean);
        data.copy_after(blocks, facts.mean);
        sink.round(sizes);
        sink.round(data);
    }
    plan_direct_blocks(situation, sink);
}

} // namespace alltoallv

} // namespace switchyard::shim::predict
