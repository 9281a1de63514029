// The index sets of an exchange in place: the bytes that a rank still has to send, the places that it still
// has to fill, and the bytes to send that lie in places to fill. An index is the address of a byte. The sets
// are kept as intervals, so the work does not grow with the number of bytes. No byte outside a receive set is
// written. No MPI, no memory of its own.
#pragma once

#include "joining.hpp"
#include "subset_lists.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>

namespace switchyard::algorithms::alltoallv {

class IndexSets : private SubsetLists {
  public:
    // Send sets are split at the two borders of each receive set, which makes three subsets for each rank.
    // join() needs up to three more for each rank.
    static constexpr std::size_t most_subsets(std::size_t ranks) { return 6 * ranks; }
    static constexpr std::size_t order_entries(std::size_t ranks) { return 2 * ranks; }

    // `sends` by destination with `whole` set, `receives` by source with `places` set, most_subsets()
    // subsets, and order_entries() integers for sorting.
    IndexSets(std::span<SendSet> sends, std::span<ReceiveSet> receives, std::span<SendSubset> subsets,
              std::span<int> order)
        : SubsetLists(sends, receives, subsets), order_(order) {}

    // Section 3.2. False: two send sets share bytes that lie in a receive set, so the call is erroneous.
    bool split() {
        link_unused();
        const auto destinations =
            in_order(order_.first(sends().size()), sends(), [](const SendSet& s) { return s.whole; });
        const auto sources = in_order(order_.last(receives().size()), receives(),
                                      [](const ReceiveSet& r) { return r.places; });
        std::uintptr_t shared_until = 0;
        std::size_t passed = 0;
        for (const int destination : destinations) {
            while (passed < sources.size() &&
                   receive(sources[passed]).places.end_index() <= send(destination).whole.first_index()) {
                ++passed;
            }
            if (!split_one(send(destination), sources.subspan(passed), shared_until)) return false;
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

    // Takes the first bytes out of S_i, at most left_to_send() bytes. `visit` gets them, one
    // interval after the other.
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

    // Section 3.4: joins the free space of R_j at its lowest indices.
    void join(int source) { alltoallv::join(*this, receive(source)); }

    // Moves the bytes that a rank sends to itself, all at once, to the highest places of its own
    // receive set. False, and no byte is moved: data for other ranks lies there, or the own
    // intervals are no longer in order.
    bool settle(int self) {
        const SendSet& own = send(self);
        if (own.size == 0 || !is_alone_and_in_order(self)) return false;
        // First the intervals that go down, the lowest first. Then the intervals that go up, the highest
        // first. Their order stays, so no interval is moved onto another that still has to move.
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

    using SubsetLists::unused_subsets;

  private:
    // ---- Splitting ----

    // The numbers of the sets that are not empty, by rising address.
    template <typename Set, typename IntervalOf>
    static std::span<int> in_order(std::span<int> numbers, std::span<Set> sets, IntervalOf&& interval_of) {
        std::size_t count = 0;
        for (std::size_t i = 0; i < sets.size(); ++i) {
            if (interval_of(sets[i]).size > 0) numbers[count++] = static_cast<int>(i);
        }
        numbers = numbers.first(count);
        std::ranges::sort(
            numbers, {}, [&](int i) { return interval_of(sets[static_cast<std::size_t>(i)]).first_index(); });
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
            if (!has_unused()) return false;
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

    std::span<int> order_; // room to sort by address
};

} // namespace switchyard::algorithms::alltoallv
