// One side of a call, as blocks of items in memory: the only place that knows of counts and displacements.
#pragma once

#include "algorithms/block.hpp"
#include "call.hpp"
#include "datatype.hpp"

#include <cstddef>
#include <cstdint>

namespace switchyard::shim {

// A block's addresses are numbers to calculate with: MPI_BOTTOM is 0.
class Blocks {
  public:
    // What goes out (with MPI_IN_PLACE from the receive buffer) and what comes in, at a rank among `ranks`
    // (of the other group, with an intercommunicator).
    static Blocks sent(const CallArgs& call, int ranks, int rank, int datatype_keyval);
    static Blocks received(const CallArgs& call, int ranks, int rank, int datatype_keyval);

    int number() const { return number_; }
    const Datatype& type() const { return type_; }
    std::int64_t count(int i) const { return side_->counts[i]; }
    std::size_t size(int i) const { return static_cast<std::size_t>(count(i)) * type_.size; }
    std::uintptr_t address(int i) const;
    // From the first byte of a block to behind its last, as addresses; gaps count.
    algorithms::Block span(int i) const;
    std::size_t bytes() const { return bytes_; } // of all blocks

    // The same blocks elsewhere, as far from each other.
    void move(std::uintptr_t distance) { base_ += distance; }

  private:
    Blocks(const CallArgs& call, const CallArgs::Side& side, bool is_sent, int number, int rank, int keyval);

    const CallArgs* call_;
    const CallArgs::Side* side_;
    bool is_contribution_; // the one block that goes to everybody
    int number_, rank_;
    std::uintptr_t base_;
    Datatype type_;
    std::size_t bytes_ = 0;
};

} // namespace switchyard::shim
