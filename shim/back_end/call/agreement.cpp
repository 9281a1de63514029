#include "agreement.hpp"

#include "shim/back_end/arguments/datatype.hpp"

#include <algorithm>
#include <array>

namespace switchyard::shim {

namespace {

// Counts of both sides must be there and not negative; MPI's own checks see the rest.
bool counts_are_valid(const Numbers& counts, int blocks) {
    for (int i = 0; i < blocks; ++i)
        if (counts[i] < 0) return false;
    return true;
}

bool side_is_valid(const CallArgs::Side& side, int blocks, bool is_vector) {
    if (side.type == MPI_DATATYPE_NULL) return false;
    if (!is_vector) return side.counts.value() >= 0;
    return side.counts.is_array() && side.displacements.is_array() && counts_are_valid(side.counts, blocks);
}

Measure measure_vector(const CallArgs& call, const CommState& state, std::size_t size) {
    Measure result{true, 0, 0};
    const auto& counts = call.outgoing().counts;
    std::int64_t largest = 0, sum = 0;
    for (int i = 0; i < state.blocks(); ++i) {
        std::int64_t count = i == state.own_block() ? 0 : counts[i];
        largest = std::max(largest, count);
        sum += count;
    }
    result.max_block = static_cast<std::size_t>(largest) * size;
    result.sent = static_cast<std::size_t>(sum) * size;
    return result;
}

} // namespace

Measure measure(const CallArgs& call, const CommState& state) {
    bool is_vector = call.collective == Collective::alltoallv;
    if (!side_is_valid(call.recv, state.blocks(), is_vector)) return {};
    if (!call.in_place() && !side_is_valid(call.send, state.blocks(), is_vector)) return {};
    auto item = size_of(call.outgoing().type);
    if (item < 0) return {};
    auto size = static_cast<std::size_t>(item);
    if (is_vector) return measure_vector(call, state, size);
    auto block = static_cast<std::size_t>(call.outgoing().counts.value()) * size;
    auto others = static_cast<std::size_t>(state.blocks() - (state.own_block() >= 0 ? 1 : 0));
    return {true, others > 0 ? block : 0, block * others}; // nothing goes to others from a rank alone
}

int agree(Facts& facts, About about, const Rails& rails) {
    std::array<unsigned long long, 9> mine = {facts.max_block, facts.not_ready,  facts.overlapping,
                                              facts.owed,      facts.has_driver, facts.on_device,
                                              facts.unaware,   facts.unusable,   facts.staging_bytes};
    std::array<unsigned long long, 9> all{};
    const int code = PMPI_Allreduce(mine.data(), all.data(),
                                    about.devices ? static_cast<int>(all.size())
                                    : about.times ? 4
                                                  : 3,
                                    MPI_UNSIGNED_LONG_LONG, MPI_MAX, rails.group.comm);
    facts = {static_cast<std::size_t>(all[0]),
             all[1] != 0,
             all[2] != 0,
             all[4] != 0,
             all[5] != 0,
             all[6] != 0 || !about.devices,
             all[7] != 0,
             static_cast<std::size_t>(all[8]),
             all[3]};
    return code;
}

} // namespace switchyard::shim
