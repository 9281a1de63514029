// Joining of free space in a receive set of an exchange in place (in-place paper, section 3.4).
#pragma once

#include "subset_lists.hpp"

#include <algorithm>

namespace switchyard::algorithms::alltoallv {

// Brings bytes from the bottom of the set into the space between k and `top`. k is not the lowest subset.
// False: the bytes had to be cut, and no subset is left for the cut.
inline bool bring_up(SubsetLists& lists, ReceiveSet& set, int k, std::byte*& top) {
    const int lowest = set.lowest;
    Interval& from = lists.subset(lowest).interval;
    Interval& under = lists.subset(k).interval;
    const Interval moved{from.begin, std::min(from.size, static_cast<std::size_t>(top - under.end()))};
    if (lists.subset(k).after == lowest) { // the subset k only gets longer
        std::memcpy(under.end(), moved.begin, moved.size);
        under.size += moved.size;
        from = {moved.end(), from.size - moved.size};
        if (from.size > 0) return true;
        lists.link_messages(k, lists.subset(lowest).after);
        lists.unlink(set, lowest);
        lists.release(lowest);
        return true;
    }
    if (moved.size < from.size && !lists.cut(set, lowest, moved.size)) return false;
    lists.unlink(set, lowest);
    lists.link_above(set, k, lowest);
    top -= moved.size;
    SubsetLists::move(lists.subset(lowest).interval, top);
    return true;
}

// Closes the rest of the space between k and `top` with k itself.
inline void raise(SubsetLists& lists, ReceiveSet& set, int k, std::byte* top) {
    Interval& interval = lists.subset(k).interval;
    const auto space = static_cast<std::size_t>(top - interval.end());
    if (k == set.lowest && space < interval.size && space > 0 && lists.cut(set, k, space)) {
        // Puts the first bytes on top of the other bytes.
        const int rest = lists.subset(k).above;
        lists.unlink(set, k);
        lists.link_above(set, rest, k);
        SubsetLists::move(lists.subset(k).interval, top - space);
    } else {
        SubsetLists::move(interval, top - interval.size);
    }
}

// Joins the free space of R_j at its lowest indices. The paper moves up all bytes below free space. This
// function fills the free space, the highest first, with as many bytes from the bottom. So it moves no more
// bytes than it frees. An interval that does not fit is cut. Where no subset is left for the cut, the bytes
// below the free space move up, as in the paper.
inline void join(SubsetLists& lists, ReceiveSet& set) {
    std::byte* top = set.places.end();
    for (int k = set.highest; k != no_set; k = lists.subset(k).below) {
        while (lists.subset(k).interval.end() != top && k != set.lowest && bring_up(lists, set, k, top)) {
        }
        raise(lists, set, k, top);
        top = lists.subset(k).interval.begin;
    }
}

} // namespace switchyard::algorithms::alltoallv
