// Memory that the ranks of a node share. They exchange blocks by copying them through it. The ranks of a
// communicator make its window together; each rank frees its own part by itself.
//
//   section of rank 0:  counts | notice, notice | ring    each rank writes its own section, and in other
//   section of rank 1:  counts | notice, notice | ring    sections the counts of streams that it reads;
//   ...                                                   all ranks read all sections
//
// This is the front of the classes that do the work. Each of them says who writes which of these words:
//
//   NodeExchange      a block of each rank for each other rank. It has
//     NodeEpochs      notice, enter, wait, rest. It has
//       NodeSections  the sections: mapped, cleared, left
//       NodeRoom      places for the bytes of epochs
//     NodeStreams     large blocks, piece by piece. It has
//       NodeSlots     the counts of slots
//       NodeOffers    reads of another rank's own memory
//       NodeCopies    through the caches or past them
//   NodeGather        bytes of each rank for all other ranks, through the same epochs and streams
//
// What is left here: exchanges of a group, numbers, and bytes that other ranks look at where they lie:
//
//   word                           written by  when                          order
//   bytes for all: numbers         the owner   between next() and enter()    plain; the epoch releases them
//   bytes in room()                the owner   between room() and show()     plain; likewise
//   slices, `word`: what it shows  the owner   between next() and enter()    plain; likewise
#pragma once

#include "algorithms/exchange.hpp"
#include "node_epochs.hpp"
#include "node_exchange.hpp"
#include "node_gather.hpp"
#include "node_memory.hpp"
#include "node_streams.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

namespace switchyard::algorithms {

class NodeWindow {
  public:
    static constexpr std::size_t most_slot_bytes = Stream::most_slot_bytes;
    static constexpr std::size_t least_offered_bytes = NodeOffers::least_offered_bytes;
    static constexpr std::size_t most_read_bytes = NodeOffers::most_read_bytes;

    // ---- To make one: node_window_making.cpp ----

    // The steps by which the ranks of a whole communicator make a window: each offers a section of its
    // memory, tells the other ranks its place, joins, and opens the window if all have joined. Otherwise each
    // withdraws its offer.
    static NodeMemory::Place offer(NodeMemory& memory);
    // `places`: the ranks' offers, by rank. `cores`: the number of cores that the ranks of this node share.
    // Null: some section of this node is missing, or cannot be mapped. No communication.
    static std::unique_ptr<NodeWindow> join(const Group& group, NodeMemory& memory,
                                            std::span<const NodeMemory::Place> places, int cores) noexcept;
    // For the case that some rank could not join: the ranks of each node meet, then join. Null on all ranks
    // if one rank still cannot. Collective over `group`.
    static std::unique_ptr<NodeWindow> meet_and_join(const Group& group, NodeMemory& memory,
                                                     std::span<const NodeMemory::Place> places,
                                                     int cores) noexcept;
    // `group`: now with the carrier of its messages, which it may have lacked before.
    void open(const Group& group) {
        epochs().open(group.carrier_comm(), group.carrier.alarm);
        epochs().sections().open();
    }
    // All these steps. Null on all ranks if one rank cannot join. Collective.
    static std::unique_ptr<NodeWindow> make(const Group& group, NodeMemory& memory);

    // Brings all of its pages at once, instead of as exchanges earn them: for a measurement of
    // algorithms. No communication.
    void bring_all_pages();
    // False: this rank is alone on its node. Its section is not used, and its owner takes it back.
    bool has_neighbours() const { return epochs().sections().size() > 1; }

    NodeWindow(const NodeWindow&) = delete;
    NodeWindow& operator=(const NodeWindow&) = delete;
    ~NodeWindow() = default; // frees only this rank's part

    // What the ranks share their cores with. For tests: from now on the ranks act as if they had met it.
    enum class Load { none, others, nobody };
    void assume(Load load) {
        if (load == Load::others) epochs().rests().assume_others();
        streams().offers().offer_always(load == Load::nobody);
    }
    // The layout of the sections of this node.
    const section::Layout& layout() const { return epochs().sections().layout(); }
    // If one exchange brings more bytes than this, they are written past the caches: node_copies.hpp.
    std::size_t most_cached_bytes() const { return streams().copies().most_cached_bytes(); }
    // Bytes of large blocks that this rank read from their writers' own memory.
    std::uint64_t cma_bytes() const { return streams().offers().read_bytes(); }

    // ---- To use it ----

    // Brings every block to its destination. All ranks of the node call it at the same time, each with its
    // own group: the node, or a group of ranks of the node, such as a lane. No block size needs to be agreed.
    // A block that is larger than its destination expects is an error there, and is not copied beyond the
    // destination's block. With `direct`, direct blocks leave their mark.
    Status exchange(const Exchange& exchange);

    // Waits until the ranks that the last exchange did not wait for have come to it. Each exchange begins
    // with this wait. False: the window is broken.
    bool meet_others() { return !has_neighbours() || exchange_.is_ready(); }

    // exchange() for the whole node, with blocks by local rank in a form of node_blocks.hpp. Some ranks may
    // call this form and other ranks the first. With `in_place` both sides are one: each block lies where the
    // block of its destination arrives, and has the same size.
    template <typename Sent, typename Received>
    Status exchange(const Sent& sent, const Received& received, bool in_place) {
        return exchange_.exchange(sent, received, in_place);
    }

    // The same in two steps, where the ranks of the node first agree on some numbers and then choose: one
    // epoch carries both. begin() writes this rank's blocks and replaces each number by the largest of the
    // node. Then either all ranks finish the exchange, or none does and nobody reads the blocks. `exchange`
    // null: this rank cannot take part, so nobody will finish. There must be room for the numbers.
    Status begin(const Exchange* exchange, std::span<std::uint64_t> numbers);
    Status finish(const Exchange& exchange);

    // Brings the parts of every rank of the node to all other ranks of the node. Calls for_each_part(local
    // rank, add), which calls add(Part) for each part of that rank: parts of this rank are read, parts of
    // other ranks are written.
    template <typename ForEachPart>
    Status gather(ForEachPart&& for_each_part) {
        return gather_.gather(for_each_part, [] {});
    }
    // Brings one block of each rank of the node to all ranks of the node, also to its own rank, unless it
    // lies there already. `received`: by local rank, in a form of node_blocks.hpp.
    template <typename Received>
    Status allgather(std::span<const std::byte> sent, const Received& received) {
        return gather_.allgather(sent, received);
    }

    // An epoch in which every rank of the node lets the other ranks look at its bytes where they lie.
    // The bytes stay until their rank enters its next epoch but one. Another rank may look until it
    // enters its own next epoch.
    //
    // Room for `bytes` bytes of this rank in the next such epoch. Null: they do not fit, or
    // nobody else is on the node.
    std::byte* room(std::size_t bytes);
    // `offers`: places in room(), by local rank; empty: this rank had no room. All ranks of the node call it
    // at the same time.
    struct Shown {
        Status status;
        bool by_all; // otherwise nobody looks
    };
    Shown show(std::span<const Block> offers);
    // The bytes that a rank of the node shows this rank.
    std::byte* shown_by(int local_rank) const {
        return epochs().sections().of(local_rank) +
               epochs().notice(local_rank).slices[epochs().sections().rank()].begin;
    }

    // Replaces each number by the largest over the ranks of the node, in one epoch. All ranks of the node
    // call it at the same time, with the same number of numbers.
    Status largest(std::span<std::uint64_t> numbers) { return begin(nullptr, numbers); }
    // Whether there is room for that many numbers. The answer is the same on every node.
    bool has_room_for(std::size_t numbers) const {
        return numbers * sizeof(std::uint64_t) <= least_capacity_;
    }

  private:
    NodeWindow(const Group& group, const section::Layout& layout, std::size_t least_capacity, int cores);
    // A window without its sections. Null: the sections are too small on some node, as all ranks know.
    static std::unique_ptr<NodeWindow> prepared(const Group& group, const NodeMemory& memory, int cores);
    bool map(const Group& group, NodeMemory& memory, std::span<const NodeMemory::Place> places);
    void find_places(const Group& group);
    template <typename Work>
    Status probing_often(const Exchange& exchange, Work&& work);

    NodeEpochs& epochs() { return exchange_.epochs(); }
    const NodeEpochs& epochs() const { return exchange_.epochs(); }
    NodeStreams& streams() { return exchange_.streams(); }
    const NodeStreams& streams() const { return exchange_.streams(); }

    NodeExchange exchange_; // with epochs and streams
    NodeGather gather_;
    std::size_t least_capacity_; // of an epoch, on a node with the most ranks
    std::size_t room_bytes_ = 0; // that room() gave last
    std::vector<int> places_;    // in the exchange's group, by local rank; -1: the rank is not in the group
};

} // namespace switchyard::algorithms
