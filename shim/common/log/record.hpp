// What a call leaves behind in the call path: a few slots of fixed size in a mapped file, nothing
// formatted, nothing allocated. `calls.jsonl` is made from these slots at the end of the run, or by
// `switchyard report` if the run had no end.
#pragma once

#include <cstddef>
#include <cstdint>
#include <iterator>

namespace switchyard::shim::log {

// One call as one rank saw it. Times in nanoseconds, sizes in bytes, all for this rank only unless said
// otherwise. A call whose time is all exchange leaves only this.
struct CallHead {
    std::uint32_t communicator = 0; // this rank's number for it, see Names
    std::uint32_t sequence = 0;     // of the call on its communicator, from 1; the same on all its ranks
#define SWITCHYARD_HEAD(type, name, initial, place, merged) type name = initial;
#define SWITCHYARD_FLAG(name, slot, bit, merged) bool name = false;
#include "fields.def"
};

struct CallRecord : CallHead {
#define SWITCHYARD_HEAD(...)
#define SWITCHYARD_VALUE(type, name, slot, place) type name = 0;
#define SWITCHYARD_SPLIT(name, place, place_of_all) std::uint64_t name##_inter = 0;
#include "fields.def"
};

// A call that is only counted, as this rank saw it (detail `all`). It has no number on its communicator,
// since the ranks agree on nothing for it.
struct CountedRecord {
    std::uint64_t begin = 0, elapsed = 0;
    std::uint64_t sent = 0;
    std::uint32_t ranks = 0;  // of the communicator; 0: not known, after an error
    std::uint8_t counted = 0; // shim::Counted
    std::uint8_t binding = 0;
    bool large_count = false;
};

enum class SlotKind : std::uint8_t { none, call, detail, nodes, copies, counted, moves, phases, more_phases };
inline constexpr std::size_t slot_kinds = 9;

namespace slot_flag { // in Slot::flags
#define SWITCHYARD_FLAG(name, slot, bit, merged) inline constexpr std::uint8_t name = bit;
#include "fields.def"
} // namespace slot_flag

// A record's layout in the file: a head that all kinds share, then the fields of its kind (fields.def; those
// of a counted record are in counted()). Native calls and those on the fast path leave one slot, other routed
// calls two, between nodes three; staged calls leave one more, and so do calls that were looked at closely.
// Where the phases of algorithms are timed, routed calls leave two more.
struct Slot {
    std::uint32_t communicator = 0, sequence = 0;
    std::uint64_t number = 0; // of the slot on this rank, from 0
    std::uint64_t values[4] = {};
    std::uint32_t pair[2] = {};
    std::uint8_t collective = 0, binding = 0; // call; counted: the collective is a shim::Counted
    std::uint8_t flags = 0;
    SlotKind kind = SlotKind::none; // written last: a slot without it was never finished
    std::uint32_t unused = 0;

    static Slot call(const CallHead& record) { return of<SlotKind::call>(record); }
    static Slot detail(const CallRecord& record) { return of<SlotKind::detail>(record); }
    static Slot nodes(const CallRecord& record) { return of<SlotKind::nodes>(record); }
    static Slot copies(const CallRecord& record) { return of<SlotKind::copies>(record); }
    static Slot moves(const CallRecord& record) { return of<SlotKind::moves>(record); }
    static Slot phases(const CallRecord& record) { return of<SlotKind::phases>(record); }
    static Slot more_phases(const CallRecord& record) { return of<SlotKind::more_phases>(record); }
    static Slot counted(const CountedRecord& record);
    // Slots of calls that are only counted belong to no communicator that has a name.
    static constexpr std::uint32_t no_communicator = 0;
    std::uint32_t& decision() { return pair[0]; } // of a call
    std::uint32_t& calls() { return pair[1]; }
    // Fills the fields of the record that this slot has.
    void tell(CallRecord& record) const;
    CountedRecord counted_record() const;
    // Adds another slot of the same kind: times, bytes and messages add up, the largest block stays, the
    // first begin stays.
    void add(const Slot& more);

  private:
    template <SlotKind wanted, typename Record>
    static Slot of(const Record& record);
    template <SlotKind told>
    void tell_as(CallRecord& record) const;
    static void put(std::uint64_t& place, std::uint64_t value) { place = value; }
    static void put(std::uint32_t& place, std::uint64_t value) {
        place = static_cast<std::uint32_t>(value < UINT32_MAX ? value : UINT32_MAX);
    }
    static void put(std::uint8_t& place, std::uint8_t value) { place = value; }
};
static_assert(sizeof(Slot) == 64);

// Code without a loop: of the table only the fields of this kind of slot are left. A call to it from each
// recorded call would take 14 instructions more.
template <SlotKind wanted, typename Record>
[[gnu::always_inline]] inline Slot Slot::of(const Record& record) {
    Slot slot;
    slot.communicator = record.communicator;
    slot.sequence = record.sequence;
#define SWITCHYARD_VALUE(type, name, at, place)                                                              \
    if constexpr (wanted == SlotKind::at) put(slot.place, record.name);
#define SWITCHYARD_FLAG(name, at, bit, merged)                                                               \
    if constexpr (wanted == SlotKind::at)                                                                    \
        slot.flags = static_cast<std::uint8_t>(slot.flags + (record.name ? bit : 0));
#include "fields.def"
    slot.kind = wanted;
    return slot;
}

inline Slot Slot::counted(const CountedRecord& record) {
    Slot slot;
    slot.communicator = no_communicator;
    slot.sequence = 1;
    slot.values[0] = record.begin;
    slot.values[1] = record.elapsed;
    slot.values[2] = record.sent;
    slot.pair[0] = record.ranks;
    slot.collective = record.counted;
    slot.binding = record.binding;
    slot.flags = record.large_count ? slot_flag::large_count : 0;
    slot.kind = SlotKind::counted;
    return slot;
}

inline CountedRecord Slot::counted_record() const {
    return {
        values[0], values[1], values[2], pair[0], collective, binding, (flags & slot_flag::large_count) != 0};
}

template <SlotKind told>
void Slot::tell_as(CallRecord& record) const {
#define SWITCHYARD_VALUE(type, name, at, place)                                                              \
    if constexpr (told == SlotKind::at) record.name = place;
#define SWITCHYARD_FLAG(name, at, bit, merged)                                                               \
    if constexpr (told == SlotKind::at) record.name = (flags & slot_flag::name) != 0;
#include "fields.def"
}

inline void Slot::tell(CallRecord& record) const {
    record.communicator = communicator;
    record.sequence = sequence;
    if (kind == SlotKind::detail) tell_as<SlotKind::detail>(record);
    if (kind == SlotKind::nodes) tell_as<SlotKind::nodes>(record);
    if (kind == SlotKind::copies) tell_as<SlotKind::copies>(record);
    if (kind == SlotKind::moves) tell_as<SlotKind::moves>(record);
    if (kind == SlotKind::phases) tell_as<SlotKind::phases>(record);
    if (kind == SlotKind::more_phases) tell_as<SlotKind::more_phases>(record);
    if (kind != SlotKind::call) return;
    tell_as<SlotKind::call>(record);
    if (!record.has_detail) record.exchange = record.elapsed;
}

inline void Slot::add(const Slot& more) {
    const auto add_bounded = [](std::uint32_t& sum, std::uint32_t value) {
        sum = value < UINT32_MAX - sum ? sum + value : UINT32_MAX;
    };
    if (kind == SlotKind::call) {
        add_bounded(calls(), more.pair[1]);
        values[1] += more.values[1];
        values[2] = values[2] < more.values[2] ? more.values[2] : values[2];
        values[3] += more.values[3];
        flags |= more.flags;
        return;
    }
    for (std::size_t i = 0; i < std::size(values); ++i) values[i] += more.values[i];
    if (kind == SlotKind::moves) { // the second number is the largest of its kind
        add_bounded(pair[0], more.pair[0]);
        pair[1] = pair[1] < more.pair[1] ? more.pair[1] : pair[1];
        return;
    }
    for (std::size_t i = 0; i < std::size(pair); ++i) add_bounded(pair[i], more.pair[i]);
}

// The slots that a record leaves, the call's first.
template <typename Use>
[[gnu::always_inline]] inline void for_each_slot(const CallHead& record, const Use& use) {
    use(Slot::call(record));
}
template <typename Use>
[[gnu::always_inline]] inline void for_each_slot(const CallRecord& record, const Use& use) {
    use(Slot::call(record));
    if (record.has_moves) use(Slot::moves(record));
    if (!record.has_detail) return;
    use(Slot::detail(record));
    if (record.has_nodes) use(Slot::nodes(record));
    if (record.is_staged) use(Slot::copies(record));
    if (!record.has_phases) [[likely]]
        return;
    use(Slot::phases(record));
    use(Slot::more_phases(record));
}

template <typename Use>
[[gnu::always_inline]] inline void for_each_slot(const CountedRecord& record, const Use& use) {
    use(Slot::counted(record));
}

// The first slot of a rank's record file.
struct RecordFileHeader {
    char magic[16] = "switchyard rec1";
    std::uint32_t version = 1;
    std::uint32_t slot_size = sizeof(Slot);
    std::int32_t rank = 0;
    std::int32_t ranks = 0;
    char unused[32] = {};
};
static_assert(sizeof(RecordFileHeader) == sizeof(Slot));

} // namespace switchyard::shim::log
