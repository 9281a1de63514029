// Memory that the ranks of a node share. They exchange blocks by copying them through it. The ranks of a
// communicator make its window together; each rank frees its part alone.
//
// Every rank has a section of its own. In epoch n it writes its bytes there, where those of epoch n - 1 are
// not, stores n in its notice n % 2, and waits until all other ranks of the node have stored n in theirs. One
// wait is enough: a rank writes where it wrote in epoch n - 1 only after all others have entered epoch n, and
// they enter it only after they have read those bytes. So in epoch n a rank without streams waits for those
// alone that send it something, and for the others before epoch n + 1: MPI's own exchange would not wait for
// them.
//
// Bytes that an epoch has no room for go in streams. A stream has a few slots, and two counts: its writer
// fills a slot, its reader empties it, and each waits for the other alone. A rank serves all of its streams
// in turn, so a rank that the system took off its core holds up its own streams only. Slots lie where no
// bytes of epoch n or n - 1 are. Before a rank enters epoch n + 1 it looks whether its slots are empty.
//
// A window begins with few pages, for a program may have few calls. Meanwhile a large block may be offered:
// its reader takes it from the writer's own memory, where the system allows it, and the writer waits until it
// has. A reader that cannot read there refuses, once for all; then the block goes through slots.
//
// A slot needs its writer and then its reader on a core. Where other programs keep ranks off their cores, a
// reader therefore reads the end of the block from its writer's own memory, where the system allows it. Where
// several ranks share each core and others have most of it, ranks that wait for slots or sleep lose their
// share of the core. There such a block becomes a message of MPI.
#pragma once

#include "algorithms/exchange.hpp"
#include "algorithms/transport/messages/alarm.hpp"
#include "algorithms/transport/messages/part.hpp"
#include "algorithms/transport/messages/simulation.hpp"
#include "algorithms/transport/messages/wire.hpp"
#include "neighbour_memory.hpp"
#include "node_load.hpp"
#include "node_memory.hpp"
#include "node_pages.hpp"
#include "node_rest.hpp"
#include "node_section.hpp"
#include "node_writer.hpp"
#include "past_caches.hpp"

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

namespace switchyard::algorithms {

class NodeWindow {
  public:
    // Some of them fit into a core's second-level cache.
    static constexpr std::size_t most_slot_bytes = std::size_t{64} * 1024;
    // A smaller block is not offered for that.
    static constexpr std::size_t least_offered_bytes = std::size_t{64} * 1024;
    // The most bytes of one CMA read, so that a writer that is scheduled again still has work.
    static constexpr std::size_t most_read_bytes = std::size_t{1} << 20;

    // The steps by which the ranks of a whole communicator make a window: each offers a section of its
    // memory, tells the others its place, joins, and opens the window if all have joined. Otherwise each
    // withdraws its offer.
    static NodeMemory::Place offer(NodeMemory& memory);
    // `places`: the ranks' offers, by rank. `cores`: that the ranks of this node share. Null: some section of
    // this node is missing, or cannot be mapped. No communication.
    static std::unique_ptr<NodeWindow> join(const Group& group, NodeMemory& memory,
                                            std::span<const NodeMemory::Place> places, int cores) noexcept;
    // Where some rank could not join: the ranks of each node meet, and join then. Null on all ranks where one
    // rank still cannot. Collective over `group`.
    static std::unique_ptr<NodeWindow> meet_and_join(const Group& group, NodeMemory& memory,
                                                     std::span<const NodeMemory::Place> places,
                                                     int cores) noexcept;
    // `group`: with the carrier of its messages, which may not have been there before.
    void open(const Group& group) {
        comm_ = group.carrier_comm();
        alarm_ = group.carrier.alarm;
        if (wire_) wire_->reset();
        is_open_ = true;
    }

    // All of its memory at once, instead of what exchanges earn: for a measurement of algorithms. No
    // communication.
    void bring_all_pages();

    // Else this rank is alone on its node, and its section is not used: its owner takes it back.
    bool has_neighbours() const { return size_ > 1; }

    // All these steps. Null on all ranks where one rank cannot join. Collective.
    static std::unique_ptr<NodeWindow> make(const Group& group, NodeMemory& memory);

    NodeWindow(const NodeWindow&) = delete;
    NodeWindow& operator=(const NodeWindow&) = delete;
    ~NodeWindow(); // this rank's part alone

    // What the ranks share their cores with. For tests: from now on, as if they had met them.
    enum class Load { none, others, others_on_shared_cores, nobody };
    void assume(Load load) {
        if (load == Load::others) rest_.assume_others();
        offers_always_ = load == Load::nobody;
        if (load != Load::others_on_shared_cores || !wire_) return; // a simulated machine runs no others
        load_.assume_others();
        watches_load_ = true;
    }
    // Of the sections of this node.
    const section::Layout& layout() const { return layout_; }
    // More bytes of one exchange do not stay in the caches until the program reads them. Written past the
    // caches, their places need not be fetched first. In place they are there already. Measured with a
    // program that reads them: RESULTS.md.
    std::size_t most_cached_bytes() const;
    // Bytes of large blocks that this rank read from their writers' own memory.
    std::uint64_t cma_bytes() const { return cma_bytes_; }
    // The messages of this rank since the last call: large blocks, while other programs keep ranks off their
    // cores.
    Traffic take_traffic() {
        if (!watches_load_) return {};
        const Traffic traffic = wire_->traffic();
        wire_->reset();
        return traffic;
    }

    // Brings every block to its destination. All ranks of the node call it at the same time, each with its
    // own group: the node, or a group of ranks of the node, such as a lane. No block size needs to be agreed.
    // A block that is larger than its destination expects is an error there, and is not copied beyond the
    // destination's block. With `direct`, direct blocks leave their mark.
    Status exchange(const Exchange& exchange);

    // Waits for the ranks that the last exchange did not wait for: until they have come to it. Each exchange
    // begins with that. False: the window is broken.
    bool meet_others() { return size_ == 1 || is_ready(); }

    // The same for the whole node, with blocks by local rank in a form of node_blocks.hpp
    // (node_window_exchange.hpp). The ranks may call either. With `in_place` both sides are one: each block
    // lies where the block of its destination arrives, and has its size.
    template <typename Sent, typename Received>
    Status exchange(const Sent& sent, const Received& received, bool in_place);

    // The same where a choice comes first, for which the ranks of the node agree on some numbers: one epoch
    // carries both. begin() writes this rank's blocks and replaces each number by the largest of the node.
    // Then all ranks finish the exchange, or none of them, and their blocks were written in vain. `exchange`
    // null: this rank cannot take part, so nobody will finish. There must be room for the numbers.
    Status begin(const Exchange* exchange, std::span<std::uint64_t> numbers);
    Status finish(const Exchange& exchange);

    // Brings the parts of every rank of the node to all other ranks of the node. Calls for_each_part(local
    // rank, add), which calls add(Part) for each part of that rank: parts of this rank are read, parts of
    // other ranks are written.
    template <typename ForEachPart>
    Status gather(ForEachPart&& for_each_part) {
        return gather(for_each_part, [] {});
    }
    // Brings one block of each rank of the node to all of them, also to its own rank, unless it lies there
    // already. `received`: by local rank, in a form of node_blocks.hpp.
    template <typename Received>
    Status allgather(std::span<const std::byte> sent, const Received& received);

    // An epoch in which every rank of the node lets the others look at its bytes where they lie, until it
    // enters its next epoch but one. Until a rank enters its own next epoch it may look.
    //
    // Room for so many bytes of this rank in the next such epoch. Null: they do not fit, or nobody else is on
    // the node.
    std::byte* room(std::size_t bytes);
    // `offers`: places in room(), by local rank; empty: this rank had no room. All ranks of the node call it
    // at the same time.
    struct Shown {
        Status status;
        bool by_all; // else nobody looks
    };
    Shown show(std::span<const Block> offers);
    // The bytes that a rank of the node shows this rank.
    std::byte* shown_by(int local_rank) const {
        return section(local_rank) + notice_of(local_rank).slices[rank_].begin;
    }

    // The largest of each number over the ranks of the node, in one epoch. All of them call it at the same
    // time, with as many numbers.
    Status largest(std::span<std::uint64_t> numbers);
    // Whether there is room for that many, on every node alike.
    bool has_room_for(std::size_t numbers) const {
        return numbers * sizeof(std::uint64_t) <= least_capacity_;
    }

  private:
    using Slice = section::Slice;
    using StreamPlace = section::StreamPlace;
    using Notice = section::Notice;
    // One end of a stream, in the exchange under way.
    struct Stream {
        int local = 0;                                    // the rank at the other end
        std::byte* data = nullptr;                        // of the block, or of its place; unused in a gather
        std::size_t bytes = 0;                            // in all
        std::size_t begin = 0, slot_bytes = 0, slots = 0; // where the slots lie
        std::size_t room = 0;                             // bytes of the block's place
        std::uintptr_t from = 0, proof = 0;               // as in StreamPlace
        bool is_offered = false;                          // likewise
        bool is_for_all = false;                          // through slots that all others read
        std::size_t done = 0;                             // bytes written or read through slots
        std::size_t end = bytes;                          // of these; the reader has read the bytes behind it
        bool is_over() const { return done == end; }
        // A piece fills a slot.
        std::uint64_t pieces() const { return pieces_of(bytes); }
        std::uint64_t pieces_of(std::size_t some) const { return (some + slot_bytes - 1) / slot_bytes; }
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
    // A stream of blocks cut to one epoch or slot: skips the bytes before it, then takes at most `room`
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
    NodeWindow(const Group& group, const section::Layout& layout, std::size_t least_capacity, int cores);
    // Without the sections. Null: these are too small on some node, which all ranks see alike.
    static std::unique_ptr<NodeWindow> prepared(const Group& group, const NodeMemory& memory, int cores);
    bool bring_first_pages(NodeMemory& memory, const NodeMemory::Place& own);
    void clear_own_section();
    bool map(const Group& group, NodeMemory& memory, std::span<const NodeMemory::Place> places);
    static std::size_t at(int local_rank) { return static_cast<std::size_t>(local_rank); }
    std::byte* section(int local_rank) const { return sections_[at(local_rank)]; }
    Notice notice_of(int local_rank) const { return layout_.notice(section(local_rank), epoch_); }
    section::Filled& filled(int writer, int reader) const {
        return *reinterpret_cast<section::Filled*>(section(writer) + layout_.count_at(reader, false));
    }
    section::Emptied& emptied(int writer, int reader) const {
        return *reinterpret_cast<section::Emptied*>(section(writer) + layout_.count_at(reader, true));
    }

    // The local rank after this one, around the ring.
    int after(int local) const { return local + 1 < size_ ? local + 1 : 0; }

    // Before an epoch. False: the window is broken.
    bool is_ready() {
        if (has_filled_slots_) [[unlikely]]
            wait_for_readers();
        return !is_broken_ && (unmet_.empty() || meet_the_rest());
    }
    // The notice of this rank for a new epoch, with room for `need` bytes at least.
    Notice next_notice(std::size_t need = 0) {
        ++epoch_;
        ring_.begin_epoch(need);
        near_used_ = 0;
        return notice_of(rank_);
    }
    // Where in the own section so many bytes of this epoch are to lie. 0: there is no room.
    std::size_t place_for(std::size_t bytes, const Notice& own) {
        if (bytes <= section::Layout::most_near_block && bytes <= layout_.near_bytes - near_used_)
            return near_place(bytes, own);
        return ring_place(bytes);
    }
    // 0: there is no room.
    std::size_t ring_place(std::size_t bytes) {
        if (!ring_.has_room(bytes)) [[unlikely]]
            grow_ring_for_epoch(ring_.used() + bytes);
        const std::size_t place = ring_.take(bytes);
        if (place != 0) pages_.need(place + bytes);
        return place;
    }
    std::size_t near_place(std::size_t bytes, const Notice& own) {
        const auto place = static_cast<std::size_t>(own.near + near_used_ - section(rank_));
        near_used_ =
            std::min(section::rounded_up(near_used_ + bytes, sizeof(std::uint64_t)), layout_.near_bytes);
        return place;
    }
    // Where so many bytes of this epoch, for all, lie: of this rank, before any other of it, and of another.
    std::size_t most_near_bytes() const {
        return std::min(layout_.near_bytes, section::Layout::most_near_block);
    }
    std::byte* bytes_for_all(const Notice& own, std::size_t bytes);
    const std::byte* bytes_for_all(int source, std::size_t bytes) const;

    // The own notice is written. In a simulator the ranks of the node meet here, so nobody spins.
    void enter(const Notice& own) {
        own.header->epoch.store(epoch_, std::memory_order_release);
        if constexpr (simulation::is_on) {
            own_time_.pass();
            meeting_->wait();
            simulation::note_epoch(size_ - 1);
        }
    }
    bool has_entered(int local) const {
        return notice_of(local).header->epoch.load(std::memory_order_acquire) >= epoch_;
    }
    bool wait_for(int local) {
        return has_entered(local) || wait_long_for(local);
    } // false: for ever, so nobody waits
    bool wait_long_for(int local);
    // Of a rank that has looked so many times for something of another rank. False: for ever, so nobody
    // waits.
    bool rest(int& looks, NodeRest::Others others);
    void probe();
    void wait_for_readers();
    void find_places(const Group& group);
    template <typename Sent, typename Received>
    Status copy_own(const Sent& sent, const Received& received);
    template <typename Sent>
    void write_blocks(const Sent& sent, const Notice& own, bool in_place, bool by_message);
    template <typename Sent, typename Received>
    Status finish(const Sent& sent, const Received& received, bool in_place);
    template <typename Sent, typename Received>
    Status read_blocks(const Sent& sent, const Received& received, bool in_place);
    bool meet_the_rest();
    // Meets each other rank of the node that is needed, once it has entered the epoch. False: one never will.
    template <typename IsNeeded, typename Meet>
    bool meet_all(IsNeeded&& is_needed, Meet&& meet, bool in_place);
    template <typename Received>
    Status meet_block(const Received& received, int source, bool in_place);
    template <typename Received>
    Status read_block(const Received& received, int source, Slice slice);
    template <typename Received>
    void meet_stream(const Received& received, int source, const StreamPlace& place, bool in_place);
    template <typename Received>
    Status meet_message(const Received& received, int source, const StreamPlace& place);

    void tell_load(const Notice& own);
    void hear_load();
    void send_streams(const Notice& own);
    void receive_message(int source, std::byte* data, std::size_t bytes);
    void lose_message(int source, std::size_t bytes);
    bool has_messages() const { return wire_ && !wire_->is_idle(); }
    Status end_messages();
    void lay_out_streams(const Notice& own, bool in_place);
    static void lay_out_slots(Stream& stream, section::Area area);
    static StreamPlace place_of(const Stream& stream);
    bool has_stream_to(int local) const;
    bool may_cover(const Stream& arriving, std::uint64_t end) const;
    template <typename Received>
    Status run_streams(const Received& received, bool in_place);
    void choose_how_to_read(bool in_place);
    // Whether so many bytes that arrive go past the caches.
    bool go_past_caches(std::size_t bytes) const {
        return can_pass_caches && bytes >= always_cached_bytes && bytes >= most_cached_bytes();
    }
    static void copy_arriving(std::byte* to, const std::byte* from, std::size_t bytes, bool past_caches);
    bool write_slot(Stream& stream);
    bool read_slot(Stream& stream, bool in_place);
    bool is_read_to_end(const Stream& stream) const;
    bool can_be_read_by(int reader) const;
    bool can_be_read_by_all() const;
    void offer_to_all(const Notice& own, Part bytes);
    void meet_offer(int source, const StreamPlace& place);
    template <typename Copy>
    bool empty_slot(Stream& stream, Copy&& copy);
    // A large block comes faster from its writer's own memory than through a ring that is small or cold: new
    // pages take longer than its bytes, and old lines are in the reader's cache when they are written again.
    // `in_all`: of this rank in the epoch.
    bool is_for_reading(std::size_t bytes, std::size_t in_all) const {
        return bytes >= least_offered_bytes && proof_ != nullptr && (offers_always_ || !is_warm_for(in_all));
    }
    // Ranks on one core use its cache in turn, so a part of the ring is enough for them.
    bool is_warm_for(std::size_t in_all) const {
        if (pages_.were_refused()) return false;
        return pages_.are_all_there() || (rest_.shares_cores() && ring_.has_turn_for(in_all, pages_.end()));
    }
    // One of a few blocks, which are likely to be about alike.
    bool is_for_reading(std::size_t bytes) const {
        return is_for_reading(bytes, bytes * static_cast<std::size_t>(size_ - 1));
    }
    // In a short ring, a large block that comes in the epoch leaves the streams of the others little room.
    bool is_for_slots(std::size_t bytes) const {
        return bytes >= most_slot_bytes && rest_.is_crowded() &&
               bytes * static_cast<std::size_t>(size_ - 1) > layout_.capacity;
    }
    // Bytes for all: on shared cores each of them would wait for the kernel in turn, where slots are read by
    // all at once.
    bool is_for_reading_by_all(std::size_t bytes) const {
        return is_for_reading(bytes, bytes) && (offers_always_ || !rest_.shares_cores()) &&
               can_be_read_by_all();
    }
    template <typename Read>
    bool read_by_cma(Stream& stream, Read&& read);
    bool read_by_cma(Stream& stream);
    bool read_by_cma();
    void withdraw_offers();
    // Where there is memory.
    void grow_ring_for_epoch(std::size_t bytes) {
        if (bytes > ring_.capacity() && !ring_.is_whole()) [[unlikely]]
            ring_.has_memory(pages_.reach(ring_.memory_for(bytes)));
    }
    void grow_ring_for_streams(bool in_place);
    // After an exchange.
    void widen_ring() {
        if (!pages_.are_all_there() && (ring_.used() > 0 || !out_.empty())) [[unlikely]]
            earn_pages();
    }
    void earn_pages();
    Served serve_pairs(bool in_place);
    template <typename Turn, typename Otherwise>
    Status serve(Turn&& turn, Otherwise&& otherwise);
    template <typename Work>
    Status probing_often(const Exchange& exchange, Work&& work);

    template <typename Received>
    bool is_nothing(const Received& received) const {
        int local = 0;
        while (local < size_ && received.size(local) == 0) ++local;
        return local == size_;
    }
    // keep_own() is called once the others can read what fits into an epoch: the caches have it still.
    template <typename ForEachPart, typename KeepOwn>
    Status gather(ForEachPart&& for_each_part, KeepOwn&& keep_own);
    template <typename ForEachPart>
    Part as_one(ForEachPart&& for_each_part); // of this rank. Without data: it has several parts
    template <typename ForEachPart>
    Status gather_by_streams(ForEachPart&& for_each_part);
    template <typename ForEachPart>
    bool read_in(ForEachPart&& for_each_part, const Stream& stream, Cut cut, Status& status);
    template <typename ForEachPart>
    void copy_out(ForEachPart&& for_each_part, Cut cut, std::byte* to);
    template <typename ForEachPart>
    Status copy_in(ForEachPart&& for_each_part, int source, Cut cut, const std::byte* from);
    // This rank's stream, and that of another.
    Stream stream_to_all(const Notice& own, std::size_t bytes);
    Stream stream_to_all(int source, std::size_t bytes) const;
    // Of so many bytes for all of a rank that has entered the epoch, those that came in it.
    std::size_t shown_of(const Notice& notice, int source, std::size_t bytes) const {
        return bytes <= most_near_bytes() ? bytes : notice.places[source].shown_bytes;
    }
    bool has_slot_for_all(const Stream& stream);
    void fill_slot_for_all(Stream& stream);
    bool is_filled_for_all(const Stream& stream) const;
    void empty_slot_for_all(Stream& stream);

    // A probe costs more than a look. But messages of ours that are under way need MPI.
    static constexpr int few_probes = 16, many_probes = 1;

    const Group& group_;
    Comm comm_; // MPI works on its messages while this rank waits
    Alarm* alarm_ = nullptr;
    int rank_, size_;
    section::Layout layout_;
    std::size_t least_capacity_;   // of an epoch, on a node with the most ranks
    section::Ring ring_;           // of the own section
    std::size_t near_used_ = 0;    // beside the own notice, of this epoch
    NodePages pages_;              // of the own section
    std::uint64_t pages_turn_ = 0; // of epochs, in which this rank last could bring some
    std::size_t room_bytes_ = 0;   // that room() gave last
    NodeRest rest_;
    NodeLoad load_;
    // To ask a virtual machine for its caches takes as long as many small exchanges.
    static constexpr std::size_t always_cached_bytes = std::size_t{256} << 10;
    int cores_;                      // of the node, that its ranks share
    bool reads_past_caches_ = false; // in the streams under way
    bool offers_always_ = false;     // for tests
    std::uint64_t epoch_ = 0;
    int looks_per_probe_ = few_probes;        // while this rank waits
    bool has_filled_slots_ = false;           // in the last exchange; its readers may not have emptied them
    std::vector<std::byte*> sections_;        // by local rank
    std::vector<NodeWriter> writers_;         // by local rank of the reader; the own one is for all
    std::vector<NeighbourMemory> neighbours_; // by local rank
    std::uint64_t cma_bytes_ = 0;
    const std::uint64_t* proof_ = nullptr;           // of this rank to them
    std::vector<Stream> out_, in_;                   // of this exchange
    std::vector<int> awaited_, unmet_;               // local ranks: needed in this epoch, and before the next
    bool watches_load_ = false;                      // only then it sends messages
    std::unique_ptr<Wire> wire_;                     // null where no rank of the node ever sends one
    std::vector<std::unique_ptr<std::byte[]>> lost_; // messages that this rank has no room for
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
