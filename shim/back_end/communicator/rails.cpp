#include "rails.hpp"

namespace switchyard::shim {

bool Rails::reserve_for(const policy::Choice& choice, const policy::Features& call) {
    // Where large blocks go straight, nobody agreed on the block, and the workspace does not depend on it.
    const std::size_t block = choice.fixed_scratch_bytes ? 0 : call.max_block_bytes;
    if (reserved_for_.choice == &choice && reserved_for_.max_block == block) return true;
    const auto grow = [this](std::size_t bytes) { return workspace.reserve(bytes); };
    if (!agreed_workspace_.reserve(policy::scratch_bytes(choice, call), group.comm, grow)) return false;
    reserved_for_ = {&choice, block};
    return true;
}

} // namespace switchyard::shim
