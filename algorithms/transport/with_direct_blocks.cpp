#include "with_direct_blocks.hpp"

#include "memory/node_window.hpp"

namespace switchyard::algorithms {

bool meet_the_node(Context& context) {
    return context.window == nullptr || context.window->meet_others();
}

} // namespace switchyard::algorithms
