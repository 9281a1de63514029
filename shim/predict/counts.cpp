#include "counts.hpp"

#include <algorithm>

namespace switchyard::shim::predict {

void Counter::add(const Load& load, const Round& round, Counts& to) const {
    const Amount out = load.out(), in = load.in();
    to.messages += round.times * out.count;
    to.bytes += round.times * out.bytes;
    to.messages_inter += round.times * load.far_out.count;
    to.bytes_inter += round.times * load.far_out.bytes;
    if (out.count > 0 || in.count > 0) to.rounds += round.times * round.waits;
}

void Counter::add(const Round& round) {
    if (round.matters == Round::Matters::time) return;
    if (round.loads.size() == 1) return add(round.loads.front(), round, of_all_);
    of_each_.resize(std::max(of_each_.size(), round.loads.size()));
    for (std::size_t i = 0; i < round.loads.size(); ++i) add(round.loads[i], round, of_each_[i]);
}

Counts Counter::counts() const {
    Counts most;
    for (const Counts& each : of_each_) {
        most.messages = std::max(most.messages, each.messages);
        most.bytes = std::max(most.bytes, each.bytes);
        most.messages_inter = std::max(most.messages_inter, each.messages_inter);
        most.bytes_inter = std::max(most.bytes_inter, each.bytes_inter);
        most.rounds = std::max(most.rounds, each.rounds);
    }
    return {most.messages + of_all_.messages, most.bytes + of_all_.bytes,
            most.messages_inter + of_all_.messages_inter, most.bytes_inter + of_all_.bytes_inter,
            most.rounds + of_all_.rounds};
}

} // namespace switchyard::shim::predict
