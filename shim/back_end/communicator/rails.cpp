#include "rails.hpp"

#include <algorithm>

namespace switchyard::shim {

const Rails::Prepared* Rails::find_prepared(const policy::Choice& choice) const {
    const auto found = std::ranges::find_if(prepared_, [&](const Prepared& prepared) {
        return prepared.algorithm->traits == choice.algorithm && prepared.parameters == choice.parameters;
    });
    return found == prepared_.end() ? nullptr : &*found;
}

// False where this rank has no memory for it.
bool Rails::prepare(const policy::Choice& choice) {
    try {
        const auto& algorithm = algorithms::algorithm_of(*choice.algorithm);
        prepared_.push_back({&algorithm, choice.parameters, algorithm.prepared(group, choice.parameters)});
        return true;
    } catch (...) {
        return false;
    }
}

bool Rails::reserve_for(const policy::Choice& choice, const policy::Features& call) {
    // Where large blocks go straight, nobody agreed on the block, and the workspace does not depend on it.
    const std::size_t block = choice.fixed_scratch_bytes ? 0 : call.max_block_bytes;
    if (reserved_for_.choice == &choice && reserved_for_.max_block == block) return true;
    if (choice.algorithm->has(algorithms::keeps_schedule) && find_prepared(choice) == nullptr) {
        const std::size_t before = prepared_.size();
        if (!algorithms::all_agree(prepare(choice), group.comm)) {
            prepared_.erase(prepared_.begin() + static_cast<std::ptrdiff_t>(before), prepared_.end());
            return false;
        }
    }
    const auto grow = [this](std::size_t bytes) { return workspace.reserve(bytes); };
    if (!agreed_workspace_.reserve(policy::scratch_bytes(choice, call), group.comm, grow)) return false;
    const Prepared* const prepared = find_prepared(choice);
    reserved_for_ = {&choice, block, prepared == nullptr ? nullptr : prepared->schedule.get()};
    return true;
}

} // namespace switchyard::shim
