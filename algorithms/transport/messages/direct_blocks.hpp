// Blocks that go directly to their receivers, while an algorithm forwards the other blocks
// (Parameter::direct_from).
//
// In MPI_Alltoallv the sender and the receiver of a block both know its size, so both know whether
// it goes directly. No other rank has to know. Therefore nothing is agreed before the call, and a
// large block travels once.
//
// Where the counts of the two sides do not match, the receiver may guess wrong. Each direct block leaves a
// mark among the forwarded blocks, so the receiver learns of it and corrects its guess.
#pragma once

#include "algorithms/algorithm.hpp"
#include "direct_blocks_scratch.hpp"
#include "wire.hpp"

#include <span>

namespace switchyard::algorithms {

class DirectBlocks {
  public:
    // `exchange.max_block`: blocks of this size and larger go directly. Memory: direct_blocks_scratch_bytes.
    DirectBlocks(const Exchange& exchange, Context& context);

    // Starts the first transfers. They are under way while the algorithm forwards the other blocks.
    void start();
    // Takes note of the size that a message says for the block from `source`. True: the
    // block is in the message.
    bool meets(int source, std::size_t said);
    // Starts the remaining transfers and waits for all transfers.
    Status finish();
    // This rank sends or expects a direct block.
    bool has_some() const { return expects_some_ || sends_some_; }

  private:
    bool has_some_for_others(std::span<const Block> blocks) const;
    void receive_some();
    void send_some();
    bool is_direct(std::size_t size) const { return size >= exchange_.max_block; }

    const Exchange& exchange_;
    Wire& wire_;
    const int sends_at_once_;
    const bool expects_some_, sends_some_; // direct blocks, by their sizes here
    // By source: whether the block was forwarded although this rank expects it directly.
    const std::span<bool> was_forwarded_;
    int next_receive_ = 1, next_send_ = 1; // distances of the next blocks
    std::byte nowhere_{};                  // where a message goes that nobody expects
    Status error_;
};

} // namespace switchyard::algorithms
