#include "route.hpp"

#include "fast_path.hpp"
#include "int_warning.hpp"
#include "routed_call.hpp"
#include "run_native.hpp"
#include "shim/back_end/arguments/aliases.hpp"

namespace switchyard::shim {

namespace {

bool is_for_mpi_to_refuse(const CallContext& context) {
    return context.self.refuses_aliases.load(std::memory_order_relaxed) &&
           is_aliased(context.call, context.state.rank());
}

} // namespace

int route(const LoadedMpi& loaded, const CallArgs& call) {
    Communicators* communicators = Communicators::current();
    if (communicators == nullptr) return call_native(loaded, call);
    Process& self = communicators->process();
    CommState* state = CommState::of(call.comm, *communicators);
    if (state == nullptr) return call_native(loaded, call);
    const bool is_among_neighbors = algorithms::traits_of(call.collective).is_among_neighbors;
    if (is_among_neighbors && !state->has_neighbors(call.comm)) return call_native(loaded, call);
    if (state->devices().are_awaited()) [[unlikely]]
        state->devices().ask(self, state->resources()->group.comm);
    Plan& plan = state->plan(call.collective, call.in_place() ? Buffers::in_place : Buffers::separate);
    const bool logs = self.recording.load(std::memory_order_acquire);
    const std::uint64_t now = logs ? 0 : coarse_ns();
    const bool is_left_alone = !logs && !self.devices.are_here(now); // where it is native
    if (is_left_alone && plan.always_native()) {
        state->log().count(false);
        state->leave_to_entry(loaded,
                              self.devices.are_off() ? AtOnce::always : now + device::Devices::between_looks);
        return call_native(loaded, call);
    }

    int code = MPI_SUCCESS;
    if ((logs || is_left_alone) && took_fast_path(self, call, *state, plan, logs, code))
        return report(call, code);

    const auto measured = measure(call, state->peers_among(is_among_neighbors), state->types());
    bool is_near = false; // to 2^31
    if (!measured.valid || measured.bits >= near_int_limit) [[unlikely]]
        is_near = warn_near_int_limit(self, call, *state, measured.valid);
    if (!measured.valid) return call_native(loaded, call); // an error, and MPI's to report
    const CallContext context{self, call, *state, measured, is_near, logs};
    if (is_surely_native(context, plan)) {
        state->log().count(false);
        return is_left_alone ? call_native(loaded, call) : run_surely_native(context, plan);
    }
    return is_for_mpi_to_refuse(context) ? call_native(loaded, call) : run_routed(context, plan);
}

} // namespace switchyard::shim
