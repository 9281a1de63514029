#include "wire_without_mpi.hpp"

#include "algorithms/transport/messages/direct_blocks.hpp"
#include "algorithms/transport/messages/small_messages.hpp"
#include "algorithms/transport/messages/votes.hpp"
#include "algorithms/transport/messages/wire.hpp"

#include <cstring>
#include <deque>
#include <map>
#include <utility>

namespace switchyard::algorithms {

namespace {

// Messages that nobody has received yet, by source and destination.
std::map<std::pair<int, int>, std::deque<std::vector<std::byte>>> mailbox;

} // namespace

Wire::Wire(const Group& group, std::size_t limit, int tag_offset)
    : group_(&group), limit_(limit), tag_offset_(tag_offset), second_(new Wire(*this)) {}
Wire::Wire(Wire& first) : group_(first.group_), limit_(first.limit_), meter_(&first.meter_.traffic()) {}
void Wire::look_at(const Group& group) {
    group_ = &group;
}
bool Wire::widen(std::size_t more) {
    return under_way_.widen(more, 1);
}

void Wire::send(int destination, const std::byte* data, std::size_t bytes) {
    mailbox[{group_->rank, destination}].emplace_back(data, data + bytes);
    meter_.count_sent(1, bytes, true);
    if (has_room()) under_way_.add({destination, true}, data, bytes);
}

void Wire::receive(int source, std::byte* data, std::size_t bytes) {
    if (has_room()) under_way_.add({source, false}, data, bytes);
}

Status Wire::wait_all() {
    Status status;
    for (std::size_t i = 0; i < under_way_.count(); ++i) {
        const auto& message = under_way_[i];
        if (message.completion.sent) continue;
        auto& arrived = mailbox[{message.completion.peer, group_->rank}];
        if (arrived.empty() || arrived.front().size() != message.bytes)
            status.keep(Fault::lost);
        else
            std::memcpy(const_cast<std::byte*>(message.data), arrived.front().data(), message.bytes);
        if (!arrived.empty()) arrived.pop_front();
    }
    under_way_.clear();
    return status;
}

void Wire::probe(Comm) {
    if (tests::at_probe) tests::at_probe();
}

// No test has direct blocks next to an exchange.
bool DirectBlocks::meets(int, std::size_t) {
    return true;
}

// The ranks of a test make their windows without a vote.
bool all_agree(bool agreed, Comm) {
    return agreed;
}
int gather_everywhere(const void*, std::size_t, void*, Comm) {
    return 1; // an error
}

} // namespace switchyard::algorithms
