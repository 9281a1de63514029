#include "run_native.hpp"

#include "choose.hpp"
#include "shim/back_end/process/clock.hpp"

namespace switchyard::shim {

namespace {

// A native call gets its device pointers as they are, unless the rule says `staged` or
// the MPI does not take them.
bool stages(const DeviceCall& device, const policy::Choice& choice) {
    if (!device.is_on_device()) return false;
    if (choice.transfer) return *choice.transfer == policy::Transfer::staged;
    return device.is_out_of_reach() && !device.mpi_takes_them();
}

// What MPI returned, and what went wrong with the copies.
struct Codes {
    int mpi = MPI_SUCCESS, copies = MPI_SUCCESS;
};

Codes call_on_copies(const CallContext& context, DeviceCall& device, log::CallRecord& record) {
    auto& staging = device.staging();
    if (!staging.reserve()) return {.copies = MPI_ERR_NO_MEM};
    record.is_staged = record.has_detail = true;
    const auto start = Clock::now();
    const bool copied_in = staging.copy_in();
    const auto copied = Clock::now();
    Codes codes{.mpi = call_native(*context.self.loaded, device.on_copies())};
    const auto exchanged = Clock::now();
    if ((!staging.copy_out() || !copied_in) && codes.mpi == MPI_SUCCESS) codes.copies = MPI_ERR_BUFFER;
    record.copy_in = copied - start;
    record.exchange = exchanged - copied;
    record.copy_out = Clock::now() - exchanged;
    return codes;
}

policy::Match choose_alone(const CallContext& context, const Plan& plan, const DeviceCall* device,
                           bool in_place) {
    Agreed own;
    own.max_block = context.measured.max_block;
    if (device != nullptr) own.facts = facts_of(*device);
    if (plan.shortlist().looks_at_totals) own.facts.take_totals(context);
    return policy::choose(plan.shortlist(), features_of(context, own, in_place, plan.shortlist()));
}

// The choice is native, but the candidates that are passed over differ from call to
// call, and the log names them.
inline Decision decide(const CallContext& context, Plan& plan, const DeviceCall* device, bool in_place) {
    if (plan.has_one_candidate()) [[likely]]
        return {&plan};
    return {&plan, choose_alone(context, plan, device, in_place)};
}

} // namespace

int run_native(const CallContext& context, const Decision& decision, log::CallRecord& record,
               std::optional<DeviceCall>& device) {
    Codes codes;
    if (device && stages(*device, decision.choice())) {
        codes = call_on_copies(context, *device, record);
    } else {
        const auto start = Clock::now();
        codes.mpi = call_native(*context.self.loaded, context.call);
        record.exchange = Clock::now() - start;
    }
    const int code = codes.mpi != MPI_SUCCESS ? codes.mpi : codes.copies;
    end_record(context, decision, record);
    if (codes.copies != MPI_SUCCESS) PMPI_Comm_call_errhandler(context.call.comm, codes.copies);
    return code;
}

namespace {

// The same in a process that has a driver: device buffers may have to be copied.
int run_surely_native_near_devices(const CallContext& context, Plan& plan, const log::CallHead& head) {
    log::CallRecord record{head};
    std::optional<DeviceCall> device;
    locate_buffers(context, device, record); // without memory for a look MPI gets the call as it came
    const auto decision = decide(context, plan, device ? &*device : nullptr, record.in_place);
    return run_native(context, decision, record, device);
}

} // namespace

bool is_surely_native(const CallContext& context, const Plan& plan) {
    if (plan.always_native()) return true;
    auto& state = context.state;
    if (plan.asks_others() || state.devices().may_come()) return false;
    auto& last = state.resources()->last_known;
    const auto& measured = context.measured;
    if (last.plan != &plan || last.max_block != measured.max_block ||
        last.mean_block != measured.mean_block) {
        const auto match = choose_alone(context, plan, nullptr, context.call.in_place());
        const auto& choice = plan.choice(match);
        last = {&plan, measured.max_block, measured.mean_block,
                choice.algorithm->native && !choice.barrier_before};
    }
    return last.is_native;
}

int run_surely_native(const CallContext& context, Plan& plan) {
    auto record = begin_head(context);
    if (context.self.devices.are_here(record.begin)) [[unlikely]]
        return run_surely_native_near_devices(context, plan, record);
    const int code = call_native(*context.self.loaded, context.call);
    end_record(context, decide(context, plan, nullptr, record.in_place), record);
    return code;
}

} // namespace switchyard::shim
