#include "fast_path.hpp"

#include "algorithms/transport/memory/node_blocks.hpp"
#include "algorithms/transport/memory/node_window.hpp"
#include "algorithms/transport/messages/mpi_types.hpp"
#include "int_warning.hpp"
#include "shim/back_end/arguments/aliases.hpp"

#include <algorithm>

namespace switchyard::shim {

using algorithms::CountedBlocks;
using algorithms::EqualBlocks;
using algorithms::Status;

namespace {

// All ranks are on this node, and the choice for a call depends on nothing but its block.
bool may_be_short(const CallContext& context, const Plan& plan, const policy::Choice& choice) {
    auto& state = context.state;
    const auto& traits = algorithms::traits_of(context.call.collective);
    const auto* resources = state.resources();
    return choice.algorithm->has(algorithms::shared_memory) && !choice.barrier_before && state.nodes() == 1 &&
           state.ranks() > 1 && !traits.has_type_arrays() && !traits.is_among_neighbors &&
           resources != nullptr && resources->window != nullptr && !plan.asks_others() &&
           !state.devices().may_come() && !plan.shortlist().looks_at_overlap;
}

// Whether the counts of one side are plain: of type int, none negative, each below `limit` items.
bool are_plain(const Numbers& counts, const Numbers& displacements, int blocks, std::size_t limit) {
    if (!counts.is_ints() || !displacements.is_ints() || counts.is_null() || displacements.is_null())
        return false;
    const int* const each = counts.ints();
    unsigned largest = 0; // a negative count becomes larger than any other
    for (int i = 0; i < blocks; ++i) largest = std::max(largest, static_cast<unsigned>(each[i]));
    return largest < limit;
}

CountedBlocks counted(const CallArgs::Side& side, std::size_t item) {
    return {reinterpret_cast<std::uintptr_t>(side.buffer), side.counts.ints(), side.displacements.ints(),
            item};
}
EqualBlocks equal(const CallArgs::Side& side, std::size_t bytes) {
    return {reinterpret_cast<std::uintptr_t>(side.buffer), bytes};
}

std::byte* place_in(const void* buffer, std::size_t offset) {
    return reinterpret_cast<std::byte*>(reinterpret_cast<std::uintptr_t>(buffer) + offset);
}

// A call that can take the fast path, as far as its arguments say. Its blocks are items of
// `item` bytes without gaps.
class ShortCall {
  public:
    ShortCall(const CallArgs& call, const FastPath& way, const CommState& state)
        : call_(call), traits_(algorithms::traits_of(call.collective)), way_(way), blocks_(state.blocks()),
          rank_(state.rank()) {}

    bool has_plain_arguments(const CommResources& resources) {
        const auto* const type = resources.plain_type(call_.recv.type);
        if (type == nullptr || (!call_.in_place() && call_.send.type != call_.recv.type) ||
            !has_plain_buffers(call_))
            return false;
        item_ = type->size;
        return traits_.has_count_arrays() ? has_plain_arrays() : has_plain_count();
    }

    std::size_t item() const { return item_; }

    // Copies everything through the node's memory.
    Status run(algorithms::NodeWindow& window) const {
        const auto &from = call_.outgoing(), &to = call_.recv;
        if (traits_.sends_one_block())
            return traits_.has_count_arrays() ? gather(window, counted(to, item_))
                                              : gather(window, equal(to, block_));
        return traits_.has_count_arrays()
                   ? window.exchange(counted(from, item_), counted(to, item_), call_.in_place())
                   : window.exchange(equal(from, block_), equal(to, block_), call_.in_place());
    }

  private:
    bool has_plain_arrays() const {
        const std::size_t limit = std::min<std::size_t>(near_int_limit, (way_.direct_from - 1) / item_ + 1);
        return are_plain(call_.recv.counts, call_.recv.displacements, blocks_, limit) &&
               (call_.in_place() || is_plain_to_send(limit));
    }
    // The one block for everybody is as large as the place where it arrives, unless the program is wrong.
    bool is_plain_to_send(std::size_t limit) const {
        if (traits_.sends_one_block()) return call_.send.counts.value() == call_.recv.counts[rank_];
        return are_plain(call_.send.counts, call_.send.displacements, blocks_, limit);
    }
    // The counts of both sides are the same, unless the program is wrong.
    bool has_plain_count() {
        const auto count = call_.recv.counts.value();
        if (static_cast<std::uint64_t>(count) >= near_int_limit ||
            (!call_.in_place() && call_.send.counts.value() != count))
            return false;
        block_ = static_cast<std::size_t>(count) * item_;
        return way_.block == FastPath::any_block || way_.block == block_;
    }
    template <typename Received>
    Status gather(algorithms::NodeWindow& window, const Received& received) const {
        const std::byte* const sent = call_.in_place() ? received.at(rank_) : place_in(call_.send.buffer, 0);
        return window.allgather({sent, received.size(rank_)}, received);
    }

    const CallArgs& call_;
    const algorithms::CollectiveTraits& traits_;
    const FastPath& way_;
    const int blocks_, rank_;
    std::size_t item_ = 0, block_ = 0; // bytes
};

} // namespace

void remember_fast_path(const CallContext& context, const Decision& decision) {
    const auto& plan = *decision.plan;
    const auto& choice = decision.choice();
    if (!may_be_short(context, plan, choice)) return;
    auto& resources = *context.state.resources();
    resources.remember_type(context.call.recv.type);
    const bool is_for_all = plan.shortlist().first_takes_all;
    if (!is_for_all && algorithms::traits_of(context.call.collective).has_count_arrays()) return;
    auto& way = resources.fast_paths[static_cast<std::size_t>(context.call.collective)];
    way = {&plan, decision.match, is_for_all ? FastPath::any_block : context.measured.max_block};
    if (sends_directly(choice.parameters))
        way.direct_from = static_cast<std::size_t>(choice.parameters[algorithms::Parameter::direct_from]);
}

bool took_fast_path(Process& self, const CallArgs& call, CommState& state, Plan& plan, bool logs, int& code) {
    CommResources* const resources = state.resources();
    if (resources == nullptr) return false;
    const FastPath& way = resources->fast_paths[static_cast<std::size_t>(call.collective)];
    if (way.plan != &plan) return false;
    const auto begin = logs ? Clock::now() : 0;
    ShortCall short_call(call, way, state);
    if (!short_call.has_plain_arguments(*resources) || resources->are_lost()) return false;
    if (logs && self.devices.are_here(begin)) return false; // else route() has looked
    if (self.refuses_aliases.load(std::memory_order_relaxed) && is_aliased(call, state.rank())) return false;
    if (way.sends_directly()) resources->wire.take_second_channel(); // as ranks on the full path do
    code = algorithms::mpi_code_of(short_call.run(*resources->window));
    if (code != MPI_SUCCESS && resources->are_lost()) return false;
    state.log().count(true);
    if (logs) {
        const auto measured = measure_plain(call, state.blocks(), state.own_block(), short_call.item());
        const bool is_near = measured.bits >= near_int_limit && warn_near_int_limit(self, call, state, true);
        const CallContext context{self, call, state, measured, is_near, logs};
        auto head = head_of(context, begin); // all of the call's time is its exchange
        end_record(context, {&plan, way.match}, head);
    }
    return true;
}

} // namespace switchyard::shim
