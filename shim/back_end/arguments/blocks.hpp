// One side of a call, as blocks of items in memory: the only place that knows of counts and displacements.
#pragma once

#include "algorithms/block.hpp"
#include "call.hpp"
#include "datatype.hpp"
#include "peers.hpp"
#include "type_array.hpp"

#include <cstddef>
#include <cstdint>

namespace switchyard::shim {

// A block's addresses are numbers to calculate with: MPI_BOTTOM is 0.
class Blocks {
  public:
    // The blocks that a rank sends (with MPI_IN_PLACE out of its receive buffer), and the blocks that
    // it receives. `types`: after measure().
    static Blocks sent(const CallArgs& call, const Peers& peers, const CallTypes& types);
    // `sent`: the other side. Inspecting a type takes three MPI calls, and most calls
    // have one type on both sides.
    static Blocks received(const CallArgs& call, const Peers& peers, const CallTypes& types,
                           const Blocks* sent = nullptr);

    int number() const { return number_; }
    // The type of block i. The type of a block without items is not significant.
    Datatype type(int i) const { return types_ == nullptr ? type_ : (*types_)[i]; }
    bool are_dense() const {
        return types_ == nullptr ? type_.dense : types_->are_dense();
    } // those with items
    bool is_dense(int i) const {
        return types_ == nullptr ? type_.dense : count(i) == 0 || (*types_)[i].dense;
    }
    bool are_committed(int datatype_keyval, MPI_Comm comm) const; // is_committed() of all types
    std::int64_t count(int i) const { return side_->counts[place(i)]; }
    // A block without another end has no bytes.
    std::size_t size(int i) const {
        if (!is_for_somebody(ranks_of_blocks_, i)) return 0;
        const auto items = static_cast<std::size_t>(count(i));
        return types_ == nullptr ? items * type_.size : items == 0 ? 0 : items * (*types_)[i].size;
    }
    std::uintptr_t address(int i) const;
    // The address of a block's first byte, and its length with its gaps.
    algorithms::Block span(int i) const;

    // Calls visit(i, size, address) for each block. Nearly all calls have int counts, int displacements and
    // one type: these get their own loop.
    template <typename Visit>
    void for_each(Visit&& visit) const {
        if (types_ != nullptr || !side_->counts.is_ints() || !side_->displacements.is_ints() ||
            lies_in_place_ || ranks_of_blocks_ != nullptr) {
            for (int i = 0; i < number_; ++i) visit(i, size(i), address(i));
            return;
        }
        const int *const counts = side_->counts.ints(), *const displacements = side_->displacements.ints();
        for (int i = 0; i < number_; ++i)
            visit(i, static_cast<std::size_t>(counts[i]) * type_.size,
                  base_ + static_cast<std::uintptr_t>(displacements[i] * type_.extent));
    }

    // Moves all blocks by the same distance.
    void move(std::uintptr_t distance) { base_ += distance; }

  private:
    Blocks(const CallArgs& call, const CallArgs::Side& side, bool is_sent, int number, const Peers& peers,
           const Datatype& type, const TypeArray& types);

    // The number of block i in the arguments: in place, the one block for everybody is this rank's block of
    // the receive side.
    int place(int i) const { return lies_in_place_ ? rank_ : i; }

    const CallArgs::Side* side_;
    bool lies_in_place_;
    int number_, rank_;
    const int* ranks_of_blocks_; // Peers::destinations or sources; null for one block that goes to all
    std::uintptr_t base_;
    Datatype type_;          // of all blocks
    const TypeArray* types_; // null: there is one type
};

} // namespace switchyard::shim
