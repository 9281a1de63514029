#include "node_epochs.hpp"

#include "algorithms/transport/messages/wire.hpp"

#include <climits>

namespace switchyard::algorithms {

NodeEpochs::NodeEpochs(const Group& group, const section::Layout& layout, int cores)
    : sections_(LocalRanks(group).own(), LocalRanks(group).count(), layout), room_(sections_),
      comm_(group.carrier_comm()), rest_(sections_.size(), cores), notice_at_(layout.notice_at(epoch_)) {}

void NodeEpochs::probe() {
    Wire::probe(comm_);
}

// Before another rank comes here, it may need this rank for a message: a message of the application, or our
// own message to another node. Therefore a rank that waits lets MPI work again and again.
bool NodeEpochs::rest(int& looks, NodeRest::Others others) {
    if constexpr (simulation::is_on) {
        own_time_.pass();
        simulation::rest();
        return true;
    }
    if (looks % looks_per_probe_ == looks_per_probe_ - 1) {
        probe();
        if (alarm_ != nullptr && alarm_->rings()) {
            is_broken_ = true;
            return false;
        }
    }
    rest_.after(looks, others);
    if (looks < INT_MAX) ++looks;
    return true;
}

bool NodeEpochs::wait_long_for(int local) {
    for (int looks = 0; !has_entered(local);)
        if (!rest(looks, NodeRest::Others::may_compute)) return false;
    return true;
}

} // namespace switchyard::algorithms
