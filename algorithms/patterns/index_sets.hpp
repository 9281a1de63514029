// The index sets of an exchange in place: the bytes that a rank has still to send, the places it has still to
// fill, and which of the former lie in the latter. An index is the address of a byte; everything is kept as
// contiguous pieces, so the work does not grow with their sizes, and nothing outside a receive set is ever
// written. No MPI, no memory of its own.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <utility>

namespace switchyard::algorithms::patterns {

inline constexpr int no_set = -1;

// Contiguous bytes.
struct Piece {
    std::byte* begin = nullptr;
    std::size_t size = 0;

    std::byte* end() const { return begin + size; }
    // Addresses compare as numbers also where the pieces lie in different buffers.
    std::uintptr_t first_index() const { return reinterpret_cast<std::uintptr_t>(begin); }
    std::uintptr_t end_index() const { return first_index() + size; }
};

// What a send set is split into: a piece that lies wholly in one receive set, its rmatch, or in none. It has
// neighbours in its message, and neighbours by address in its receive set.
struct SendSubset {
    Piece piece;
    int rmatch = no_set;
    int before = no_set, after = no_set;
    int below = no_set, above = no_set;
};

// S_i: what is left for one destination.
struct SendSet {
    Piece whole; // as it was given
    std::size_t size = 0;
    int first = no_set; // subset
};

// R_j: the places that are left for one source, and the subsets that lie there.
struct ReceiveSet {
    Piece places;
    int lowest = no_set, highest = no_set;
};

class IndexSets {
  public:
    // Splitting takes place at the two borders of each receive set, which makes three subsets for each rank.
    // As many again are for join().
    static constexpr std::size_t most_subsets(std::size_t ranks) { return 6 * ranks; }
    static constexpr std::size_t order_entries(std::size_t ranks) { return 2 * ranks; }

    // The sets by destination and by source, with `whole` and `places` filled in; most_subsets() subsets;
    // order_entries() integers to sort by.
    IndexSets(std::span<SendSet> sends, std::span<ReceiveSet> receives, std::span<SendSubset> subsets,
              std::span<int> order)
        : sends_(sends), receives_(receives), subsets_(subsets), order_(order) {}

    // Section 3.2. False: two send sets share bytes that lie in a receive set, so the call means nothing.
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
    const Piece& places(int source) const { return receive(source).places; }

    // Section 3.3: the free bytes at the lowest indices of R_j, below its smatch.
    std::size_t free_space(int source) const {
        const ReceiveSet& set = receive(source);
        return set.lowest == no_set
                   ? set.places.size
                   : static_cast<std::size_t>(subset(set.lowest).piece.begin - set.places.begin);
    }

    // Takes the first bytes of S_i out, at most left_to_send() of them; `visit` gets them piece by piece.
    template <typename Visitor>
    void take_first(int destination, std::size_t bytes, Visitor&& visit) {
        SendSet& set = send(destination);
        set.size -= bytes;
        while (bytes > 0) {
            Piece& piece = subset(set.first).piece;
            const Piece part{piece.begin, std::min(piece.size, bytes)};
            visit(part);
            bytes -= part.size;
            piece = {part.end(), piece.size - part.size};
            if (piece.size == 0) drop_first(set);
        }
    }

    // The lowest bytes of R_j have been filled.
    void fill_lowest(int source, std::size_t bytes) {
        Piece& places = receive(source).places;
        places = {places.begin + bytes, places.size - bytes};
    }

    // Section 3.4: joins the free space of R_j at its lowest indices. The paper moves all that lies below
    // free space up; this fills the free space with as many bytes from the bottom, the highest first, and so
    // moves no more bytes than it gains. A piece of which only a part fits is cut; without a subset left for
    // that, what lies below the free space moves up, as in the paper.
    void join(int source) {
        ReceiveSet& set = receive(source);
        std::byte* top = set.places.end();
        for (int k = set.highest; k != no_set; k = subset(k).below) {
            while (subset(k).piece.end() != top && k != set.lowest && bring_up(set, k, top)) {
            }
            raise(set, k, top);
            top = subset(k).piece.begin;
        }
    }

    // What a rank sends to itself, all of it at once, to the highest places of its own receive set. False,
    // and nothing done, while data for other ranks lies there, or parts of its own have been moved past
    // others.
    bool settle(int self) {
        const SendSet& own = send(self);
        if (own.size == 0 || !is_alone_and_in_order(self)) return false;
        // First the pieces that go down, the lowest one first, then those that go up, the highest one first:
        // the order of the pieces stays, so none is moved onto one that has yet to move.
        std::byte* target = receive(self).places.end() - own.size;
        int last = no_set;
        for (int k = own.first; k != no_set; k = subset(k).after) {
            Piece& piece = subset(k).piece;
            if (Piece{target}.first_index() < piece.first_index()) move(piece, target);
            target += piece.size;
            last = k;
        }
        for (int k = last; k != no_set; k = subset(k).before) {
            Piece& piece = subset(k).piece;
            target -= piece.size;
            move(piece, target);
        }
        receive(self).places.size -= own.size;
        take_first(self, own.size, [](Piece) {});
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

    static void move(Piece& piece, std::byte* to) {
        if (piece.begin != to) std::memmove(to, piece.begin, piece.size);
        piece.begin = to;
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
    int use(const Piece& piece, int rmatch) {
        const int k = unused_;
        unused_ = subset(k).after;
        subset(k) = {.piece = piece, .rmatch = rmatch};
        return k;
    }

    void link_messages(int before, int after) {
        if (before != no_set) subset(before).after = after;
        if (after != no_set) subset(after).before = before;
    }
    // Into the receive set, right above `below`; no_set: as its lowest.
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
    template <typename Set, typename PieceOf>
    static std::span<int> in_order(std::span<int> numbers, std::span<Set> sets, PieceOf&& piece_of) {
        std::size_t count = 0;
        for (std::size_t i = 0; i < sets.size(); ++i) {
            if (piece_of(sets[i]).size > 0) numbers[count++] = static_cast<int>(i);
        }
        numbers = numbers.first(count);
        std::ranges::sort(numbers, {}, [&](int i) { return piece_of(at(sets, i)).first_index(); });
        return numbers;
    }

    // `receives` starts with the first one that ends behind the send set's beginning.
    bool split_one(SendSet& set, std::span<const int> receives, std::uintptr_t& shared_until) {
        set.size = set.whole.size;
        int last = no_set;
        for (Piece rest = set.whole; rest.size > 0;) {
            while (!receives.empty() && receive(receives.front()).places.end_index() <= rest.first_index()) {
                receives = receives.subspan(1);
            }
            const SendSubset next = lowest_subset(rest, receives);
            if (unused_ == no_set) return false;
            const int k = use(next.piece, next.rmatch);
            if (last == no_set) set.first = k;
            link_messages(std::exchange(last, k), k);
            if (next.rmatch != no_set) {
                if (next.piece.first_index() < shared_until) return false;
                shared_until = next.piece.end_index();
                link_above(receive(next.rmatch), receive(next.rmatch).highest, k);
            }
            rest = {next.piece.end(), rest.size - next.piece.size};
        }
        return true;
    }

    // Cuts `rest` where the first of those receive sets begins or ends.
    SendSubset lowest_subset(const Piece& rest, std::span<const int> receives) const {
        if (receives.empty()) return {.piece = rest};
        const Piece& places = receive(receives.front()).places;
        const bool inside = places.first_index() <= rest.first_index();
        const std::uintptr_t border = inside ? places.end_index() : places.first_index();
        const std::size_t size = std::min<std::size_t>(rest.size, border - rest.first_index());
        return {.piece = {rest.begin, size}, .rmatch = inside ? receives.front() : no_set};
    }

    // ---- Joining ----

    // Brings bytes from the bottom of the set into the space between k and `top`, k not being the lowest
    // itself. False: they had to be cut, and there is no subset for that.
    bool bring_up(ReceiveSet& set, int k, std::byte*& top) {
        const int lowest = set.lowest;
        Piece& from = subset(lowest).piece;
        Piece& under = subset(k).piece;
        const Piece part{from.begin, std::min(from.size, static_cast<std::size_t>(top - under.end()))};
        if (subset(k).after == lowest) { // it only gets longer
            std::memcpy(under.end(), part.begin, part.size);
            under.size += part.size;
            from = {part.end(), from.size - part.size};
            if (from.size > 0) return true;
            link_messages(k, subset(lowest).after);
            unlink(set, lowest);
            release(lowest);
            return true;
        }
        if (part.size < from.size && !cut(set, lowest, part.size)) return false;
        unlink(set, lowest);
        link_above(set, k, lowest);
        top -= part.size;
        move(subset(lowest).piece, top);
        return true;
    }

    // Makes the rest behind the first bytes of k a subset of its own, right above it.
    bool cut(ReceiveSet& set, int k, std::size_t bytes) {
        if (unused_ == no_set) return false;
        Piece& piece = subset(k).piece;
        const int rest = use({piece.begin + bytes, piece.size - bytes}, subset(k).rmatch);
        piece.size = bytes;
        link_messages(rest, subset(k).after);
        link_messages(k, rest);
        link_above(set, k, rest);
        return true;
    }

    // Closes what is left of the space between k and `top` with k itself.
    void raise(ReceiveSet& set, int k, std::byte* top) {
        Piece& piece = subset(k).piece;
        const auto space = static_cast<std::size_t>(top - piece.end());
        if (k == set.lowest && space < piece.size && space > 0 && cut(set, k, space)) {
            // The first bytes on top of the others.
            const int rest = subset(k).above;
            unlink(set, k);
            link_above(set, rest, k);
            move(subset(k).piece, top - space);
        } else {
            move(piece, top - piece.size);
        }
    }

    // ---- Settling ----

    bool is_alone_and_in_order(int self) const {
        std::size_t own = 0, all = 0;
        std::uintptr_t end = 0;
        for (int k = send(self).first; k != no_set; k = subset(k).after) {
            const Piece& piece = subset(k).piece;
            if (piece.first_index() < end) return false;
            end = piece.end_index();
            if (subset(k).rmatch == self) own += piece.size;
        }
        for (int k = receive(self).lowest; k != no_set; k = subset(k).above) all += subset(k).piece.size;
        return own == all;
    }

    std::span<SendSet> sends_;
    std::span<ReceiveSet> receives_;
    std::span<SendSubset> subsets_;
    std::span<int> order_;
    int unused_ = no_set; // the first of a list
};

} // namespace switchyard::algorithms::patterns
