#include "direct_blocks.hpp"

#include <algorithm>

namespace switchyard::algorithms {

DirectBlocks::DirectBlocks(const Exchange& exchange, Context& context)
    : exchange_(exchange), wire_(context.wire.take_second_channel()),
      sends_at_once_(static_cast<int>(std::min<std::int64_t>(
          context.parameters[Parameter::block_count] == 0
              ? traits_of(Parameter::block_count).preset_value // of an algorithm that does not take it
              : context.parameters[Parameter::block_count],
          wire_.batch()))),
      expects_some_(has_some_for_others(exchange.recv)), sends_some_(has_some_for_others(exchange.send)),
      was_forwarded_(context.workspace.take_array<bool>(static_cast<std::size_t>(exchange.group.size))) {
    std::ranges::fill(was_forwarded_, false);
}

bool DirectBlocks::has_some_for_others(std::span<const Block> blocks) const {
    const auto own = static_cast<std::size_t>(exchange_.group.rank);
    const auto is_one = [&](const Block& block) { return is_direct(block.size); };
    return std::ranges::any_of(blocks.first(own), is_one) ||
           std::ranges::any_of(blocks.subspan(own + 1), is_one);
}

void DirectBlocks::start() {
    receive_some();
    send_some();
}

bool DirectBlocks::meets(int source, std::size_t said) {
    const bool is_mark = is_direct(said);
    const bool is_expected = is_direct(exchange_.recv_size(source));
    if (is_expected && !is_mark) { // this rank expects more than was sent
        wire_.cancel_receive(source);
        was_forwarded_[static_cast<std::size_t>(source)] = true;
    }
    if (is_mark && !is_expected) { // it expects less than was sent: the message must not stay behind
        error_.keep(Fault::truncated);
        wire_.receive(source, &nowhere_, 1);
    }
    return !is_mark;
}

Status DirectBlocks::finish() {
    Status status;
    while (true) {
        while (next_send_ < next_receive_) {
            wire_.wait_for_sends();
            send_some();
        }
        status.keep(wire_.wait_all());
        if (next_receive_ >= exchange_.group.size) break;
        start();
    }
    status.keep(error_);
    return status;
}

// All ranks cut the distances alike, so each of these sends finds its receiver.
void DirectBlocks::receive_some() {
    const int end = std::min(next_receive_ + wire_.batch(), exchange_.group.size);
    for (; expects_some_ && next_receive_ < end; ++next_receive_) {
        const int source = exchange_.group.up(next_receive_);
        if (is_direct(exchange_.recv_size(source)) && !was_forwarded_[static_cast<std::size_t>(source)])
            wire_.receive(source, exchange_.recv_from(source), exchange_.recv_size(source));
    }
    next_receive_ = end;
}

void DirectBlocks::send_some() {
    if (!sends_some_) next_send_ = next_receive_;
    for (int started = 0; next_send_ < next_receive_ && started < sends_at_once_; ++next_send_) {
        const int destination = exchange_.group.down(next_send_);
        if (!is_direct(exchange_.send_size(destination))) continue;
        wire_.send(destination, exchange_.send_to(destination), exchange_.send_size(destination));
        ++started;
    }
}

} // namespace switchyard::algorithms
