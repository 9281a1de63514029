// What a call leaves behind in the call path: one to four slots of fixed size in a mapped file, nothing
// formatted, nothing allocated. `calls.jsonl` is made from these slots at the end of the run, or by
// `switchyard report` if the run had no end.
#pragma once

#include <cstddef>
#include <cstdint>
#include <iterator>

namespace switchyard::shim::log {

// One call as one rank saw it. Times in nanoseconds, sizes in bytes, all for this rank only unless said
// otherwise. A call in which nothing of ours took part leaves only this.
struct CallHead {
    std::uint32_t communicator = 0; // this rank's number for it, see Names
    std::uint32_t sequence = 0;     // of the call on its communicator, from 1; the same on all its ranks
    std::uint32_t decision = 0;     // this rank's number for what was chosen and why, see Names
    std::uint32_t calls = 1;        // more than one where calls are summed up (detail `summary`)
    std::uint8_t collective = 0;    // algorithms::Collective
    std::uint8_t binding = 0;       // shim::Binding
    bool in_place = false;
    bool large_count = false;  // an MPI-4 `_c` function
    bool has_detail = false;   // something of ours took part: CallRecord's fields count
    bool has_nodes = false;    // on several nodes: messages_inter and wire_bytes_inter count
    bool on_device = false;    // some buffer is on a device
    bool is_staged = false;    // and was copied through host memory on this rank: copy_in, copy_out count
    bool is_mapped = false;    // and went from GPU to GPU
    std::uint64_t begin = 0;   // since the run's start
    std::uint64_t elapsed = 0; // of the call as the application sees it
    std::uint64_t max_block =
        0;                  // largest block: agreed by all ranks where the call agreed, else this rank's own
    std::uint64_t sent = 0; // to other ranks, as the application asked for
};

struct CallRecord : CallHead {
    std::uint64_t agree = 0;                                // in the agreement
    std::uint64_t stage = 0;                                // packing and unpacking
    std::uint64_t exchange = 0;                             // in the algorithm or the MPI library
    std::uint64_t wire_bytes = 0;                           // that our algorithm handed to MPI
    std::uint64_t messages = 0;                             // likewise
    std::uint64_t rounds = 0;                               // how often the algorithm waited
    std::uint64_t messages_inter = 0, wire_bytes_inter = 0; // the part to ranks of other nodes
    std::uint64_t copy_in = 0, copy_out = 0;                // from the device and back to it
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

enum class SlotKind : std::uint8_t { none, call, detail, nodes, copies, counted };
inline constexpr std::size_t slot_kinds = 6;

// A record's layout in the file: a head that all kinds share, then the fields of its kind. Most calls are
// native and leave one slot; routed calls between nodes leave three, staged calls one more.
struct Slot {
    std::uint32_t communicator = 0, sequence = 0;
    std::uint64_t number = 0;     // of the slot on this rank, from 0
    std::uint64_t values[4] = {}; // call: begin, elapsed, max_block, sent; detail: agree, stage, exchange,
                                  // wire_bytes; nodes: messages and bytes, to other nodes and in all;
                                  // copies: copy_in, copy_out; counted: begin, elapsed, sent
    std::uint32_t pair[2] = {};   // call: decision, calls (more than one where calls are summed up);
                                  // detail: messages, rounds; counted: ranks
    std::uint8_t collective = 0, binding = 0; // call; counted: the collective is a shim::Counted
    std::uint8_t flags = 0;                   // call; detail: only has_nodes
    SlotKind kind = SlotKind::none;           // written last: a slot without it was never finished
    std::uint32_t unused = 0;

    static constexpr std::uint8_t in_place = 1, large_count = 2, has_detail = 4, has_nodes = 8,
                                  on_device = 16, is_staged = 32, is_mapped = 64;
    static Slot call(const CallHead& record);
    static Slot detail(const CallRecord& record);
    static Slot nodes(const CallRecord& record);
    static Slot copies(const CallRecord& record);
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
};
static_assert(sizeof(Slot) == 64);

inline Slot Slot::call(const CallHead& record) {
    Slot slot;
    slot.communicator = record.communicator;
    slot.sequence = record.sequence;
    slot.values[0] = record.begin;
    slot.values[1] = record.elapsed;
    slot.values[2] = record.max_block;
    slot.values[3] = record.sent;
    slot.pair[0] = record.decision;
    slot.pair[1] = record.calls;
    slot.collective = record.collective;
    slot.binding = record.binding;
    slot.flags =
        static_cast<std::uint8_t>((record.in_place ? in_place : 0) | (record.large_count ? large_count : 0) |
                                  (record.has_detail ? has_detail : 0) | (record.on_device ? on_device : 0) |
                                  (record.is_staged ? is_staged : 0) | (record.is_mapped ? is_mapped : 0));
    slot.kind = SlotKind::call;
    return slot;
}

inline Slot Slot::detail(const CallRecord& record) {
    auto bounded = [](std::uint64_t value) {
        return static_cast<std::uint32_t>(value < UINT32_MAX ? value : UINT32_MAX);
    };
    Slot slot;
    slot.communicator = record.communicator;
    slot.sequence = record.sequence;
    slot.values[0] = record.agree;
    slot.values[1] = record.stage;
    slot.values[2] = record.exchange;
    slot.values[3] = record.wire_bytes;
    slot.pair[0] = bounded(record.messages);
    slot.pair[1] = bounded(record.rounds);
    slot.flags = record.has_nodes ? has_nodes : 0;
    slot.kind = SlotKind::detail;
    return slot;
}

inline Slot Slot::nodes(const CallRecord& record) {
    Slot slot;
    slot.communicator = record.communicator;
    slot.sequence = record.sequence;
    slot.values[0] = record.messages_inter;
    slot.values[1] = record.wire_bytes_inter;
    slot.values[2] = record.messages;
    slot.values[3] = record.wire_bytes;
    slot.kind = SlotKind::nodes;
    return slot;
}

inline Slot Slot::copies(const CallRecord& record) {
    Slot slot;
    slot.communicator = record.communicator;
    slot.sequence = record.sequence;
    slot.values[0] = record.copy_in;
    slot.values[1] = record.copy_out;
    slot.kind = SlotKind::copies;
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
    slot.flags = record.large_count ? large_count : 0;
    slot.kind = SlotKind::counted;
    return slot;
}

inline CountedRecord Slot::counted_record() const {
    return {values[0], values[1], values[2], pair[0], collective, binding, (flags & large_count) != 0};
}

inline void Slot::tell(CallRecord& record) const {
    record.communicator = communicator;
    record.sequence = sequence;
    if (kind == SlotKind::detail) {
        record.agree = values[0];
        record.stage = values[1];
        record.exchange = values[2];
        record.wire_bytes = values[3];
        record.messages = pair[0];
        record.rounds = pair[1];
        record.has_nodes = (flags & has_nodes) != 0;
    } else if (kind == SlotKind::nodes) {
        record.messages_inter = values[0];
        record.wire_bytes_inter = values[1];
        record.messages = values[2];
        record.wire_bytes = values[3];
    } else if (kind == SlotKind::copies) {
        record.copy_in = values[0];
        record.copy_out = values[1];
    } else if (kind == SlotKind::call) {
        record.begin = values[0];
        record.elapsed = values[1];
        record.max_block = values[2];
        record.sent = values[3];
        record.decision = pair[0];
        record.calls = pair[1];
        record.collective = collective;
        record.binding = binding;
        record.in_place = (flags & in_place) != 0;
        record.large_count = (flags & large_count) != 0;
        record.has_detail = (flags & has_detail) != 0;
        record.on_device = (flags & on_device) != 0;
        record.is_staged = (flags & is_staged) != 0;
        record.is_mapped = (flags & is_mapped) != 0;
        if (!record.has_detail) record.exchange = record.elapsed;
    }
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
    if (!record.has_detail) return;
    use(Slot::detail(record));
    if (record.has_nodes) use(Slot::nodes(record));
    if (record.is_staged) use(Slot::copies(record));
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
