// The epochs of a node's ranks: a rank says that its bytes are there, and waits until the bytes of other
// ranks are there. In epoch n it writes its bytes, but not over its bytes of epoch n - 1, stores n in its
// notice n % 2, and waits until other ranks have stored n in theirs:
//
//   section of rank w:  ... | notice of even epochs: epoch | word | slices | near | places
//                           | notice of odd epochs:  epoch | word | slices | near | places | ring
//
//   word                            written by   when                          order     read by   order
//   `word`, slices, near, places    the owner    between next() and enter()    plain     all       plain
//   `epoch`                         the owner    enter()                       release   all       acquire
//
// What the words of a notice say: node_exchange.hpp, node_gather.hpp, node_window.hpp.
//
// The release: a rank that sees n also sees all that the owner wrote before, which is the notice and the
// bytes in its section. The owner's reads of epoch n - 1 come before the release as well.
//
// One wait is enough: a rank overwrites its bytes and its notice of epoch n - 1 only in epoch n + 1. It
// begins epoch n + 1 only after all other ranks have entered epoch n, and they enter it only after they have
// read those bytes. So in epoch n a rank without streams waits only for the ranks that send it something. It
// waits for the other ranks before epoch n + 1: MPI's own exchange would not wait for them.
#pragma once

#include "algorithms/transport/messages/alarm.hpp"
#include "algorithms/transport/messages/simulation.hpp"
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
    // `cores`: the number of cores that the ranks of the node share.
    NodeEpochs(const Group& group, const section::Layout& layout, int cores);
    NodeEpochs(const NodeEpochs&) = delete;
    NodeEpochs& operator=(const NodeEpochs&) = delete;

    // `comm`: MPI works on its messages while this rank waits. `alarm`: ends the waits of this rank.
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

    // The notice of this rank for a new epoch, with room for at least `need` bytes.
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

    // Call it once the own notice is written. In a simulator the ranks of the node meet here,
    // so nobody spins.
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
    // False: the wait would never end, so it was given up.
    bool wait_for(int local) { return has_entered(local) || wait_long_for(local); }
    // Rests after this rank has looked `looks` times for something of another rank. False: the wait would
    // never end, so it was given up.
    bool rest(int& looks, NodeRest::Others others);
    NodeRest& rests() { return rest_; }
    const NodeRest& rests() const { return rest_; }
    // Lets MPI work on its messages.
    void probe();
    // True: from now on a rank that waits probes at each look. False: at a few of them.
    void probe_often(bool often) { looks_per_probe_ = often ? many_probes : few_probes; }

    // The alarm ended a wait of this rank, or of a rank that withdrew its offers. Other ranks may still read
    // what another epoch would overwrite.
    bool is_broken() const { return is_broken_; }
    void break_off() { is_broken_ = true; }

    // Lets this rank's own work pass as time, in a simulator.
    void pass_time() { own_time_.pass(); }

  private:
    bool wait_long_for(int local);

    // A probe costs more than a look. But our own messages under way need MPI.
    static constexpr int few_probes = 16, many_probes = 1;

    NodeSections sections_;
    NodeRoom room_;
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
