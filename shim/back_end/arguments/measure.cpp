#include "measure.hpp"

#include "datatype.hpp"

#include <algorithm>

namespace switchyard::shim {

namespace {

// Counts of both sides must be there and not negative; MPI's own checks see the rest.
bool counts_are_valid(const Numbers& counts, int blocks) {
    for (int i = 0; i < blocks; ++i)
        if (counts[i] < 0) return false;
    return true;
}

bool side_is_valid(const CallArgs::Side& side, int blocks, bool has_arrays) {
    if (side.type == MPI_DATATYPE_NULL) return false;
    if (!has_arrays) return side.counts.value() >= 0;
    return side.counts.is_array() && side.displacements.is_array() && counts_are_valid(side.counts, blocks);
}

Measure measure_array(const CallArgs& call, int blocks, int own, std::size_t size) {
    Measure result{true, 0, 0};
    const auto& counts = call.outgoing().counts;
    std::int64_t largest = 0, sum = 0;
    for (int i = 0; i < blocks; ++i) {
        const std::int64_t count = i == own ? 0 : counts[i];
        largest = std::max(largest, count);
        sum += count;
    }
    result.max_block = static_cast<std::size_t>(largest) * size;
    result.sent = static_cast<std::size_t>(sum) * size;
    return result;
}

} // namespace

Measure measure(const CallArgs& call, int blocks, int own) {
    const bool has_arrays = algorithms::traits_of(call.collective).has_count_arrays();
    if (!side_is_valid(call.recv, blocks, has_arrays)) return {};
    if (!call.in_place() && !side_is_valid(call.send, blocks, has_arrays)) return {};
    const auto item = size_of(call.outgoing().type);
    if (item < 0) return {};
    const auto size = static_cast<std::size_t>(item);
    if (has_arrays) return measure_array(call, blocks, own, size);
    const auto block = static_cast<std::size_t>(call.outgoing().counts.value()) * size;
    const auto others = static_cast<std::size_t>(blocks - (own >= 0 ? 1 : 0));
    return {true, others > 0 ? block : 0, block * others}; // a rank alone sends nothing to others
}

} // namespace switchyard::shim
