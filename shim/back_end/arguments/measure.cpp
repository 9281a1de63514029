#include "measure.hpp"

#include "blocks.hpp"
#include "datatype.hpp"

#include <algorithm>

namespace switchyard::shim {

namespace {

bool is_complete(const CallArgs::Side& side) {
    if (side.types == nullptr && side.type == MPI_DATATYPE_NULL) return false;
    if (side.counts.is_array()) return !side.counts.is_null() && !side.displacements.is_null();
    return side.counts.value() >= 0;
}

// Each type of counts has a loop of its own, so that no count costs a branch.
template <typename Count>
Count bits_of(const Count* counts, int blocks) {
    Count all = 0; // has the sign of any of them, and the highest bit
    for (int i = 0; i < blocks; ++i) all |= counts[i];
    return all;
}

std::int64_t bits_of(const Numbers& counts, int blocks) {
    if (!counts.is_array()) return counts.value();
    return counts.is_ints() ? bits_of(counts.ints(), blocks) : bits_of(counts.wide(), blocks);
}

std::uint64_t unsigned_bits(std::int64_t bits) {
    return static_cast<std::uint64_t>(bits);
}

// Where blocks lie one after the other, as in nearly all calls, the last displacement is the largest. Large
// counts have no limit that matters. `outgoing`: counts of the blocks that the rank sends, in an array.
[[gnu::always_inline]] inline std::uint64_t bits_of_last_places(const CallArgs& call,
                                                                const CallArgs::Side& outgoing, int blocks) {
    if (!outgoing.counts.is_ints()) return 0;
    return unsigned_bits(call.recv.displacements.ints()[blocks - 1] |
                         outgoing.displacements.ints()[blocks - 1]);
}

template <typename Count>
Measure measure_array(const Count* counts, int blocks, int own, std::size_t size, std::uint64_t other_bits) {
    const auto bits = bits_of(counts, blocks);
    if (bits < 0) return {};
    Count largest = 0;
    std::int64_t sum = 0;
    const auto add = [&](int begin, int end) {
        for (int i = begin; i < end; ++i) {
            largest = std::max(largest, counts[i]);
            sum += counts[i];
        }
    };
    add(0, std::max(own, 0));
    add(own + 1, blocks);
    const auto sent = static_cast<std::size_t>(sum) * size;
    return {true, static_cast<std::size_t>(largest) * size, sent, unsigned_bits(bits) | sent | other_bits};
}

// `other_bits`: of the call's other numbers.
Measure measure_array(const Numbers& counts, int blocks, int own, std::size_t size,
                      std::uint64_t other_bits) {
    return counts.is_ints() ? measure_array(counts.ints(), blocks, own, size, other_bits)
                            : measure_array(counts.wide(), blocks, own, size, other_bits);
}

Measure measure_number(std::int64_t count, int blocks, int own, std::size_t size) {
    const auto block = static_cast<std::size_t>(count) * size;
    const auto others = static_cast<std::size_t>(blocks - (own >= 0 ? 1 : 0));
    // A rank alone sends nothing to others.
    return {true, others > 0 ? block : 0, block * others, unsigned_bits(count) | block * others};
}

// For a call with a type for each block. MPI_DATATYPE_NULL for a block with items is an error.
Measure measure_typed(const CallArgs& call, int blocks, int own, CallTypes& types) {
    const auto bits = bits_of(call.recv.counts, blocks) | bits_of(call.outgoing().counts, blocks);
    if (bits < 0) return {};
    types.received.look(call.recv, blocks, types.keyval);
    if (!call.in_place()) types.sent.look(call.send, blocks, types.keyval);
    const auto& outgoing = types.outgoing(call);
    if (types.received.has_null() || outgoing.has_null()) return {};
    Measure measured{.valid = true};
    const auto& counts = call.outgoing().counts;
    for (int i = 0; i < blocks; ++i) {
        if (i == own || counts[i] == 0) continue;
        const auto bytes = static_cast<std::size_t>(counts[i]) * outgoing[i].size;
        measured.max_block = std::max(measured.max_block, bytes);
        measured.sent += bytes;
    }
    measured.bits = unsigned_bits(bits) | measured.sent | bits_of_last_places(call, call.outgoing(), blocks);
    return measured;
}

// The sum and the largest of some counts.
struct Total {
    std::int64_t sum = 0, largest = 0;
};

template <typename Count>
Total total_of(const Count* counts, int blocks) {
    Count largest = 0;
    std::int64_t sum = 0;
    for (int i = 0; i < blocks; ++i) {
        largest = std::max(largest, counts[i]);
        sum += counts[i];
    }
    return {sum, largest};
}

// For a call in which a rank sends one block to everybody and receives blocks of different sizes. MPI
// guarantees that a block has the same number of bytes on every rank, whatever its type is there. So every
// rank's receive side says the same about all blocks.
Measure measure_gathered(const CallArgs& call, int blocks, int own, std::size_t item) {
    const auto& counts = call.recv.counts;
    const Total total = counts.is_ints() ? total_of(counts.ints(), blocks) : total_of(counts.wide(), blocks);
    const auto others = static_cast<std::size_t>(blocks - (own >= 0 ? 1 : 0));
    Measure measured{.valid = true};
    measured.max_block = others > 0 ? static_cast<std::size_t>(total.largest) * item : 0;
    measured.mean_block =
        (static_cast<std::size_t>(total.sum) * item + static_cast<std::size_t>(blocks) - 1) /
        static_cast<std::size_t>(blocks);
    if (call.in_place()) {
        measured.sent = own < 0 ? 0 : static_cast<std::size_t>(counts[own]) * item * others;
    } else {
        const auto size = static_cast<std::size_t>(std::max<std::int64_t>(size_of(call.send.type), 0));
        measured.sent = static_cast<std::size_t>(call.send.counts.value()) * size * others;
    }
    measured.bits = unsigned_bits(total.largest) | static_cast<std::size_t>(total.sum) * item |
                    measured.sent | bits_of_last_places(call, call.recv, blocks);
    return measured;
}

bool lacks_types(const CallArgs& call) {
    return algorithms::traits_of(call.collective).has_type_arrays() &&
           (call.recv.types == nullptr || call.outgoing().types == nullptr);
}

bool gathers_any_sizes(const CallArgs& call) {
    return call.recv.counts.is_array() && algorithms::traits_of(call.collective).sends_one_block();
}

// Bytes of a block that this rank receives, where all blocks have one size. `item`: bytes of an
// item of the sent blocks.
std::size_t received_block(const CallArgs& call, std::size_t item) {
    const auto count = static_cast<std::size_t>(call.recv.counts.value());
    if (call.in_place() || call.send.type == call.recv.type) return count * item;
    return count * static_cast<std::size_t>(std::max<std::int64_t>(size_of(call.recv.type), 0));
}

// A null buffer that is not MPI_BOTTOM: some bytes of its blocks would lie in the page at address 0.
bool lies_nowhere(const Blocks& blocks) {
    for (int i = 0; i < blocks.number(); ++i)
        if (const auto span = blocks.span(i); span.size > 0 && span.offset < end_of_nowhere) return true;
    return false;
}

// Programs with absolute addresses in their types pass such buffers as well, so each block is checked.
bool has_no_place(const CallArgs& call, const Peers& peers, const CallTypes& types) {
    return call.recv.buffer == MPI_IN_PLACE || lies_nowhere(Blocks::received(call, peers, types)) ||
           lies_nowhere(Blocks::sent(call, peers, types));
}

// Adds one side of a call among neighbours. False: a count is negative.
bool add_side(const CallArgs::Side& side, int blocks, const int* ranks, int own_rank, bool is_one_block,
              std::size_t item, Measure& measured, bool is_sent) {
    std::int64_t bits = side.counts.is_array() ? 0 : side.counts.value();
    std::size_t largest = 0, sum = 0;
    for (int i = 0; i < blocks; ++i) {
        const auto count = side.counts[i];
        bits |= count;
        if (!is_for_somebody(ranks, i) || ranks[i] == own_rank) continue;
        const auto bytes = static_cast<std::size_t>(count) * item;
        largest = std::max(largest, bytes);
        sum += bytes;
    }
    if (bits < 0) return false;
    if (side.displacements.is_ints() && blocks > 0 && !is_one_block)
        bits |= side.displacements.ints()[blocks - 1];
    measured.bits |= unsigned_bits(bits) | sum;
    if (!is_sent) return true;
    measured.max_block = largest;
    measured.sent = sum;
    return true;
}

Measure measure_neighbors(const CallArgs& call, const Peers& peers) {
    const bool sends_one = algorithms::traits_of(call.collective).sends_one_block();
    const auto item = size_of(call.send.type), received_item = size_of(call.recv.type);
    if (item < 0 || received_item < 0) return {};
    Measure measured{.valid = true};
    measured.valid = add_side(call.recv, peers.received, peers.sources, peers.rank, false,
                              static_cast<std::size_t>(received_item), measured, false) &&
                     add_side(call.send, peers.sent, peers.destinations, peers.rank, sends_one,
                              static_cast<std::size_t>(item), measured, true);
    return measured;
}

// An array without entries may be null.
bool is_complete_for(const CallArgs::Side& side, int blocks) {
    return is_complete(side) ||
           (blocks == 0 && side.types == nullptr && side.type != MPI_DATATYPE_NULL && side.counts.is_array());
}

[[gnu::always_inline]] inline Measure measure_sizes(const CallArgs& call, const Peers& peers,
                                                    CallTypes& types) {
    if (peers.are_neighbors) {
        if (call.in_place() || !is_complete_for(call.recv, peers.received) ||
            !is_complete_for(call.send, peers.sent))
            return {};
        return measure_neighbors(call, peers);
    }
    const int blocks = peers.received, own = peers.own;
    if (lacks_types(call) || !is_complete(call.recv)) return {};
    if (!call.in_place() && !is_complete(call.send)) return {};
    if (call.recv.types != nullptr) return measure_typed(call, blocks, own, types);
    const bool gathers = gathers_any_sizes(call);
    // In place these are the outgoing counts.
    const auto received = gathers || !call.in_place() ? bits_of(call.recv.counts, blocks) : 0;
    if (received < 0) return {};
    const auto& outgoing = call.outgoing();
    const auto item = size_of(gathers ? call.recv.type : outgoing.type);
    if (item < 0) return {};
    const auto size = static_cast<std::size_t>(item);
    if (gathers) return measure_gathered(call, blocks, own, size);
    if (outgoing.counts.is_array())
        return measure_array(outgoing.counts, blocks, own, size,
                             unsigned_bits(received) | bits_of_last_places(call, outgoing, blocks));
    auto measured = measure_number(outgoing.counts.value(), blocks, own, size);
    measured.mean_block = received_block(call, size);
    measured.bits |= measured.mean_block * static_cast<std::size_t>(blocks);
    // No more of a sent block than this rank receives. Only an erroneous program sends more, and the
    // algorithms would write all of it into its receive buffer.
    measured.max_block = std::min(measured.max_block, measured.mean_block);
    return measured;
}

// MPI refuses a call whose blocks with bytes lie nowhere.
[[gnu::noinline]] Measure measure_closely(const CallArgs& call, const Peers& peers, CallTypes& types) {
    const auto measured = measure_sizes(call, peers, types);
    return measured.valid && has_no_place(call, peers, types) ? Measure{} : measured;
}

} // namespace

Measure measure(const CallArgs& call, const Peers& peers, CallTypes& types) {
    if (!has_plain_buffers(call)) [[unlikely]]
        return measure_closely(call, peers, types);
    return measure_sizes(call, peers, types);
}

Measure measure_plain(const CallArgs& call, int blocks, int own, std::size_t item) {
    if (gathers_any_sizes(call)) return measure_gathered(call, blocks, own, item);
    const auto& counts = call.outgoing().counts;
    if (!counts.is_array()) return measure_number(counts.value(), blocks, own, item);
    return measure_array(counts, blocks, own, item, bits_of_last_places(call, call.outgoing(), blocks));
}

} // namespace switchyard::shim
