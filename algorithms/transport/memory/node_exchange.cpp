#include "node_exchange.hpp"

#include "node_blocks.hpp"

namespace switchyard::algorithms {

NodeExchange::NodeExchange(const Group& group, const section::Layout& layout, int cores)
    : messages_(group, cores), epochs_(group, layout, messages_, cores), streams_(epochs_, cores) {
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
    if (messages_.has_some()) (void)messages_.end();
    return !epochs_.is_broken();
}

void NodeExchange::send_streams(const section::Notice& own) {
    for (const Stream& stream : streams_.out()) messages_.send(stream, own);
    streams_.clear_out();
}

void NodeExchange::hear_load() {
    messages_.hear_load(epochs_.sections(), epochs_.number());
    epochs_.rests().stay_awake(messages_.others_have_cores());
}

} // namespace switchyard::algorithms
