// Memory that the ranks of a node share. They exchange blocks by copying them through it. The ranks of a
// communicator make its window together; each rank frees its own part by itself.
//
// Every rank has a section of its own. In epoch n it writes its bytes there, but not over its bytes of epoch
// n - 1, stores n in its notice n % 2, and waits until all other ranks of the node have stored n in theirs.
// One wait is enough: a rank overwrites its bytes of epoch n - 1 only after all other ranks have entered
// epoch n, and they enter it only after they have read those bytes. So in epoch n a rank without streams
// waits only for the ranks that send it something. It waits for the other ranks before epoch n + 1: MPI's own
// exchange would not wait for them.
//
// Bytes that an epoch has no room for go in streams. A stream has a few slots, and two counts: its writer
// fills a slot, its reader empties it, and each waits only for the other. A rank serves all of its streams in
// turn, so a rank that the system took off its core holds up only its own streams. Slots lie where there are
// no bytes of epoch n or n - 1. Before a rank enters epoch n + 1 it makes sure that its slots are empty.
//
// A window begins with few pages, since a program may have few calls. Until it has more, a large block
// may be offered: its reader takes it from the writer's own memory, where the system allows it, and the
// writer waits for the reader. A reader that cannot read there refuses, once and for all. Then the
// block goes through slots.
//
// A slot needs its writer on a core, and then its reader. So where other programs keep ranks off their cores,
// a reader reads the end of the block from its writer's own memory, where the system allows it. Where several
// ranks share each core and other programs have most of it, ranks that wait for slots or sleep lose their
// share of the core. There such a block becomes an MPI message.
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
    // Several slots fit into a core's second-level cache.
    static constexpr std::size_t most_slot_bytes = std::size_t{64} * 1024;
    // A smaller block is not offered.
    static constexpr std::size_t least_offered_bytes = std::size_t{64} * 1024;
    // The most bytes of one CMA read, so that a writer that is scheduled again still has work.
    static constexpr std::size_t most_read_bytes = std::size_t{1} << 20;

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
        comm_ = group.carrier_comm();
        alarm_ = group.carrier.alarm;
        if (wire_) wire_->reset();
        is_open_ = true;
    }

    // Brings all of its pages at once, instead of as exchanges earn them: for a measurement of
    // algorithms. No communication.
    void bring_all_pages();

    // False: this rank is alone on its node. Its section is not used, and its owner takes it back.
    bool has_neighbours() const { return size_ > 1; }

    // All these steps. Null on all ranks if one rank cannot join. Collective.
    static std::unique_ptr<NodeWindow> make(const Group& group, NodeMemory& memory);

    NodeWindow(const NodeWindow&) = delete;
    NodeWindow& operator=(const NodeWindow&) = delete;
    ~NodeWindow(); // frees only this rank's part

    // What the ranks share their cores with. For tests: from now on the ranks act as if they had met it.
    enum class Load { none, others, others_on_shared_cores, nobody };
    void assume(Load load) {
        if (load == Load::others) rest_.assume_others();
        offers_always_ = load == Load::nobody;
        if (load != Load::others_on_shared_cores || !wire_) return; // none on a simulated machine
        load_.assume_others();
        watches_load_ = true;
    }
    // The layout of the sections of this node.
    const section::Layout& layout() const { return layout_; }
    // If one exchange brings more bytes than this, they do not stay in the caches until the program reads
    // them. Bytes that are written past the caches need no fetch of their places. In place, the places are in
    // the caches already. Measured with a program that reads the bytes: RESULTS.md.
    std::size_t most_cached_bytes() const;
    // Bytes of large blocks that this rank read from their writers' own memory.
    std::uint64_t cma_bytes() const { return cma_bytes_; }
    // The messages of this rank since the last call. They carry large blocks while other programs keep ranks
    // off their cores.
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

    // Waits until the ranks that the last exchange did not wait for have come to it. Each exchange begins
    // with this wait. False: the window is broken.
    bool meet_others() { return size_ == 1 || is_ready(); }

    // exchange() for the whole node, with blocks by local rank in a form of node_blocks.hpp
    // (node_window_exchange.hpp). Some ranks may call this form and other ranks the first. With `in_place`
    // both sides are one: each block lies where the block of its destination arrives, and has the same size.
    template <typename Sent, typename Received>
    Status exchange(const Sent& sent, const Received& received, bool in_place);

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
        return gather(for_each_part, [] {});
    }
    // Brings one block of each rank of the node to all ranks of the node, also to its own rank, unless it
    // lies there already. `received`: by local rank, in a form of node_blocks.hpp.
    template <typename Received>
    Status allgather(std::span<const std::byte> sent, const Received& received);

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
        return section(local_rank) + notice_of(local_rank).slices[rank_].begin;
    }

    // Replaces each number by the largest over the ranks of the node, in one epoch. All ranks of the node
    // call it at the same time, with the same number of numbers.
    Status largest(std::span<std::uint64_t> numbers);
    // Whether there is room for that many numbers. The answer is the same on every node.
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
        bool is_for_all = false;                          // through slots that all other ranks read
        std::size_t done = 0;                             // bytes written or read through slots
        std::size_t end = bytes;                          // of these; the reader has read the rest by CMA
        bool is_over() const { return done == end; }
        // A piece fills a slot.
        std::uint64_t pieces() const { return pieces_of(bytes); }
        std::uint64_t pieces_of(std::size_t some) const { return (some + slot_bytes - 1) / slot_bytes; }
        std::size_t next() const { return std::min(slot_bytes, bytes - done); }
        std::size_t slot() const { return begin + done / slot_bytes % slots * slot_bytes; }
    };
    // The result of one turn through all streams. A turn moves as many slots of each stream as it can.
    struct Served {
        bool some = false, all_are_over = true;
        template <typename MoveSlot>
        void note(Stream& stream, MoveSlot&& move_slot) {
            while (move_slot(stream)) some = true;
            all_are_over = all_are_over && stream.is_over();
        }
    };
    // A stream of blocks cut to one epoch or slot: skips the bytes before it, then
    // takes at most `room` bytes.
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
    // A window without its sections. Null: the sections are too small on some node, as all ranks know.
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

    // Call it before an epoch. False: the window is broken.
    bool is_ready() {
        if (has_filled_slots_) [[unlikely]]
            wait_for_readers();
        return !is_broken_ && (unmet_.empty() || meet_the_rest());
    }
    // The notice of this rank for a new epoch, with room for at least `need` bytes.
    Notice next_notice(std::size_t need = 0) {
        ++epoch_;
        ring_.begin_epoch(need);
        near_used_ = 0;
        return notice_of(rank_);
    }
    // Where in the own section `bytes` bytes of this epoch will lie. 0: there is no room.
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
    // Where bytes of this epoch that are for all ranks lie: this rank's bytes, which come before its other
    // bytes, and another rank's.
    std::size_t most_near_bytes() const {
        return std::min(layout_.near_bytes, section::Layout::most_near_block);
    }
    std::byte* bytes_for_all(const Notice& own, std::size_t bytes);
    const std::byte* bytes_for_all(int source, std::size_t bytes) const;

    // Call it once the own notice is written. In a simulator the ranks of the node
    // meet here, so nobody spins.
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
    // Rests after this rank has looked `looks` times for something of another rank. False: the wait would
    // never end, so it was given up.
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
    // Meets each other rank of the node that is needed, once it has entered the epoch. False:
    // one such rank never will.
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
    // Whether `bytes` arriving bytes are written past the caches.
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
    // pages take longer than the block's bytes, and old lines are still in the reader's cache when they are
    // written again. `in_all`: all bytes of this rank in the epoch.
    bool is_for_reading(std::size_t bytes, std::size_t in_all) const {
        return bytes >= least_offered_bytes && proof_ != nullptr && (offers_always_ || !is_warm_for(in_all));
    }
    // Ranks on one core use its cache in turn, so a part of the ring is enough for them.
    bool is_warm_for(std::size_t in_all) const {
        if (pages_.were_refused()) return false;
        return pages_.are_all_there() || (rest_.shares_cores() && ring_.has_turn_for(in_all, pages_.end()));
    }
    // For one of several blocks, which are likely to be about equally large.
    bool is_for_reading(std::size_t bytes) const {
        return is_for_reading(bytes, bytes * static_cast<std::size_t>(size_ - 1));
    }
    // In a short ring, a large block that comes in the epoch leaves little room for the
    // streams of the other blocks.
    bool is_for_slots(std::size_t bytes) const {
        return bytes >= most_slot_bytes && rest_.is_crowded() &&
               bytes * static_cast<std::size_t>(size_ - 1) > layout_.capacity;
    }
    // Bytes for all ranks: on shared cores the ranks would wait for the kernel one after another, but they
    // all read a slot at once.
    bool is_for_reading_by_all(std::size_t bytes) const {
        return is_for_reading(bytes, bytes) && (offers_always_ || !rest_.shares_cores()) &&
               can_be_read_by_all();
    }
    template <typename Read>
    bool read_by_cma(Stream& stream, Read&& read);
    bool read_by_cma(Stream& stream);
    bool read_by_cma();
    void withdraw_offers();
    // As far as there is memory.
    void grow_ring_for_epoch(std::size_t bytes) {
        if (bytes > ring_.capacity() && !ring_.is_whole()) [[unlikely]]
            ring_.has_memory(pages_.reach(ring_.memory_for(bytes)));
    }
    void grow_ring_for_streams(bool in_place);
    // Call it after an exchange.
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
    // keep_own() is called once the other ranks can read what fits into an epoch: then the
    // caches still have the block.
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
    // This rank's stream, and another rank's.
    Stream stream_to_all(const Notice& own, std::size_t bytes);
    Stream stream_to_all(int source, std::size_t bytes) const;
    // A rank that has entered the epoch has `bytes` bytes for all ranks. Returns how many
    // of them came in the epoch.
    std::size_t shown_of(const Notice& notice, int source, std::size_t bytes) const {
        return bytes <= most_near_bytes() ? bytes : notice.places[source].shown_bytes;
    }
    bool has_slot_for_all(const Stream& stream);
    void fill_slot_for_all(Stream& stream);
    bool is_filled_for_all(const Stream& stream) const;
    void empty_slot_for_all(Stream& stream);

    // A probe costs more than a look. But our own messages under way need MPI.
    static constexpr int few_probes = 16, many_probes = 1;

    const Group& group_;
    Comm comm_; // MPI works on its messages while this rank waits
    Alarm* alarm_ = nullptr;
    int rank_, size_;
    section::Layout layout_;
    std::size_t least_capacity_;   // of an epoch, on a node with the most ranks
    section::Ring ring_;           // of the own section
    std::size_t near_used_ = 0;    // next to the own notice, of this epoch
    NodePages pages_;              // of the own section
    std::uint64_t pages_turn_ = 0; // turn of epochs in which this rank could last bring pages
    std::size_t room_bytes_ = 0;   // that room() gave last
    NodeRest rest_;
    NodeLoad load_;
    // Asking a virtual machine for its caches takes as long as many small exchanges.
    static constexpr std::size_t always_cached_bytes = std::size_t{256} << 10;
    int cores_;                      // of the node; its ranks share them
    bool reads_past_caches_ = false; // in the streams under way
    bool offers_always_ = false;     // for tests
    std::uint64_t epoch_ = 0;
    int looks_per_probe_ = few_probes;        // while this rank waits
    bool has_filled_slots_ = false;           // in the last exchange; its readers may not have emptied them
    std::vector<std::byte*> sections_;        // by local rank
    std::vector<NodeWriter> writers_;         // by local rank of the reader; the own one is for all
    std::vector<NeighbourMemory> neighbours_; // by local rank
    std::uint64_t cma_bytes_ = 0;
    const std::uint64_t* proof_ = nullptr;           // that this rank shows them
    std::vector<Stream> out_, in_;                   // of this exchange
    std::vector<int> awaited_, unmet_;               // local ranks: needed in this epoch, and before the next
    bool watches_load_ = false;                      // only then does it send messages
    std::unique_ptr<Wire> wire_;                     // null where no rank of the node ever sends one
    std::vector<std::unique_ptr<std::byte[]>> lost_; // messages that this rank has no room for
    // By local rank: slots that this rank has filled for that rank, and slots of that
    // rank that it has emptied.
    std::vector<std::uint64_t> filled_, emptied_;
    std::uint64_t filled_for_all_ = 0;
    std::vector<std::uint64_t> emptied_for_all_; // by local rank of the writer
    std::vector<int> places_; // in the exchange's group, by local rank; -1: the rank is not in the group
    bool is_late_ = false;    // in place: a block waits until this rank's own block is out of its place
    bool is_open_ = false;
    // The alarm ended a wait. Other ranks may still read what another epoch would overwrite.
    bool is_broken_ = false;
    simulation::OwnTime own_time_;
    std::shared_ptr<simulation::Meeting> meeting_;        // of the node, in a simulator
    std::vector<std::shared_ptr<std::byte[]>> simulated_; // sections_ in a simulator
};

} // namespace switchyard::algorithms
