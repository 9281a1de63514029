// The send and receive sets of an exchange in place, and the lists of subsets that connect them. An index is
// the address of a byte. The sets are kept as intervals, so the work does not grow with the number of bytes.
// No MPI, no memory of its own.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>

namespace switchyard::algorithms::alltoallv {

inline constexpr int no_set = -1;

// Contiguous indices.
struct Interval {
    std::byte* begin = nullptr;
    std::size_t size = 0;

    std::byte* end() const { return begin + size; }
    // Addresses are compared as numbers, since intervals may lie in different buffers.
    std::uintptr_t first_index() const { return reinterpret_cast<std::uintptr_t>(begin); }
    std::uintptr_t end_index() const { return first_index() + size; }
};

// An interval of a send set that lies wholly in one receive set, its rmatch, or in no receive set. It has
// neighbours in its message, and neighbours by address in its receive set.
struct SendSubset {
    Interval interval;
    int rmatch = no_set;
    int before = no_set, after = no_set;
    int below = no_set, above = no_set;
};

// S_i: the bytes that are left for one destination.
struct SendSet {
    Interval whole; // as the application gave it
    std::size_t size = 0;
    int first = no_set; // subset
};

// R_j: the places that are left for one source, and the subsets that lie there.
struct ReceiveSet {
    Interval places;
    int lowest = no_set, highest = no_set;
};

// The sets of one rank. Each subset is in the list of its message and in the list of
// its receive set, or unused.
class SubsetLists {
  public:
    // `sends` by destination, `receives` by source.
    SubsetLists(std::span<SendSet> sends, std::span<ReceiveSet> receives, std::span<SendSubset> subsets)
        : sends_(sends), receives_(receives), subsets_(subsets) {}

    SendSet& send(int destination) const { return at(sends_, destination); }
    ReceiveSet& receive(int source) const { return at(receives_, source); }
    SendSubset& subset(int k) const { return at(subsets_, k); }
    std::span<SendSet> sends() const { return sends_; }
    std::span<ReceiveSet> receives() const { return receives_; }

    static void move(Interval& interval, std::byte* to) {
        if (interval.begin != to) std::memmove(to, interval.begin, interval.size);
        interval.begin = to;
    }

    void link_unused() {
        unused_ = no_set;
        for (auto k = static_cast<int>(subsets_.size()) - 1; k >= 0; --k) release(k);
    }
    void release(int k) {
        subset(k) = {};
        subset(k).after = unused_;
        unused_ = k;
    }
    int use(const Interval& interval, int rmatch) {
        const int k = unused_;
        unused_ = subset(k).after;
        subset(k) = {.interval = interval, .rmatch = rmatch};
        return k;
    }

    void link_messages(int before, int after) {
        if (before != no_set) subset(before).after = after;
        if (after != no_set) subset(after).before = before;
    }
    // Puts k into the receive set, right above `below`. no_set: as the lowest subset.
    void link_above(ReceiveSet& set, int below, int k) {
        const int above = below == no_set ? set.lowest : subset(below).above;
        subset(k).below = below;
        subset(k).above = above;
        (below == no_set ? set.lowest : subset(below).above) = k;
        (above == no_set ? set.highest : subset(above).below) = k;
    }
    void unlink(ReceiveSet& set, int k) {
        const int below = subset(k).below, above = subset(k).above;
        (below == no_set ? set.lowest : subset(below).above) = above;
        (above == no_set ? set.highest : subset(above).below) = below;
    }
    void drop_first(SendSet& set) {
        const int k = set.first;
        set.first = subset(k).after;
        link_messages(no_set, set.first);
        if (subset(k).rmatch != no_set) unlink(receive(subset(k).rmatch), k);
        release(k);
    }

    // Cuts k behind its first bytes. The rest becomes a subset of its own, right above k.
    bool cut(ReceiveSet& set, int k, std::size_t bytes) {
        if (unused_ == no_set) return false;
        Interval& interval = subset(k).interval;
        const int rest = use({interval.begin + bytes, interval.size - bytes}, subset(k).rmatch);
        interval.size = bytes;
        link_messages(rest, subset(k).after);
        link_messages(k, rest);
        link_above(set, k, rest);
        return true;
    }

    bool has_unused() const { return unused_ != no_set; }
    int unused_subsets() const {
        int count = 0;
        for (int k = unused_; k != no_set; k = subset(k).after) ++count;
        return count;
    }

  private:
    template <typename T>
    static T& at(std::span<T> list, int i) {
        return list[static_cast<std::size_t>(i)];
    }

    std::span<SendSet> sends_;
    std::span<ReceiveSet> receives_;
    std::span<SendSubset> subsets_;
    int unused_ = no_set; // the first subset of a list
};

} // namespace switchyard::algorithms::alltoallv
