#include "node_exchange.hpp"

#include "node_blocks.hpp"

namespace switchyard::algorithms {

NodeExchange::NodeExchange(const Group& group, const section::Layout& layout, int cores)
    : epochs_(group, layout, cores), streams_(epochs_, cores) {
    const auto ranks = static_cast<std::size_t>(epochs_.sections().size());
    awaited_.reserve(ranks);
    unmet_.reserve(ranks);
}

// Nothing was expected of these ranks. If one of them sent something all the same, the program is wrong, and
// that rank must not wait.
bool NodeExchange::meet_the_rest() {
    streams_.clear_in();
    streams_.clear_out();
    for (const int source : unmet_) {
        if (!epochs_.wait_for(source)) return false;
        (void)meet_block(NoBlocks{}, source, false);
    }
    unmet_.clear();
    if (!streams_.in().empty()) (void)run_streams(NoBlocks{}, false);
    return !epochs_.is_broken();
}

} // namespace switchyard::algorithms
