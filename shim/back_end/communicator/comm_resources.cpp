#include "comm_resources.hpp"

#include "algorithms/neighborhood.hpp"
#include "shim/back_end/arguments/datatype.hpp"

#include <algorithm>

namespace switchyard::shim {

const CommResources::Prepared* CommResources::find_prepared(const policy::Choice& choice) const {
    const auto found = std::ranges::find_if(prepared_, [&](const Prepared& prepared) {
        return prepared.algorithm->traits == choice.algorithm && prepared.parameters == choice.parameters;
    });
    return found == prepared_.end() ? nullptr : &*found;
}

bool CommResources::prepare(const policy::Choice& choice) noexcept {
    try {
        const auto& algorithm = algorithms::algorithm_of(*choice.algorithm);
        prepared_.push_back({&algorithm, choice.parameters, algorithm.prepared(group, choice.parameters)});
        return true;
    } catch (...) { // out of memory
        return false;
    }
}

// One vote on both, if either is new.
bool CommResources::agree_on_memory(const policy::Choice& choice, std::size_t bytes) {
    const bool keeps_schedule = choice.algorithm->has(algorithms::keeps_schedule);
    if (!keeps_schedule || find_prepared(choice) != nullptr)
        return agreed_workspace_.reserve(bytes, group.comm,
                                         [this](std::size_t more) { return workspace.reserve(more); });
    const std::size_t before = prepared_.size();
    const bool is_prepared = prepare(choice);
    const bool all_are = agreed_workspace_.covers(bytes)
                             ? algorithms::all_agree(is_prepared, group.comm)
                             : agreed_workspace_.reserve(bytes, group.comm, [&](std::size_t more) {
                                   return is_prepared && workspace.reserve(more);
                               });
    if (!all_are) prepared_.erase(prepared_.begin() + static_cast<std::ptrdiff_t>(before), prepared_.end());
    return all_are;
}

bool CommResources::make_room_for(const algorithms::Neighborhood& neighbors) noexcept {
    try {
        send.resize(std::max(send.size(), neighbors.destinations().size()));
        send.resize(std::max<std::size_t>(send.size(), 1)); // one block for all, even without neighbours
        recv.resize(std::max(recv.size(), neighbors.sources().size()));
        return true;
    } catch (...) {
        return false;
    }
}

void CommResources::remember_type(MPI_Datatype type) {
    if (plain_type(type) != nullptr) return;
    if (const std::size_t size = size_of_plain(type)) {
        plain_types_[next_plain_type_] = {type, size};
        next_plain_type_ = (next_plain_type_ + 1) % plain_types_.size();
    }
}

bool CommResources::reserve_for(const policy::Choice& choice, const policy::Features& call) {
    // Where large blocks go directly, nobody agreed on the block, and the workspace does not depend on it.
    const std::size_t block = choice.fixed_scratch_bytes ? 0 : policy::block_for_scratch(call);
    if (reserved_for_.choice == &choice && reserved_for_.block == block) return true;
    if (!agree_on_memory(choice, policy::scratch_bytes(choice, call))) return false;
    const Prepared* const prepared = find_prepared(choice);
    reserved_for_ = {&choice, block, prepared == nullptr ? nullptr : prepared->schedule.get()};
    return true;
}

} // namespace switchyard::shim
