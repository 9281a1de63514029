// Memory that the ranks of a node share. They exchange blocks by copying them through it. The ranks of a communicator make
// its window together; each rank frees its part alone.
//
// Every rank has a section of its own with two halves. An epoch is one use of a half. In epoch n a rank
// writes half n % 2 of its section, stores n in that half, and waits until all other ranks of the node have
// stored n in theirs. One wait is enough: a rank writes a half again only after all others have entered the
// next epoch, and they enter it only after they have read that half.
#pragma once

#include "copy.hpp"
#include "exchange.hpp"
#include "node_memory.hpp"
#include "part.hpp"
#include "simulation.hpp"
#include "wire.hpp"

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

namespace switchyard::algorithms {

class NodeWindow {
  public:
    // The steps by which the ranks of a whole communicator make a window: each offers a section of its memory, tells the
    // others its place, joins, and opens the window if all have joined. Otherwise each withdraws its offer.
    static NodeMemory::Place offer(NodeMemory& memory);
    // `places`: the ranks' offers, by rank. `cores`: of the node. Null: some section of this node is missing, or cannot be
    // mapped. No communication.
    static std::unique_ptr<NodeWindow> join(const Group& group, NodeMemory& memory,
                                            std::span<const NodeMemory::Place> places, int cores) noexcept;
    // Where some rank could not join: the ranks of each node meet, and join then. Null on all ranks where one rank still cannot.
    // Collective over `group`.
    static std::unique_ptr<NodeWindow> meet_and_join(const Group& group, NodeMemory& memory,
                                                     std::span<const NodeMemory::Place> places,
                                                     int cores) noexcept;
    // `group`: with the carrier of its messages, which may not have been there before.
    void open(const Group& group) {
        comm_ = group.carrier_comm();
        alarm_ = group.carrier.alarm;
        is_open_ = true;
    }

    // Else this rank is alone on its node, and its section is not used: its owner takes it back.
    bool has_neighbours() const { return size_ > 1; }

    // All these steps. Null on all ranks where one rank cannot join. Collective.
    static std::unique_ptr<NodeWindow> make(const Group& group, NodeMemory& memory);

    // The number of cores that the ranks of a node may run on together. A single rank may be bound to one core. Collective
    // over `node`.
    static int cores_of(MPI_Comm node);
    static int own_cores(); // that this rank may run on

    NodeWindow(const NodeWindow&) = delete;
    NodeWindow& operator=(const NodeWindow&) = delete;
    ~NodeWindow(); // this rank's part alone

    // Brings every block to its destination. All ranks of the node call it at the same time, each with its
    // own group: the node, or a group of ranks of the node, such as a lane. No block size needs to be agreed:
    // ranks whose blocks do not fit into a half tell all others in the first epoch how many epochs they need.
    // A block that is larger than its destination expects is an error there, and is not copied beyond the
    // destination's block. With `straight`, blocks that go straight leave their mark.
    Status exchange(const Exchange& exchange);

    // The same where a choice comes first, for which the ranks of the node agree on some numbers: one epoch carries both.
    // begin() writes this rank's blocks and replaces each number by the largest of the node. Then all ranks finish the
    // exchange, or none of them, and their blocks were written in vain. `exchange` null: this rank cannot take part, so
    // nobody will finish. There must be room for the numbers.
    Status begin(const Exchange* exchange, std::span<std::uint64_t> numbers);
    Status finish(const Exchange& exchange);

    // Brings the parts of every rank of the node to all other ranks of the node. Calls for_each_part(local
    // rank, add), which calls add(Part) for each part of that rank: parts of this rank are read, parts of
    // other ranks are written.
    template <typename ForEachPart>
    Status gather(ForEachPart&& for_each_part);

    // An epoch in which every rank of the node lets the others look at its bytes where they lie, until it enters its next
    // epoch but one. Until a rank enters its own next epoch it may look.
    //
    // Room for so many bytes of this rank in the next such epoch. Null: they do not fit, or nobody else is on the node.
    std::byte* room(std::size_t bytes) const;
    // `offers`: places in room(), by local rank; empty: this rank had no room. All ranks of the node call it at the same time.
    struct Shown {
        Status status;
        bool by_all; // else nobody looks
    };
    Shown show(std::span<const Block> offers);
    // The bytes that a rank of the node shows this rank.
    std::byte* shown_by(int local_rank) const {
        const Half half = half_of(local_rank);
        return half.data + half.slices[rank_].begin;
    }

    // The largest of each number over the ranks of the node, in one epoch. All of them call it at the same time, with as many
    // numbers.
    Status largest(std::span<std::uint64_t> numbers);
    // Whether there is room for that many, on every node alike.
    bool has_room_for(std::size_t numbers) const {
        return numbers * sizeof(std::uint64_t) <= least_capacity_;
    }

  private:
    // The beginning of a half. The epoch lies beside the bytes that its readers need next, which saves each
    // reader one cache line for every source.
    struct Header {
        std::atomic<std::uint64_t> epoch;
        std::uint64_t epochs; // that its rank needs for this exchange
    };
    static_assert(std::atomic<std::uint64_t>::is_always_lock_free);
    // The bytes of a half's data for one destination.
    struct Slice {
        std::uint32_t begin, bytes;
        static constexpr std::uint32_t mark = UINT32_MAX; // as `begin`: the block goes straight
    };
    // In shared memory: a header, a slice for each rank of the node, data.
    struct Half {
        Header* header;
        Slice* slices; // by destination; a gather uses the first one for all
        std::byte* data;
    };
    // A stream of blocks cut to one epoch: skips the bytes of earlier epochs, then takes at most `room`
    // bytes.
    struct Cut {
        std::size_t skip, room;
        Block next(std::size_t size) {
            const std::size_t skipped = std::min(skip, size), taken = std::min(size - skipped, room);
            skip -= skipped;
            room -= taken;
            return {skipped, taken};
        }
    };
    NodeWindow(const Group& group, std::size_t half_bytes, int cores);
    static std::size_t data_begin_of(int ranks); // in a half, on a node of that many ranks
    bool map(const Group& group, NodeMemory& memory, std::span<const NodeMemory::Place> places);
    Half half_of(int local_rank) const { return half_of(local_rank, epoch_); }
    Half half_of(int local_rank, std::uint64_t epoch) const {
        std::byte* const half = sections_[static_cast<std::size_t>(local_rank)] + epoch % 2 * half_bytes_;
        return {reinterpret_cast<Header*>(half), reinterpret_cast<Slice*>(half + sizeof(Header)),
                half + data_begin_};
    }
    // The own half is written. In a simulator the ranks of the node meet here, so nobody spins.
    void enter(const Half& own, std::uint64_t needed) {
        own.header->epochs = needed;
        own.header->epoch.store(epoch_, std::memory_order_release);
        if constexpr (simulation::is_on) {
            own_time_.pass();
            meeting_->wait();
            simulation::note_epoch(size_ - 1);
        }
    }
    bool wait_for(const Header& header); // false: for ever, so nobody waits
    void find_places(const Group& group);
    std::size_t bytes_of(const Exchange& exchange) const;
    void write_blocks(const Exchange& exchange, const Half& half, std::uint64_t epoch);
    Status read_block(const Exchange& exchange, int local, const Half& half, std::uint64_t epoch);

    std::uint64_t epochs_for(std::size_t bytes) const {
        return std::max<std::uint64_t>(1, (bytes + capacity_ - 1) / capacity_);
    }
    template <typename Write>
    void begin_epoch(std::uint64_t number, std::uint64_t needed, Write&& write) {
        ++epoch_;
        const Half own = half_of(rank_);
        write(own, number);
        enter(own, needed);
    }
    // A probe costs more than a look. But messages of ours that are under way need MPI.
    static constexpr int few_probes = 16, many_probes = 1;

    // Runs as many epochs as any rank of the node needs. In each of them it calls write(half, number of the
    // epoch in this exchange), then read(source, half, number) for each other rank.
    // An error where the alarm rings, and ever after.
    template <typename Write, typename Read>
    Status run(std::size_t bytes, Write&& write, Read&& read) {
        if (is_broken_) return {MPI_ERR_OTHER};
        begin_epoch(0, epochs_for(bytes), write);
        return go_on(bytes, write, read);
    }
    // The same after the begin of the first epoch.
    template <typename Write, typename Read>
    Status go_on(std::size_t bytes, Write&& write, Read&& read) {
        std::ranges::fill(received_, std::size_t{0});
        const std::uint64_t needed = epochs_for(bytes);
        std::uint64_t epochs = needed;
        for (std::uint64_t number = 0; number < epochs; ++number) {
            if (number > 0) begin_epoch(number, needed, write);
            for (int distance = 1; distance < size_; ++distance) {
                const int source = (rank_ + distance) % size_;
                const Half half = half_of(source);
                if (!wait_for(*half.header)) return {MPI_ERR_OTHER};
                epochs = std::max(epochs, half.header->epochs);
                read(source, half, number);
            }
        }
        own_time_.pass();
        return {};
    }

    MPI_Comm comm_; // MPI works on its messages while this rank waits
    Alarm* alarm_ = nullptr;
    int rank_, size_;
    std::size_t half_bytes_, data_begin_, capacity_; // of data in a half
    std::size_t least_capacity_;                     // of a node with the most ranks
    int spins_;                                      // looks before the rank leaves its core to others
    std::uint64_t epoch_ = 0;
    std::size_t numbers_bytes_ = 0;     // before the blocks in the first epoch of this exchange
    int looks_per_probe_ = few_probes;  // while this rank waits
    std::size_t bytes_ = 0;             // that this rank writes in all epochs of this exchange
    std::vector<std::byte*> sections_;  // by local rank
    std::vector<std::size_t> received_; // of this exchange, by local rank
    std::vector<int> places_; // in the exchange's group, by local rank; -1: the rank is not in the group
    bool is_open_ = false;
    // The alarm ended a wait. The other ranks may read what an epoch from now on would write.
    bool is_broken_ = false;
    simulation::OwnTime own_time_;
    std::shared_ptr<simulation::Meeting> meeting_;        // of the node, in a simulator
    std::vector<std::shared_ptr<std::byte[]>> simulated_; // sections_ in a simulator
};

template <typename ForEachPart>
Status NodeWindow::gather(ForEachPart&& for_each_part) {
    Status status;
    if (size_ == 1) return status;
    std::size_t bytes = 0;
    for_each_part(rank_, [&](Part part) { bytes += part.bytes; });
    const Status waited = run(
        bytes,
        [&](const Half& half, std::uint64_t epoch) {
            Cut cut{epoch * capacity_, capacity_};
            std::size_t end = 0;
            for_each_part(rank_, [&](Part part) {
                const Block taken = cut.next(part.bytes);
                copy_bytes(half.data + end, part.data + taken.offset, taken.size);
                end += taken.size;
            });
            half.slices[0] = {0, static_cast<std::uint32_t>(end)};
        },
        [&](int source, const Half& half, std::uint64_t) {
            const std::byte* in = half.data;
            std::size_t& received = received_[static_cast<std::size_t>(source)];
            Cut cut{received, half.slices[0].bytes};
            received += cut.room;
            for_each_part(source, [&](Part part) {
                const Block taken = cut.next(part.bytes);
                copy_bytes(part.data + taken.offset, in, taken.size);
                in += taken.size;
            });
            if (cut.room > 0) status.keep({MPI_ERR_TRUNCATE});
        });
    status.keep(waited);
    return status;
}

} // namespace switchyard::algorithms
