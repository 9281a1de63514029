// The index sets of an exchange in place: the bytes that a rank has still to send, the places that it has
// still to fill, and the bytes to send that lie in places to fill. An index is the address of a byte. The
// sets are kept as intervals, so the work does not grow with the number of bytes. No byte outside a receive
// set is written. No MPI, no memory of its own.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <utility>

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

class IndexSets {
  public:
    // Send sets are split at the two borders of each receive set, which makes three subsets for each rank.
    // join() needs up to three more for each rank.
    static constexpr std::size_t most_subsets(std::size_t ranks) { return 6 * ranks; }
    static constexpr std::size_t order_entries(std::size_t ranks) { return 2 * ranks; }

    // `sends` by destination with `whole` set, `receives` by source with `places` set, most_subsets()
    // subsets, and order_entries() integers for sorting.
    IndexSets(std::span<SendSet> sends, std::span<ReceiveSet> receives, std::span<SendSubset> subsets,
              std::span<int> order)
        : sends_(sends), receives_(receives), subsets_(subsets), order_(order) {}

    // Section 3.2. False: two send sets share bytes that lie in a receive set, so the call is erroneous.
    bool split() {
        link_unused();
        const auto sends =
            in_order(order_.first(sends_.size()), sends_, [](const SendSet& s) { return s.whole; });
        const auto receives =
            in_order(order_.last(receives_.size()), receives_, [](const ReceiveSet& r) { return r.places; });
        std::uintptr_t shared_until = 0;
        std::size_t passed = 0;
        for (const int destination : sends) {
            while (passed < receives.size() &&
                   receive(receives[passed]).places.end_index() <= send(destination).whole.first_index()) {
                ++passed;
            }
            if (!split_one(send(destination), receives.subspan(passed), shared_until)) return false;
        }
        return true;
    }

    std::size_t left_to_send(int destination) const { return send(destination).size; }
    const Interval& places(int source) const { return receive(source).places; }

    // Section 3.3: the free bytes at the lowest indices of R_j, below its smatch.
    std::size_t free_space(int source) const {
        const ReceiveSet& set = receive(source);
        return set.lowest == no_set
                   ? set.places.size
                   : static_cast<std::size_t>(subset(set.lowest).interval.begin - set.places.begin);
    }

    // Takes the first bytes out of S_i, at most left_to_send() bytes. `visit` gets them, one interval after
    // the other.
    template <typename Visitor>
    void take_first(int destination, std::size_t bytes, Visitor&& visit) {
        SendSet& set = send(destination);
        set.size -= bytes;
        while (bytes > 0) {
            Interval& interval = subset(set.first).interval;
            const Interval taken{interval.begin, std::min(interval.size, bytes)};
            visit(taken);
            bytes -= taken.size;
            interval = {taken.end(), interval.size - taken.size};
            if (interval.size == 0) drop_first(set);
        }
    }

    // Takes the lowest places, which have been filled, out of R_j.
    void fill_lowest(int source, std::size_t bytes) {
        Interval& places = receive(source).places;
        places = {places.begin + bytes, places.size - bytes};
    }

    // Section 3.4: joins the free space of R_j at its lowest indices. The paper moves up all bytes below free
    // space. This function fills the free space, the highest first, with as many bytes from the bottom, and
    // so moves no more bytes than it frees. An interval that does not fit is cut. Where no subset is left for
    // the cut, the bytes below the free space move up, as in the paper.
    void join(int source) {
        ReceiveSet& set = receive(source);
        std::byte* top = set.places.end();
        for (int k = set.highest; k != no_set; k = subset(k).below) {
            while (subset(k).interval.end() != top && k != set.lowest && bring_up(set, k, top)) {
            }
            raise(set, k, top);
            top = subset(k).interval.begin;
        }
    }

    // Moves the bytes that a rank sends to itself, all at once, to the highest places of its own receive set.
    // False, and no byte is moved: data for other ranks lies there, or the own intervals are no longer in
    // order.
    bool settle(int self) {
        const SendSet& own = send(self);
        if (own.size == 0 || !is_alone_and_in_order(self)) return false;
        // First the intervals that go down, the lowest first. Then the intervals that go up, the highest
        // first. Their order stays, so no interval is moved onto another that has still to move.
        std::byte* target = receive(self).places.end() - own.size;
        int last = no_set;
        for (int k = own.first; k != no_set; k = subset(k).after) {
            Interval& interval = subset(k).interval;
            if (Interval{target}.first_index() < interval.first_index()) move(interval, target);
            target += interval.size;
            last = k;
        }
        for (int k = last; k != no_set; k = subset(k).before) {
            Interval& interval = subset(k).interval;
            target -= interval.size;
            move(interval, target);
        }
        receive(self).places.size -= own.size;
        take_first(self, own.size, [](Interval) {});
        return true;
    }

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
    SendSet& send(int destination) const { return at(sends_, destination); }
    ReceiveSet& receive(int source) const { return at(receives_, source); }
    SendSubset& subset(int k) const { return at(subsets_, k); }

    static void move(Interval& interval, std::byte* to) {
        if (interval.begin != to) std::memmove(to, interval.begin, interval.size);
        interval.begin = to;
    }

    // ---- Lists ----

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

    // ---- Splitting ----

    // The numbers of the sets that are not empty, by rising address.
    template <typename Set, typename IntervalOf>
    static std::span<int> in_order(std::span<int> numbers, std::span<Set> sets, IntervalOf&& interval_of) {
        std::size_t count = 0;
        for (std::size_t i = 0; i < sets.size(); ++i) {
            if (interval_of(sets[i]).size > 0) numbers[count++] = static_cast<int>(i);
        }
        numbers = numbers.first(count);
        std::ranges::sort(numbers, {}, [&](int i) { return interval_of(at(sets, i)).first_index(); });
        return numbers;
    }

    // The first of `receives` is the first receive set that ends behind the beginning of the send set.
    bool split_one(SendSet& set, std::span<const int> receives, std::uintptr_t& shared_until) {
        set.size = set.whole.size;
        int last = no_set;
        for (Interval rest = set.whole; rest.size > 0;) {
            while (!receives.empty() && receive(receives.front()).places.end_index() <= rest.first_index()) {
                receives = receives.subspan(1);
            }
            const SendSubset next = lowest_subset(rest, receives);
            if (unused_ == no_set) return false;
            const int k = use(next.interval, next.rmatch);
            if (last == no_set) set.first = k;
            link_messages(std::exchange(last, k), k);
            if (next.rmatch != no_set) {
                if (next.interval.first_index() < shared_until) return false;
                shared_until = next.interval.end_index();
                link_above(receive(next.rmatch), receive(next.rmatch).highest, k);
            }
            rest = {next.interval.end(), rest.size - next.interval.size};
        }
        return true;
    }

    // The lowest bytes of `rest`, up to where the first of the receive sets begins or ends.
    SendSubset lowest_subset(const Interval& rest, std::span<const int> receives) const {
        if (receives.empty()) return {.interval = rest};
        const Interval& places = receive(receives.front()).places;
        const bool inside = places.first_index() <= rest.first_index();
        const std::uintptr_t border = inside ? places.end_index() : places.first_index();
        const std::size_t size = std::min<std::size_t>(rest.size, border - rest.first_index());
        return {.interval = {rest.begin, size}, .rmatch = inside ? receives.front() : no_set};
    }

    // ---- Joining ----

    // Brings bytes from the bottom of the set into the space between k and `top`. k is not the lowest subset.
    // False: the bytes had to be cut, and no subset is left for the cut.
    bool bring_up(ReceiveSet& set, int k, std::byte*& top) {
        const int lowest = set.lowest;
        Interval& from = subset(lowest).interval;
        Interval& under = subset(k).interval;
        const Interval moved{from.begin, std::min(from.size, static_cast<std::size_t>(top - under.end()))};
        if (subset(k).after == lowest) { // the subset k only gets longer
            std::memcpy(under.end(), moved.begin, moved.size);
            under.size += moved.size;
            from = {moved.end(), from.size - moved.size};
            if (from.size > 0) return true;
            link_messages(k, subset(lowest).after);
            unlink(set, lowest);
            release(lowest);
            return true;
        }
        if (moved.size < from.size && !cut(set, lowest, moved.size)) return false;
        unlink(set, lowest);
        link_above(set, k, lowest);
        top -= moved.size;
        move(subset(lowest).interval, top);
        return true;
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

    // Closes the rest of the space between k and `top` with k itself.
    void raise(ReceiveSet& set, int k, std::byte* top) {
        Interval& interval = subset(k).interval;
        const auto space = static_cast<std::size_t>(top - interval.end());
        if (k == set.lowest && space < interval.size && space > 0 && cut(set, k, space)) {
            // The first bytes on top of the others.
            const int rest = subset(k).above;
            unlink(set, k);
            link_above(set, rest, k);
            move(subset(k).interval, top - space);
        } else {
            move(interval, top - interval.size);
        }
    }

    // ---- Settling ----

    bool is_alone_and_in_order(int self) const {
        std::size_t own = 0, all = 0;
        std::uintptr_t end = 0;
        for (int k = send(self).first; k != no_set; k = subset(k).after) {
            const Interval& interval = subset(k).interval;
            if (interval.first_index() < end) return false;
            end = interval.end_index();
            if (subset(k).rmatch == self) own += interval.size;
        }
        for (int k = receive(self).lowest; k != no_set; k = subset(k).above) all += subset(k).interval.size;
        return own == all;
    }

    std::span<SendSet> sends_;
    std::span<ReceiveSet> receives_;
    std::span<SendSubset> subsets_;
    std::span<int> order_;
    int unused_ = no_set; // the first subset of a list
};

} // namespace switchyard::algorithms::alltoallv
