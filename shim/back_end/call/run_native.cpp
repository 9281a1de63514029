#include "run_native.hpp"

#include "agreement.hpp"
#include "run_ours.hpp"
#include "shim/back_end/process/clock.hpp"

namespace switchyard::shim {

namespace {

// A native call gets device pointers as they are where the MPI takes them, or where nobody knows better.
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
    Codes codes{.mpi = call_native(*passage.self.host, device.on_copies())};
    const auto exchanged = Clock::now();
    if ((!staging.copy_out() || !copied_in) && codes.mpi == MPI_SUCCESS) codes.copies = MPI_ERR_BUFFER;
    record.copy_in = copied - start;
    record.exchange = exchanged - copied;
    record.copy_out = Clock::now() - exchanged;
    return codes;
}

// What is passed over may differ from call to call even where every choice is native; the log says what and why.
Decision choose_again(const Passage& passage, Plan& plan, const DeviceCall* device, bool in_place) {
    Decision decision{&plan};
    if (plan.shortlist().candidates.size() == 1) return decision;
    Agreed own;
    own.max_block = passage.measured.max_block;
    if (device != nullptr) own.facts = facts_of(*device);
    decision.match = policy::choose(plan.shortlist(), features_of(passage, own, in_place));
    return decision;
}

} // namespace

int run_native(const Passage& passage, const Decision& decision, log::CallRecord& record,
               std::optional<DeviceCall>& device) {
    Codes codes;
    if (device && stages(*device, decision.choice())) {
        codes = call_on_copies(passage, *device, record);
    } else {
        const auto start = Clock::now();
        codes.mpi = call_native(*passage.self.host, passage.call);
        record.exchange = Clock::now() - start;
    }
    const int code = codes.mpi != MPI_SUCCESS ? codes.mpi : codes.copies;
    note_time(passage, record, code);
    end_record(passage, decision, record);
    if (codes.copies != MPI_SUCCESS) PMPI_Comm_call_errhandler(passage.call.comm, codes.copies);
    return code;
}

int run_always_native(const Passage& passage, Plan& plan) {
    auto record = begin_record(passage);
    std::optional<DeviceCall> device;
    look_at_buffers(passage, device, record); // without memory for a look MPI gets the call as it came
    const auto* buffers = device ? &*device : nullptr;
    if (buffers != nullptr && buffers->is_on_device())
        return run_native(passage, choose_again(passage, plan, buffers, record.in_place), record, device);
    const int code = call_native(*passage.self.host, passage.call);
    end_record(passage, choose_again(passage, plan, buffers, record.in_place), record);
    return code;
}

} // namespace switchyard::shim
