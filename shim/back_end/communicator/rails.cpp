#include "rails.hpp"

namespace switchyard::shim {

bool Rails::reserve_for(const policy::Choice& choice, const policy::Features& call) {
    if (reserved_for_.choice == &choice && reserved_for_.max_block == call.max_block_bytes) return true;
    const auto grow = [this](std::size_t bytes) { return workspace.reserve(bytes); };
    if (!agreed_workspace_.reserve(policy::scratch_bytes(choice, call), group.comm, grow)) return false;
    reserved_for_ = {&choice, call.max_block_bytes};
    return true;
}

} // namespace switchyard::shim
