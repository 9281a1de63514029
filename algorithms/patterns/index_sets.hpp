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

// What a send set is split into: a piece that lies wholly in one receive set, its rmatch, or in none.
struct SendSubset {
    Piece piece;
    int rmatch = no_set;
};

// S_i: what is left for one destination, in its subsets first <= k < last.
struct SendSet {
    Piece whole; // as it was given
    std::size_t size = 0;
    int first = 0, last = 0;
};

// R_j: the places that are left for one source. The subsets that lie there are among first <= k < last.
struct ReceiveSet {
    Piece places;
    int first = 0, last = 0;
};

class IndexSets {
  public:
    // Splitting takes place at the two borders of each receive set.
    static constexpr std::size_t most_subsets(std::size_t ranks) { return 3 * ranks; }
    static constexpr std::size_t order_entries(std::size_t ranks) { return 2 * ranks; }

    // The sets by destination and by source, with `whole` and `places` filled in; most_subsets() subsets;
    // order_entries() integers to sort by.
    IndexSets(std::span<SendSet> sends, std::span<ReceiveSet> receives, std::span<SendSubset> subsets,
              std::span<int> order)
        : sends_(sends), receives_(receives), subsets_(subsets), order_(order) {}

    // Section 3.2. False: two send sets share bytes that lie in a receive set, so the call means nothing.
    bool split() {
        const auto sends =
            in_order(order_.first(sends_.size()), sends_, [](const SendSet& s) { return s.whole; });
        const auto receives =
            in_order(order_.last(receives_.size()), receives_, [](const ReceiveSet& r) { return r.places; });
        count_ = 0;
        std::uintptr_t shared_until = 0;
        std::size_t passed = 0;
        for (const int destination : sends) {
            while (passed < receives.size() &&
                   receive(receives[passed]).places.end_index() <= send(destination).whole.first_index()) {
                ++passed;
            }
            if (!split_one(destination, receives.subspan(passed), shared_until)) return false;
        }
        return true;
    }

    std::size_t left_to_send(int destination) const { return send(destination).size; }
    const Piece& places(int source) const { return receive(source).places; }

    // The subset that lies lowest in R_j, if any.
    int smatch(int source) {
        ReceiveSet& set = receive(source);
        while (set.first < set.last && !lies_in(set.first, source)) ++set.first;
        return set.first < set.last ? set.first : no_set;
    }

    // Section 3.3: the free bytes at the lowest indices of R_j.
    std::size_t free_space(int source) {
        const int lowest = smatch(source);
        const Piece& places = receive(source).places;
        return lowest == no_set ? places.size
                                : static_cast<std::size_t>(subset(lowest).piece.begin - places.begin);
    }

    // Takes the lowest bytes of S_i out, at most left_to_send() of them; `visit` gets them piece by piece.
    template <typename Visitor>
    void take_lowest(int destination, std::size_t bytes, Visitor&& visit) {
        SendSet& set = send(destination);
        set.size -= bytes;
        while (bytes > 0) {
            Piece& piece = subset(set.first).piece;
            const std::size_t part = std::min(piece.size, bytes);
            if (part > 0) visit(Piece{piece.begin, part});
            piece.begin += part;
            piece.size -= part;
            bytes -= part;
            if (piece.size == 0) ++set.first;
        }
    }

    // The lowest bytes of R_j have been filled.
    void fill_lowest(int source, std::size_t bytes) {
        Piece& places = receive(source).places;
        places.begin += bytes;
        places.size -= bytes;
    }

    // Section 3.4: joins the free space of R_j at its lowest indices, by moving what is still to be sent to
    // its highest ones, in the same order.
    void join(int source) {
        const ReceiveSet& set = receive(source);
        std::byte* top = set.places.end();
        for (int k = set.last - 1; k >= set.first; --k) {
            if (!lies_in(k, source)) continue;
            Piece& piece = subset(k).piece;
            top -= piece.size;
            move(piece, top);
        }
    }

    // What a rank sends to itself, all of it at once, to the highest places of its own receive set. False,
    // and nothing done, while data for other ranks lies there.
    bool settle(int self) {
        SendSet& own = send(self);
        const ReceiveSet& set = receive(self);
        for (int k = set.first; k < set.last; ++k) {
            if (lies_in(k, self) && (k < own.first || k >= own.last)) return false;
        }
        // First the pieces that go down, the lowest one first, then those that go up, the highest one first:
        // the order of the pieces stays, so none is moved onto one that has yet to move.
        std::byte* const begin = set.places.end() - own.size;
        std::byte* target = begin;
        for (int k = own.first; k < own.last; ++k) {
            Piece& piece = subset(k).piece;
            if (Piece{target}.first_index() < piece.first_index()) move(piece, target);
            target += piece.size;
        }
        for (int k = own.last - 1; k >= own.first; --k) {
            Piece& piece = subset(k).piece;
            target -= piece.size;
            move(piece, target);
            piece.size = 0;
        }
        receive(self).places.size -= own.size;
        own.size = 0;
        return true;
    }

  private:
    template <typename T>
    static T& at(std::span<T> list, int i) {
        return list[static_cast<std::size_t>(i)];
    }
    SendSet& send(int destination) const { return at(sends_, destination); }
    ReceiveSet& receive(int source) const { return at(receives_, source); }
    SendSubset& subset(int k) const { return at(subsets_, k); }
    bool lies_in(int k, int source) const { return subset(k).rmatch == source && subset(k).piece.size > 0; }

    static void move(Piece& piece, std::byte* to) {
        if (piece.begin != to && piece.size > 0) std::memmove(to, piece.begin, piece.size);
        piece.begin = to;
    }

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
    bool split_one(int destination, std::span<const int> receives, std::uintptr_t& shared_until) {
        SendSet& set = send(destination);
        set.size = set.whole.size;
        set.first = set.last = count_;
        for (Piece rest = set.whole; rest.size > 0;) {
            while (!receives.empty() && receive(receives.front()).places.end_index() <= rest.first_index()) {
                receives = receives.subspan(1);
            }
            const SendSubset next = lowest_subset(rest, receives);
            if (count_ == static_cast<int>(subsets_.size())) return false;
            if (next.rmatch != no_set) {
                if (next.piece.first_index() < shared_until) return false;
                shared_until = next.piece.end_index();
                ReceiveSet& match = receive(next.rmatch);
                if (match.first == match.last) match.first = count_;
                match.last = count_ + 1;
            }
            subset(count_) = next;
            set.last = ++count_;
            rest = {next.piece.end(), rest.size - next.piece.size};
        }
        return true;
    }

    // Cuts `rest` where the first of those receive sets begins or ends.
    SendSubset lowest_subset(const Piece& rest, std::span<const int> receives) const {
        if (receives.empty()) return {rest, no_set};
        const Piece& places = receive(receives.front()).places;
        const bool inside = places.first_index() <= rest.first_index();
        const std::uintptr_t border = inside ? places.end_index() : places.first_index();
        const std::size_t size = std::min<std::size_t>(rest.size, border - rest.first_index());
        return {{rest.begin, size}, inside ? receives.front() : no_set};
    }

    std::span<SendSet> sends_;
    std::span<ReceiveSet> receives_;
    std::span<SendSubset> subsets_;
    std::span<int> order_;
    int count_ = 0; // subsets
};

} // namespace switchyard::algorithms::patterns
