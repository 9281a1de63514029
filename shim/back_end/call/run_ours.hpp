// A call on a communicator where one of our algorithms may take it: from the agreement to the algorithm.
#pragma once

#include "agree_on_call.hpp"
#include "call_context.hpp"
#include "device_call.hpp"

#include <optional>

namespace switchyard::shim {

// What became of the call.
struct Outcome {
    Decision decision;
    bool is_over;             // false: the MPI library's own collective has to take the call
    int code = MPI_SUCCESS;   // of a call that is over
    bool is_reported = false; // else an error is ours to report
    bool is_refused = false;  // MPI will refuse the arguments, and should be the one to say so
};

// `device`: made here where this process can have device memory. Collective as far as the
// plan says. Never throws.
Outcome run_ours(const CallContext& context, Plan& plan, log::CallRecord& record,
                 std::optional<DeviceCall>& device) noexcept;

// The facts of the call for the policy. `in_place`: the call is in place, or some rank's buffers overlap.
policy::Features features_of(const CallContext& context, const Agreed& agreed, bool in_place,
                             const policy::Shortlist& shortlist);

} // namespace switchyard::shim
