// What a message says about the sizes of its blocks, by the type of a size in it: an integer, or nothing where
// all blocks are equal (patterns::NoSize). So one algorithm serves alltoallv and alltoall.
#pragma once

#include "algorithms/exchange.hpp"
#include "algorithms/patterns/packed_sizes.hpp"

#include <cstddef>
#include <type_traits>
#include <utility>

namespace switchyard::algorithms::forwarding {

using patterns::has_size;
using patterns::size_bytes;

template <typename Size>
using SizesOf = std::conditional_t<has_size<Size>, SaidSizes, EqualSizes>;

// Returns work(sizes).
template <typename Size, typename Work>
auto with_sizes_of(const Exchange& exchange, Work&& work) {
    if constexpr (has_size<Size>)
        return with_said_sizes(exchange, std::forward<Work>(work));
    else
        return work(EqualSizes(exchange));
}

// What the message says at `at` about the block that follows.
template <typename Size, typename Sizes>
std::size_t said_at(const std::byte* at, const Sizes& sizes) {
    if constexpr (has_size<Size>)
        return patterns::size_at<Size>(at);
    else
        return sizes.block();
}

// The sizes of blocks that wait, by slot. Without sizes there is no such list.
template <typename Size>
void note_size(Size* noted, std::size_t slot, std::size_t said) {
    if constexpr (has_size<Size>) noted[slot] = static_cast<Size>(said);
}
template <typename Size, typename Sizes>
std::size_t noted_size(const Size* noted, std::size_t slot, const Sizes& sizes) {
    if constexpr (has_size<Size>)
        return noted[slot];
    else
        return sizes.block();
}

// Sizes that lie one after the other: puts a size at `next`, or takes a size from there.
template <typename Size>
void put_next(Size*& next, std::size_t said) {
    if constexpr (has_size<Size>) *next++ = static_cast<Size>(said);
}
template <typename Size, typename Sizes>
std::size_t take_next(const Size*& next, const Sizes& sizes) {
    if constexpr (has_size<Size>)
        return *next++;
    else
        return sizes.block();
}

} // namespace switchyard::algorithms::forwarding
