#include "measure.hpp"

#include "datatype.hpp"

#include <algorithm>

namespace switchyard::shim {

namespace {

bool is_complete(const CallArgs::Side& side) {
    if (side.type == MPI_DATATYPE_NULL) return false;
    if (side.counts.is_array()) return !side.counts.is_null() && !side.displacements.is_null();
    return side.counts.value() >= 0;
}

// Each type of counts has a loop of its own, so that no count costs a branch.
template <typename Count>
bool has_negative(const Count* counts, int blocks) {
    Count all = 0; // has the sign of any of them
    for (int i = 0; i < blocks; ++i) all |= counts[i];
    return all < 0;
}

bool has_negative(const Numbers& counts, int blocks) {
    if (!counts.is_array()) return false; // is_complete() has looked
    return counts.is_ints() ? has_negative(counts.ints(), blocks) : has_negative(counts.wide(), blocks);
}

template <typename Count>
Measure measure_array(const Count* counts, int blocks, int own, std::size_t size) {
    if (has_negative(counts, blocks)) return {};
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
    return {true, static_cast<std::size_t>(largest) * size, static_cast<std::size_t>(sum) * size};
}

Measure measure_array(const Numbers& counts, int blocks, int own, std::size_t size) {
    return counts.is_ints() ? measure_array(counts.ints(), blocks, own, size)
                            : measure_array(counts.wide(), blocks, own, size);
}

Measure measure_number(std::int64_t count, int blocks, int own, std::size_t size) {
    const auto block = static_cast<std::size_t>(count) * size;
    const auto others = static_cast<std::size_t>(blocks - (own >= 0 ? 1 : 0));
    return {true, others > 0 ? block : 0, block * others}; // a rank alone sends nothing to others
}

// Where all blocks have one size: as much of a sent block as this rank receives of one. Only an erroneous program sends more;
// the algorithms would write that much into its receive buffer.
std::size_t received_part(const CallArgs& call, std::size_t sent) {
    const auto &send = call.send, &recv = call.recv;
    if (call.in_place() || (send.type == recv.type && send.counts.value() <= recv.counts.value()))
        return sent;
    const auto size = static_cast<std::size_t>(std::max<std::int64_t>(size_of(recv.type), 0));
    return std::min(sent, static_cast<std::size_t>(recv.counts.value()) * size);
}

} // namespace

Measure measure(const CallArgs& call, int blocks, int own) {
    if (!is_complete(call.recv)) return {};
    if (!call.in_place() && (!is_complete(call.send) || has_negative(call.recv.counts, blocks))) return {};
    const auto& outgoing = call.outgoing();
    const auto item = size_of(outgoing.type);
    if (item < 0) return {};
    const auto size = static_cast<std::size_t>(item);
    if (outgoing.counts.is_array()) return measure_array(outgoing.counts, blocks, own, size);
    auto measured = measure_number(outgoing.counts.value(), blocks, own, size);
    measured.max_block = received_part(call, measured.max_block);
    return measured;
}

Measure measure_plain(const CallArgs& call, int blocks, int own, std::size_t item) {
    const auto& counts = call.outgoing().counts;
    return counts.is_array() ? measure_array(counts, blocks, own, item)
                             : measure_number(counts.value(), blocks, own, item);
}

} // namespace switchyard::shim
