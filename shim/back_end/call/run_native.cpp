#include "run_native.hpp"

#include "run_ours.hpp"
#include "shim/back_end/process/clock.hpp"

namespace switchyard::shim {

namespace {

// A native call gets its device pointers as they are, unless the rule says `staged` or the MPI does not take them.
bool stages(const DeviceCall& device, const policy::Choice& choice) {
    if (!device.is_on_device()) return false;
    if (choice.transfer) return *choice.transfer == policy::Transfer::staged;
    return device.is_out_of_reach() && !device.mpi_takes_them();
}

// What MPI returned, and what went wrong with the copies.
struct Codes {
    int mpi = MPI_SUCCESS, copies = MPI_SUCCESS;
};

Codes call_on_copies(const Passage& passage, DeviceCall& device, log::CallRecord& record) {
    auto& staging = device.staging();
    if (!staging.reserve()) return {.copies = MPI_ERR_NO_MEM};
    record.is_staged = record.has_detail = true;
    const auto start = Clock::now();
    const bool copied_in = staging.copy_in();
    const auto copied = Clock::now();
    Codes codes{.mpi = call_native(*passage.self.loaded, device.on_copies())};
    const auto exchanged = Clock::now();
    if ((!staging.copy_out() || !copied_in) && codes.mpi == MPI_SUCCESS) codes.copies = MPI_ERR_BUFFER;
    record.copy_in = copied - start;
    record.exchange = exchanged - copied;
    record.copy_out = Clock::now() - exchanged;
    return codes;
}

policy::Match choose_alone(const Passage& passage, const Plan& plan, const DeviceCall* device,
                           bool in_place) {
    Agreed own;
    own.max_block = passage.measured.max_block;
    if (device != nullptr) own.facts = facts_of(*device);
    return policy::choose(plan.shortlist(), features_of(passage, own, in_place));
}

// The choice is native, but the candidates that are passed over differ from call to call, and the log names them.
inline Decision decide(const Passage& passage, Plan& plan, const DeviceCall* device, bool in_place) {
    if (plan.has_one_candidate()) [[likely]]
        return {&plan};
    return {&plan, choose_alone(passage, plan, device, in_place)};
}

} // namespace

int run_native(const Passage& passage, const Decision& decision, log::CallRecord& record,
               std::optional<DeviceCall>& device) {
    Codes codes;
    if (device && stages(*device, decision.choice())) {
        codes = call_on_copies(passage, *device, record);
    } else {
        const auto start = Clock::now();
        codes.mpi = call_native(*passage.self.loaded, passage.call);
        record.exchange = Clock::now() - start;
    }
    const int code = codes.mpi != MPI_SUCCESS ? codes.mpi : codes.copies;
    note_time(passage, record, code);
    end_record(passage, decision, record);
    if (codes.copies != MPI_SUCCESS) PMPI_Comm_call_errhandler(passage.call.comm, codes.copies);
    return code;
}

namespace {

// The same in a process that has a driver: device buffers may have to be copied.
int run_surely_native_near_devices(const Passage& passage, Plan& plan, const log::CallHead& head) {
    log::CallRecord record{head};
    std::optional<DeviceCall> device;
    locate_buffers(passage, device, record); // without memory for a look MPI gets the call as it came
    const auto decision = decide(passage, plan, device ? &*device : nullptr, record.in_place);
    return run_native(passage, decision, record, device);
}

} // namespace

bool is_surely_native(const Passage& passage, const Plan& plan) {
    if (plan.always_native()) return true;
    auto& state = passage.state;
    if (plan.asks_others() || state.may_have_devices() || state.book() != nullptr) return false;
    auto& last = state.rails()->last_known;
    const auto& measured = passage.measured;
    if (last.plan != &plan || last.max_block != measured.max_block ||
        last.mean_block != measured.mean_block) {
        const auto match = choose_alone(passage, plan, nullptr, passage.call.in_place());
        last = {&plan, measured.max_block, measured.mean_block, plan.choice(match).algorithm->native};
    }
    return last.is_native;
}

int run_surely_native(const Passage& passage, Plan& plan) {
    auto record = begin_head(passage);
    if (passage.self.devices.are_here(record.begin)) [[unlikely]]
        return run_surely_native_near_devices(passage, plan, record);
    const int code = call_native(*passage.self.loaded, passage.call);
    end_record(passage, decide(passage, plan, nullptr, record.in_place), record);
    return code;
}

} // namespace switchyard::shim
