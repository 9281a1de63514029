// One end of a stream: bytes of an exchange that an epoch has no room for.
#pragma once

#include "node_section.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace switchyard::algorithms {

struct Stream {
    int local = 0;                                    // the rank at the other end
    std::byte* data = nullptr;                        // of the block or its place; in a gather, of an offer
    std::size_t bytes = 0;                            // in all
    std::size_t begin = 0, slot_bytes = 0, slots = 0; // where the slots lie
    std::size_t room = 0;                             // bytes of the block's place
    std::uintptr_t from = 0, proof = 0;               // as in StreamPlace
    bool is_offered = false; // likewise; before NodeOffers::begin(): whatever its size
    bool is_for_all = false; // through slots that all other ranks read
    std::size_t done = 0;    // bytes written or read

    bool is_over() const { return done == bytes; }
    // A piece fills a slot.
    std::uint64_t pieces() const { return (bytes + slot_bytes - 1) / slot_bytes; }
    std::size_t next() const { return std::min(slot_bytes, bytes - done); }
    std::size_t slot() const { return begin + done / slot_bytes % slots * slot_bytes; }

    // Gives the stream slots, which fill an area of the writer's section.
    void lay_out_slots(section::Area area) {
        using section::line_bytes;
        const std::size_t end_of_area = area.begin + area.bytes;
        begin = area.bytes < 2 * line_bytes ? area.begin : section::rounded_up(area.begin, line_bytes);
        const std::size_t in_slots = end_of_area - begin;
        slot_bytes =
            std::min(in_slots < line_bytes ? in_slots : in_slots / line_bytes * line_bytes, most_slot_bytes);
        slots = in_slots / slot_bytes;
    }
    // What its writer tells its reader.
    section::StreamPlace place() const {
        return {.bytes = bytes,
                .begin = static_cast<std::uint32_t>(begin),
                .slot_bytes = static_cast<std::uint32_t>(slot_bytes),
                .slots = static_cast<std::uint32_t>(slots),
                .shown_or_offered = is_offered ? 1U : 0U,
                .from = from,
                .proof = proof,
                .shown_bytes = 0};
    }

    // Several slots fit into a core's second-level cache.
    static constexpr std::size_t most_slot_bytes = std::size_t{64} * 1024;
};

// The result of one turn through all streams. A turn moves as many slots of each stream as it can.
struct Served {
    bool some = false, all_are_over = true;
    template <typename MoveSlot>
    void note(Stream& stream, MoveSlot&& move_slot) {
        while (move_slot(stream)) some = true;
        all_are_over = all_are_over && stream.is_over();
    }
};

} // namespace switchyard::algorithms
