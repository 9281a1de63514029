// The epochs of a node's ranks: a rank says that its bytes are there, and waits until those of others are.
// In epoch n it writes its bytes where those of epoch n - 1 are not, stores n in its notice n % 2, and waits
// until others have stored n in theirs:
//
//   section of rank w:  ... | notice of even epochs: epoch | word | slices | near | places
//                           | notice of odd epochs:  epoch | word | slices | near | places | ring
//
//   word                      whose           when                            order
//   `word`, slices, places    the owner's     between next() and enter()      plain
//   `epoch`                   the owner's     enter()                         release
//   `epoch`                   read by all     has_entered()                   acquire
//
// What the words of a notice say: node_exchange.hpp, node_gather.hpp, node_messages.hpp, node_window.hpp.
//
// The release lets who sees n see all that was written before it: the notice, and the bytes in its section.
// One wait is enough: a rank writes where it wrote in epoch n - 1, or over its notice of epoch n - 1, only in
// epoch n + 1. It begins that once all others have entered epoch n, and they enter it only after they have
// read those bytes. So in epoch n a rank without streams waits for those alone that send it something, and
// for the others before epoch n + 1: MPI's own exchange would not wait for them.
#pragma once

#include "algorithms/transport/messages/alarm.hpp"
#include "algorithms/transport/messages/simulation.hpp"
#include "node_messages.hpp"
#include "node_rest.hpp"
#include "node_room.hpp"
#include "node_sections.hpp"

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>

namespace switchyard::algorithms {

class NodeEpochs {
  public:
    // `cores`: that the ranks of the node share.
    NodeEpochs(const Group& group, const section::Layout& layout, const NodeMessages& messages, int cores);
    NodeEpochs(const NodeEpochs&) = delete;
    NodeEpochs& operator=(const NodeEpochs&) = delete;

    // The communicator on which MPI works while this rank waits, and the alarm that ends its waits.
    void open(Comm comm, Alarm* alarm) {
        comm_ = comm;
        alarm_ = alarm;
    }
    // Where the ranks of a simulator meet.
    void meet_in(std::shared_ptr<simulation::Meeting> meeting) { meeting_ = std::move(meeting); }

    NodeSections& sections() { return sections_; }
    const NodeSections& sections() const { return sections_; }
    NodeRoom& room() { return room_; }
    const NodeRoom& room() const { return room_; }

    // The notice of this rank for a new epoch, with room for `need` bytes at least.
    section::Notice next(std::size_t need = 0) {
        ++epoch_;
        notice_at_ = sections_.layout().notice_at(epoch_);
        room_.begin_epoch(notice_at_ + sections_.layout().near_begin, need);
        return notice_in(sections_.own());
    }
    std::uint64_t number() const { return epoch_; }
    section::Notice notice(int local) const { return notice_in(sections_.of(local)); }
    section::Notice notice_in(std::byte* section) const {
        return sections_.layout().parts_of(section + notice_at_);
    }

    // The own notice is written. In a simulator the ranks of the node meet here, so nobody spins.
    void enter(const section::Notice& own) {
        own.header->epoch.store(epoch_, std::memory_order_release);
        if constexpr (simulation::is_on) {
            own_time_.pass();
            meeting_->wait();
            simulation::note_epoch(sections_.size() - 1);
        }
    }
    bool has_entered(int local) const {
        return notice(local).header->epoch.load(std::memory_order_acquire) >= epoch_;
    }
    // False: for ever, so nobody waits.
    bool wait_for(int local) { return has_entered(local) || wait_long_for(local); }
    // Of a rank that has looked so many times for something of another rank. False: for ever, so nobody
    // waits.
    bool rest(int& looks, NodeRest::Others others);
    NodeRest& rests() { return rest_; }
    const NodeRest& rests() const { return rest_; }
    // MPI works on its messages.
    void probe();
    // As often as a rank looks, from now on or no longer.
    void probe_often(bool often) { looks_per_probe_ = often ? many_probes : few_probes; }

    // The alarm ended a wait. The other ranks may read what an epoch from now on would write.
    bool is_broken() const { return is_broken_; }
    void break_off() { is_broken_ = true; }

    // This rank's own work passes as time, in a simulator.
    void pass_time() { own_time_.pass(); }

  private:
    bool wait_long_for(int local);

    // A probe costs more than a look. But messages of ours that are under way need MPI.
    static constexpr int few_probes = 16, many_probes = 1;

    NodeSections sections_;
    NodeRoom room_;
    const NodeMessages& messages_;
    Comm comm_;
    Alarm* alarm_ = nullptr;
    NodeRest rest_;
    std::uint64_t epoch_ = 0;
    std::size_t notice_at_;            // of this epoch, in each section
    int looks_per_probe_ = few_probes; // while this rank waits
    bool is_broken_ = false;
    simulation::OwnTime own_time_;
    std::shared_ptr<simulation::Meeting> meeting_; // of the node, in a simulator
};

} // namespace switchyard::algorithms
