// The receiving side of an exchange in place: the request to each source, the places for its data, and the
// free space afterwards.
#pragma once

#include "algorithms/algorithm.hpp"
#include "algorithms/alltoallv/in_place_scratch.hpp"
#include "algorithms/transport/messages/copy.hpp"
#include "algorithms/transport/messages/wire.hpp"

namespace switchyard::algorithms::alltoallv {

class Incoming {
  public:
    Incoming(const Group& group, Context& context, IndexSets& sets, const InPlaceLayout& layout)
        : group_(group), wire_(context.wire), sets_(sets),
          rooms_(context.workspace.take_array<Room>(layout.ranks)),
          auxiliary_(context.workspace.take_array<AuxiliaryBuffer>(layout.buffers),
                     context.workspace.take(layout.buffers * layout.buffer_bytes).data(),
                     layout.buffer_bytes) {}

    std::size_t left(int source) const { return sets_.places(source).size - auxiliary_.waiting(source); }

    // Section 3.3: finds room for the data of the next phase, free space first. The room counts as filled
    // from here on, since the data is sure to come.
    Request determine(int source) {
        const std::size_t all = left(source);
        const std::size_t free = sets_.free_space(source);
        const std::size_t ahead = std::min(all - free, auxiliary_.room(source));
        room(source) = {.free = {sets_.places(source).begin, free},
                        .ahead = {auxiliary_.append(source, ahead), ahead},
                        .asks = all > 0};
        sets_.fill_lowest(source, free);
        return {free + ahead, free + ahead == all};
    }
    // Whether this rank sends the source a request in this phase.
    bool asks(int source) const { return room(source).asks; }

    void receive(int source) {
        const auto [free, ahead, asks] = room(source);
        if (free.size > 0 && ahead.size > 0) {
            const Part parts[] = {{free.begin, free.size}, {ahead.begin, ahead.size}};
            wire_.receive_parts(source, parts);
        } else {
            wire_.receive(source, free.begin, free.size);
            wire_.receive(source, ahead.begin, ahead.size);
        }
    }

    // Takes the data that this rank sends itself, as from any other source but without a message.
    void copy_own() {
        Interval places[] = {room(group_.rank).free, room(group_.rank).ahead};
        Interval* place = places;
        sets_.take_first(group_.rank, places[0].size + places[1].size, [&](Interval data) {
            while (data.size > 0) {
                const std::size_t size = std::min(data.size, place->size);
                copy_bytes(place->begin, data.begin, size);
                data = {data.begin + size, data.size - size};
                *place = {place->begin + size, place->size - size};
                if (place->size == 0) ++place;
            }
        });
    }

    // Section 3.4: joins free space, and empties the auxiliary buffers into it.
    void update() {
        sets_.settle(group_.rank);
        for (int source = 0; source < group_.size; ++source) {
            sets_.join(source);
            const std::size_t waiting = std::min(auxiliary_.waiting(source), sets_.free_space(source));
            auxiliary_.empty_into(sets_.places(source).begin, source, waiting);
            sets_.fill_lowest(source, waiting);
        }
    }

  private:
    Room& room(int source) const { return rooms_[static_cast<std::size_t>(source)]; }

    const Group& group_;
    Wire& wire_;
    IndexSets& sets_;
    const std::span<Room> rooms_; // by source
    AuxiliaryBuffers auxiliary_;
};

} // namespace switchyard::algorithms::alltoallv
