#include "agree_on_call.hpp"

#include "algorithms/transport/agree_on_largest.hpp"
#include "algorithms/transport/messages/mpi_types.hpp"
#include "shim/back_end/process/clock.hpp"

#include <algorithm>
#include <array>
#include <span>

namespace switchyard::shim {

namespace {

// How many of the words below the ranks exchange: the first three always, two more if a rule looks at totals,
// all if there may be device buffers. The same on all ranks.
enum MessageWords : std::size_t { always = 3, with_totals = 5, with_devices = 11 };
using Readiness = device::DeviceWindow::Readiness;
using Message = std::array<std::uint64_t, with_devices>;

Message message_of(const Facts& facts) {
    return {facts.max_block,
            facts.not_ready,
            facts.overlapping,
            facts.total_bytes,
            facts.skew,
            facts.has_driver,
            facts.on_device,
            facts.unaware,
            facts.unusable,
            facts.staging_bytes,
            static_cast<std::uint64_t>(facts.mapping)};
}

// Words that were not exchanged are zero: nobody has device memory, and no MPI is known to take it.
Facts facts_of(const Message& message, MessageWords words) {
    return {.max_block = static_cast<std::size_t>(message[0]),
            .total_bytes = static_cast<std::size_t>(message[3]),
            .skew = message[4],
            .not_ready = message[1] != 0,
            .overlapping = message[2] != 0,
            .has_driver = message[5] != 0,
            .on_device = message[6] != 0,
            .unaware = message[7] != 0 || words != with_devices,
            .unusable = message[8] != 0,
            .mapping = words == with_devices ? static_cast<Readiness>(message[10]) : Readiness::unable,
            .staging_bytes = static_cast<std::size_t>(message[9])};
}

Facts own_facts(const CallContext& context, const Plan& plan, Packing& packing, const DeviceCall* device,
                bool has_memory) {
    Facts facts = device != nullptr ? facts_of(*device) : Facts{};
    facts.max_block = context.measured.max_block;
    if (plan.shortlist().looks_at_totals) facts.take_totals(context);
    facts.not_ready = !has_memory;
    facts.overlapping = plan.shortlist().looks_at_overlap && packing.overlaps();
    if (device == nullptr) return facts;
    facts.unusable = !device->is_readable();
    if (plan.shortlist().looks_at_mapping) facts.mapping = device->mapping(packing.packs());
    return facts;
}

MessageWords words_of(const CommState& state, const Plan& plan) {
    return state.devices().may_come()         ? with_devices
           : plan.shortlist().looks_at_totals ? with_totals
                                              : always;
}

// Whether this call's blocks go into the node's memory together with what the ranks agree on. The same on
// all ranks.
bool goes_ahead(const CallContext& context, const Plan& plan, MessageWords words) {
    const auto& resources = *context.state.resources();
    return resources.ahead.plan == &plan && words == always &&
           algorithms::agrees_in_window(words, resources.group, resources.window.get());
}

// A rank that cannot touch its blocks says that it is not ready. Then, or if a block is larger than expected,
// the exchange does not begin, and all ranks see this alike.
algorithms::AgreementEnd begin_exchange(CommResources& resources, Packing& packing, const DeviceCall* device,
                                        Message& message, Agreed& agreed) {
    auto &max_block = message[0], &not_ready = message[1];
    if (device != nullptr && (device->is_on_device() || !device->is_readable())) not_ready = 1;
    std::optional<algorithms::Exchange> exchange;
    if (not_ready == 0 && max_block <= resources.ahead.most) {
        agreed.loading = packing.load();
        exchange.emplace(packing.exchange(agreed.max_block));
    }
    const auto status =
        resources.window->begin(exchange ? &*exchange : nullptr, std::span(message).first(always));
    agreed.has_begun = not_ready == 0 && max_block <= resources.ahead.most;
    return {status, false};
}

} // namespace

void Facts::take_totals(const CallContext& context) {
    total_bytes = context.measured.sent;
    skew = policy::skew_of(context.measured.max_block, others_of(context), total_bytes);
}

Facts facts_of(const DeviceCall& device) {
    Facts facts;
    facts.has_driver = true;
    facts.on_device = device.is_on_device();
    facts.unaware = facts.on_device && !device.mpi_takes_them();
    facts.staging_bytes = device.staging_bytes();
    return facts;
}

Agreed agree_where_needed(const CallContext& context, Plan& plan, Packing& packing, const DeviceCall* device,
                          bool has_memory) {
    auto& state = context.state;
    Agreed agreed;
    agreed.max_block = context.measured.max_block;
    agreed.plan = &plan;
    if (!plan.asks_others()) {
        if (device != nullptr && !device->is_readable()) agreed.code = MPI_ERR_BUFFER;
        return agreed;
    }
    const auto start = Clock::now();
    const Facts own = own_facts(context, plan, packing, device, has_memory);
    const MessageWords words = words_of(state, plan);
    Message message = message_of(own);
    auto& resources = *state.resources();
    resources.wire.reset();
    const auto [status, by_mpi] =
        goes_ahead(context, plan, words)
            ? begin_exchange(resources, packing, device, message, agreed)
            : algorithms::agree_on_largest(std::span(message).first(words), resources.group, resources.wire,
                                           resources.window.get());
    std::ranges::fill(std::span(message).subspan(words), 0); // these were not exchanged
    agreed.code = algorithms::mpi_code_of(status);
    agreed.facts = facts_of(message, words);
    agreed.elapsed = Clock::now() - start;
    agreed.is_reported = by_mpi && agreed.code != MPI_SUCCESS;
    if (agreed.code != MPI_SUCCESS) return agreed;
    agreed.together = true;
    if (agreed.facts.has_driver) state.devices().meet();
    if (!algorithms::traits_of(context.call.collective).block_is_known())
        agreed.max_block = agreed.facts.max_block;
    const auto buffers = agreed.facts.overlapping  ? Buffers::overlapping
                         : context.call.in_place() ? Buffers::in_place
                                                   : Buffers::separate;
    agreed.plan = &state.plan(context.call.collective, buffers);
    if (agreed.facts.unusable || own.unusable) agreed.code = MPI_ERR_BUFFER;
    return agreed;
}

} // namespace switchyard::shim
