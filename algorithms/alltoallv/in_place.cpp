// Idea: in phases, each rank asks its sources for what it has free space for, and sending makes free space;
//   a little memory beside the buffer takes in what there is no free space for.
// Cost: a phase is a request of 8 bytes to every source that is not done, then the data: 2 * alpha + beta *
//   data. One phase where nothing is in the way; where all is, about (bytes in the way) / auxiliary_bytes.
// Needs: send blocks apart from each other, and receive blocks apart from each other; else all may overlap.
// Departs: requests are single messages, with a mark on the last one. No more auxiliary buffers than ranks or
//   bytes. Sources come by distance, so that the auxiliary buffers of different ranks serve different ones.
//   Joining moves no more bytes than it frees, unless pieces run out (IndexSets::join). The own block goes to
//   its place in one move once nothing else lies there.
// Source: in-place paper (irregular all-to-all with limited memory), section 3, algorithm 1.
#include "algorithms/algorithm.hpp"
#include "algorithms/copy.hpp"
#include "algorithms/patterns/scratch.hpp"

namespace switchyard::algorithms::alltoallv {

namespace {

using namespace patterns;

// Why it ends. A phase in which any rank asks for anything moves data, and every byte is sent once. So it
// could only go on for ever if at some point no rank could ask for anything. No rank has free space then: all
// that is left of its receive sets, with the places of what waits in auxiliary buffers, is full of bytes
// still to be sent. Summed over all ranks, what is still to be sent is what is still to be received, which is
// the places that are left without those of what waits. So nothing waits: the auxiliary buffers are empty,
// and any rank that is still to receive something can ask for it after all. The own block counts like any
// other; a lone rank, which has no auxiliary buffer, settles it at once.
//
// Why nobody waits in vain. Two ranks agree on what is left between them, the |S_i| of one and the |R_j| of
// the other: both exchange requests for it in each of their phases until there is nothing left.
class InPlace {
  public:
    InPlace(const Exchange& exchange, Context& context, const InPlaceLayout& layout)
        : exchange_(exchange), group_(exchange.group), wire_(context.wire),
          sends_(context.workspace.take_array<SendSet>(layout.ranks)),
          receives_(context.workspace.take_array<ReceiveSet>(layout.ranks)),
          sets_(sends_, receives_, context.workspace.take_array<SendSubset>(layout.subsets),
                context.workspace.take_array<int>(layout.order)),
          parts_(context.workspace.take_array<Part>(layout.subsets)),
          rooms_(context.workspace.take_array<Room>(layout.ranks)),
          asked_(context.workspace.take_array<std::uint64_t>(layout.ranks)),
          requested_(context.workspace.take_array<std::uint64_t>(layout.ranks)),
          auxiliary_(context.workspace.take_array<AuxiliaryBuffer>(layout.buffers),
                     context.workspace.take(layout.buffers * layout.buffer_bytes).data(),
                     layout.buffer_bytes) {
        static_assert(sizeof(Part) == sizeof(Piece), "scratch.hpp counts parts as pieces");
    }

    Status run() {
        if (!init()) return {MPI_ERR_BUFFER}; // an erroneous call: no order of moves makes sense of it
        update();
        while (something_is_left()) { // line 3
            determine();              // line 4
            if (const Status requests = exchange_requests(); !requests.ok()) {
                return requests; // nobody knows what to send
            }
            exchange_data();
            update(); // line 11
        }
        return status_;
    }

  private:
    static constexpr std::uint64_t last_mark = std::uint64_t{1} << 63;

    template <typename T>
    static T& at(std::span<T> list, int rank) {
        return list[static_cast<std::size_t>(rank)];
    }
    std::size_t left_to_receive(int source) const {
        return sets_.places(source).size - auxiliary_.waiting(source);
    }
    bool something_is_left() const {
        for (int peer = 0; peer < group_.size; ++peer) {
            if (sets_.left_to_send(peer) > 0 || left_to_receive(peer) > 0) return true;
        }
        return false;
    }

    // Section 3.2.
    bool init() {
        for (int peer = 0; peer < group_.size; ++peer) {
            // Moved, where it lies in a receive block; only read, where it does not.
            auto* const data = const_cast<std::byte*>(exchange_.send_to(peer));
            at(sends_, peer) = {.whole = {data, exchange_.send_size(peer)}};
            at(receives_, peer) = {.places = {exchange_.recv_from(peer), exchange_.recv_size(peer)}};
        }
        std::size_t& out = at(sends_, group_.rank).whole.size;
        std::size_t& in = at(receives_, group_.rank).places.size;
        if (out > in) status_.code = MPI_ERR_TRUNCATE;
        out = in = std::min(out, in);
        return sets_.split();
    }

    // Section 3.3: free space first. It counts as filled from here on, since the data is sure to come.
    void determine() {
        for (int distance = 1; distance <= group_.size; ++distance) {
            const int source = group_.down(distance);
            const std::size_t left = left_to_receive(source);
            const std::size_t free = sets_.free_space(source);
            const std::size_t ahead = std::min(left - free, auxiliary_.room(source));
            at(rooms_, source) = {.free = {sets_.places(source).begin, free},
                                  .ahead = {auxiliary_.append(source, ahead), ahead},
                                  .asks = left > 0};
            sets_.fill_lowest(source, free);
            at(asked_, source) = free + ahead + (free + ahead == left ? last_mark : 0);
        }
    }

    // Lines 5 to 7: with each partner with which something is left.
    Status exchange_requests() {
        for (int distance = 1; distance < group_.size; ++distance) {
            const int destination = group_.down(distance);
            if (sets_.left_to_send(destination) > 0) {
                auto* const request = reinterpret_cast<std::byte*>(&at(requested_, destination));
                wire_.receive(destination, request, sizeof(std::uint64_t));
            }
        }
        for (int distance = 1; distance < group_.size; ++distance) {
            const int source = group_.up(distance);
            if (at(rooms_, source).asks) {
                const auto* const request = reinterpret_cast<const std::byte*>(&at(asked_, source));
                wire_.send(source, request, sizeof(std::uint64_t));
            }
        }
        return wire_.wait_all();
    }

    // Lines 8 to 10. Data is received only where nothing lies that is still to be sent, so the own block can
    // be served meanwhile.
    void exchange_data() {
        for (int distance = 1; distance < group_.size; ++distance) {
            receive(group_.down(distance));
        }
        for (int distance = 1; distance < group_.size; ++distance) {
            const int destination = group_.up(distance);
            if (sets_.left_to_send(destination) > 0) send(destination);
        }
        copy_own();
        status_.keep(wire_.wait_all());
    }

    void receive(int source) {
        const Room& room = at(rooms_, source);
        if (room.free.size > 0 && room.ahead.size > 0) {
            const Part parts[] = {{room.free.begin, room.free.size}, {room.ahead.begin, room.ahead.size}};
            wire_.receive_parts(source, parts);
        } else {
            wire_.receive(source, room.free.begin, room.free.size);
            wire_.receive(source, room.ahead.begin, room.ahead.size);
        }
    }

    void send(int destination) {
        const std::uint64_t request = at(requested_, destination);
        const std::size_t left = sets_.left_to_send(destination);
        const std::size_t asked = std::min<std::size_t>(left, request & ~last_mark);
        std::size_t count = 0;
        sets_.take_first(destination, asked, [&](Piece piece) {
            if (count > 0 && parts_[count - 1].data + parts_[count - 1].bytes == piece.begin) {
                parts_[count - 1].bytes += piece.size;
            } else {
                parts_[count++] = {piece.begin, piece.size};
            }
        });
        if (count == 1) {
            wire_.send(destination, parts_[0].data, parts_[0].bytes);
        } else {
            wire_.send_parts(destination, parts_.first(count));
        }
        if (((request & last_mark) != 0) != (asked == left)) {
            // The counts of the two ranks differ.
            status_.keep({MPI_ERR_TRUNCATE});
            sets_.take_first(destination, left - asked, [](Piece) {});
        }
    }

    // From itself a rank receives like from any other, without a message.
    void copy_own() {
        Piece places[] = {at(rooms_, group_.rank).free, at(rooms_, group_.rank).ahead};
        Piece* place = places;
        sets_.take_first(group_.rank, places[0].size + places[1].size, [&](Piece piece) {
            while (piece.size > 0) {
                const std::size_t part = std::min(piece.size, place->size);
                copy_bytes(place->begin, piece.begin, part);
                piece = {piece.begin + part, piece.size - part};
                *place = {place->begin + part, place->size - part};
                if (place->size == 0) ++place;
            }
        });
    }

    // Section 3.4.
    void update() {
        sets_.settle(group_.rank);
        for (int source = 0; source < group_.size; ++source) {
            sets_.join(source);
            const std::size_t waiting = std::min(auxiliary_.waiting(source), sets_.free_space(source));
            auxiliary_.empty_into(sets_.places(source).begin, source, waiting);
            sets_.fill_lowest(source, waiting);
        }
    }

    const Exchange& exchange_;
    const Group& group_;
    Wire& wire_;
    const std::span<SendSet> sends_;
    const std::span<ReceiveSet> receives_;
    IndexSets sets_;
    const std::span<Part> parts_; // of one message
    const std::span<Room> rooms_; // by source
    const std::span<std::uint64_t> asked_, requested_;
    AuxiliaryBuffers auxiliary_;
    Status status_;
};

} // namespace

Status in_place(const Exchange& exchange, Context& context) {
    const int ranks = exchange.group.size;
    if (!context.workspace.has(in_place_scratch_bytes(ranks, exchange.max_block, context.parameters))) {
        return {MPI_ERR_NO_MEM};
    }
    return InPlace(exchange, context, in_place_layout(ranks, context.parameters)).run();
}

} // namespace switchyard::algorithms::alltoallv
