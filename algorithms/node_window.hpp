// Memory that the ranks of a node share. They exchange blocks by copying them through it. The ranks of a communicator make
// its window together; each rank frees its part alone.
//
// Every rank has a section of its own with two halves. An epoch is one use of a half. In epoch n a rank writes half n % 2 of
// its section, stores n in that half, and waits until all other ranks of the node have stored n in theirs. One wait is enough:
// a rank writes a half again only after all others have entered the next epoch, and they enter it only after they have read
// that half.
//
// Bytes that do not fit into a half go in streams. A stream has a few slots, and two counts: its writer fills a slot, its
// reader empties it, and each waits for the other alone. A rank serves all of its streams in turn, so a rank that the system
// took off its core holds up its own streams only. After the wait of epoch n nobody reads the half of epoch n - 1 any more:
// there the slots are. Before a rank writes that half in epoch n + 1 it looks whether its slots are empty.
#pragma once

#include "exchange.hpp"
#include "node_memory.hpp"
#include "node_rest.hpp"
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
    // own group: the node, or a group of ranks of the node, such as a lane. No block size needs to be agreed.
    // A block that is larger than its destination expects is an error there, and is not copied beyond the
    // destination's block. With `straight`, blocks that go straight leave their mark.
    Status exchange(const Exchange& exchange);

    // The same for the whole node, with blocks by local rank in a form of node_blocks.hpp (node_window_exchange.hpp). The
    // ranks may call either. With `in_place` both sides are one: each block lies where the block of its destination arrives,
    // and has its size.
    template <typename Sent, typename Received>
    Status exchange(const Sent& sent, const Received& received, bool in_place);

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
    std::byte* room(std::size_t bytes);
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
        std::uint64_t word; // what its rank says of this epoch: bytes of a gather, whether it shows
    };
    static_assert(std::atomic<std::uint64_t>::is_always_lock_free);
    // The bytes of a half's data for one destination.
    struct Slice {
        std::uint32_t begin, bytes;
        static constexpr std::uint32_t straight = UINT32_MAX; // as `begin`: the block goes straight
        static constexpr std::uint32_t stream = UINT32_MAX;   // as `bytes`: a StreamPlace lies there
    };
    // Where a stream lies in the other half of its writer's section.
    struct StreamPlace {
        std::uint64_t bytes; // of the block
        std::uint32_t begin, slot_bytes, slots;
    };
    // The counts of the streams from one rank to another: filled and emptied slots since the window was made. They lie in the
    // writer's section. The channel of a rank to itself is that to all others, where each reader counts in its own channel.
    struct Filled {
        std::atomic<std::uint64_t> slots;
    };
    struct Emptied {
        std::atomic<std::uint64_t> slots, slots_for_all;
    };
    // In shared memory: a header, a slice for each rank of the node, data.
    struct Half {
        Header* header;
        Slice* slices; // by destination
        std::byte* data;
    };
    // The layout of a section.
    struct Layout {
        Layout(int ranks, std::size_t section_bytes);
        std::size_t count_bytes;   // from a count to the next
        std::size_t first_half;    // before it are the counts
        std::size_t half_bytes;    // of each
        std::size_t data_begin;    // in a half
        std::size_t capacity;      // of data in a half; 0: the section is too small
        std::size_t stream_places; // at the end of the data: where they begin
    };
    // One end of a stream, in the exchange under way.
    struct Stream {
        int local = 0;                                    // the rank at the other end
        std::byte* data = nullptr;                        // of the block, or of its place; unused in a gather
        std::size_t bytes = 0;                            // in all
        std::size_t begin = 0, slot_bytes = 0, slots = 0; // where the slots lie
        std::size_t room = 0;                             // bytes of the block's place
        std::size_t done = 0;                             // bytes written or read
        bool is_over() const { return done == bytes; }
        std::size_t next() const { return std::min(slot_bytes, bytes - done); }
        std::size_t slot() const { return begin + done / slot_bytes % slots * slot_bytes; }
    };
    // What came of one turn through all streams: of each, as many slots as can be moved.
    struct Served {
        bool some = false, all_are_over = true;
        template <typename MoveSlot>
        void note(Stream& stream, MoveSlot&& move_slot) {
            while (move_slot(stream)) some = true;
            all_are_over = all_are_over && stream.is_over();
        }
    };
    // A stream of blocks cut to one epoch or slot: skips the bytes before it, then takes at most `room` bytes.
    struct Cut {
        std::size_t skip, room;
        Block next(std::size_t size) {
            const std::size_t skipped = std::min(skip, size), taken = std::min(size - skipped, room);
            skip -= skipped;
            room -= taken;
            return {skipped, taken};
        }
    };
    NodeWindow(const Group& group, const Layout& layout, std::size_t least_capacity, int cores);
    // Without the sections. Null: these are too small on some node, which all ranks see alike.
    static std::unique_ptr<NodeWindow> prepared(const Group& group, const NodeMemory& memory, int cores);
    void clear_own_section();
    bool map(const Group& group, NodeMemory& memory, std::span<const NodeMemory::Place> places);
    static std::size_t at(int local_rank) { return static_cast<std::size_t>(local_rank); }
    std::byte* section(int local_rank) const { return sections_[at(local_rank)]; }
    Half half_of(int local_rank) const { return half_of(local_rank, epoch_); }
    Half half_of(int local_rank, std::uint64_t epoch) const {
        std::byte* const half = section(local_rank) + layout_.first_half + epoch % 2 * layout_.half_bytes;
        return {reinterpret_cast<Header*>(half), reinterpret_cast<Slice*>(half + sizeof(Header)),
                half + layout_.data_begin};
    }
    // Where slots are in this epoch.
    std::byte* slots_of(int local_rank) const { return half_of(local_rank, epoch_ + 1).data; }
    std::byte* count_of(int writer, int reader, bool of_reader) const {
        const auto number = static_cast<std::size_t>(2 * reader + (of_reader ? 1 : 0));
        return section(writer) + number * layout_.count_bytes;
    }
    Filled& filled(int writer, int reader) const {
        return *reinterpret_cast<Filled*>(count_of(writer, reader, false));
    }
    Emptied& emptied(int writer, int reader) const {
        return *reinterpret_cast<Emptied*>(count_of(writer, reader, true));
    }

    // The local rank after this one, around the ring.
    int after(int local) const { return local + 1 < size_ ? local + 1 : 0; }

    // Before an epoch. False: the window is broken.
    bool is_ready() {
        if (has_filled_slots_) [[unlikely]]
            wait_for_readers();
        return !is_broken_;
    }
    // The half of this rank for a new epoch.
    Half next_half() {
        ++epoch_;
        return half_of(rank_);
    }
    // The own half is written. In a simulator the ranks of the node meet here, so nobody spins.
    void enter(const Half& own) {
        own.header->epoch.store(epoch_, std::memory_order_release);
        if constexpr (simulation::is_on) {
            own_time_.pass();
            meeting_->wait();
            simulation::note_epoch(size_ - 1);
        }
    }
    bool wait_for(int local) { // false: for ever, so nobody waits
        const Header& header = *half_of(local).header;
        return header.epoch.load(std::memory_order_acquire) >= epoch_ || wait_long_for(header);
    }
    bool wait_long_for(const Header& header);
    // Of a rank that has looked so many times for something of another rank. False: for ever, so nobody waits.
    bool rest(int& looks, NodeRest::Others others);
    void wait_for_readers();
    void find_places(const Group& group);
    template <typename Sent, typename Received>
    Status copy_own(const Sent& sent, const Received& received);
    template <typename Sent>
    void write_blocks(const Sent& sent, const Half& own, std::size_t end);
    template <typename Sent, typename Received>
    Status finish(const Sent& sent, const Received& received, bool in_place);
    template <typename Received>
    Status read_block(const Received& received, int source, const Half& half);
    template <typename Received>
    void meet_stream(const Received& received, int source, const Half& half);

    void lay_out_streams(const Half& own);
    static void lay_out_slots(Stream& stream, std::size_t area);
    bool has_stream_to(int local) const;
    bool may_cover(const Stream& arriving) const;
    template <typename Received>
    Status run_streams(const Received& received, bool in_place);
    bool write_slot(Stream& stream);
    bool read_slot(Stream& stream, bool in_place);
    template <typename Turn>
    Status serve(Turn&& turn);
    template <typename Work>
    Status probing_often(const Exchange& exchange, Work&& work);

    template <typename ForEachPart>
    Status gather_by_streams(ForEachPart&& for_each_part);
    template <typename ForEachPart>
    void copy_out(ForEachPart&& for_each_part, Cut cut, std::byte* to);
    template <typename ForEachPart>
    Status copy_in(ForEachPart&& for_each_part, int source, Cut cut, const std::byte* from);
    Stream stream_to_all(int local, std::size_t bytes) const;
    bool has_slot_for_all(const Stream& stream);
    void fill_slot_for_all(Stream& stream);
    bool is_filled_for_all(const Stream& stream) const;
    void empty_slot_for_all(Stream& stream);

    // A probe costs more than a look. But messages of ours that are under way need MPI.
    static constexpr int few_probes = 16, many_probes = 1;
    static constexpr std::size_t least_slot_bytes = 8; // of a window that is not too small
    // Some of them fit into a core's second-level cache.
    static constexpr std::size_t most_slot_bytes = std::size_t{64} * 1024;

    MPI_Comm comm_; // MPI works on its messages while this rank waits
    Alarm* alarm_ = nullptr;
    int rank_, size_;
    Layout layout_;
    std::size_t least_capacity_; // of blocks and numbers that come in an epoch, on a node with the most ranks
    NodeRest rest_;
    std::uint64_t epoch_ = 0;
    int looks_per_probe_ = few_probes; // while this rank waits
    bool has_filled_slots_ = false;    // in the last exchange; its readers may not have emptied them
    std::vector<std::byte*> sections_; // by local rank
    std::vector<Stream> out_, in_;     // of this exchange
    // By local rank: slots that this rank has filled for it, and has emptied of it.
    std::vector<std::uint64_t> filled_, emptied_;
    std::uint64_t filled_for_all_ = 0;
    std::vector<std::uint64_t> emptied_for_all_; // by local rank of the writer
    std::vector<int> places_; // in the exchange's group, by local rank; -1: the rank is not in the group
    bool is_late_ = false;    // in place: a block waits until this rank's own block is out of its place
    bool is_open_ = false;
    // The alarm ended a wait. The other ranks may read what an epoch from now on would write.
    bool is_broken_ = false;
    simulation::OwnTime own_time_;
    std::shared_ptr<simulation::Meeting> meeting_;        // of the node, in a simulator
    std::vector<std::shared_ptr<std::byte[]>> simulated_; // sections_ in a simulator
};

} // namespace switchyard::algorithms
