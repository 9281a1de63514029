#include "node_window.hpp"

#include "algorithms/transport/messages/direct_blocks.hpp"
#include "algorithms/transport/messages/small_messages.hpp"
#include "algorithms/transport/messages/votes.hpp"
#include "core_set.hpp"
#include "last_cache.hpp"
#include "node_blocks.hpp"
#include "node_window_exchange.hpp"

#include <climits>
#include <cstdlib>
#include <new>
#include <utility>

namespace switchyard::algorithms {

namespace {

// One part in `cached_part` of a rank's share of the last cache is for arriving bytes. The share also holds
// what the rank sends, its section, and what its program computes with.
constexpr std::size_t cached_part = 3;

int node_of(const Group& group) {
    return group.node_map == nullptr ? 0 : group.node_map->node_of(group.rank);
}
int ranks_on_node(const Group& group) {
    return group.node_map == nullptr ? group.size : group.node_map->size_of(node_of(group));
}
int most_ranks_on_node(const Group& group) {
    return group.node_map == nullptr ? group.size : group.node_map->largest();
}
int rank_on_node(const Group& group, int local) {
    return group.node_map == nullptr ? local : group.node_map->rank_of(node_of(group), local);
}
int local_rank(const Group& group) {
    return group.node_map == nullptr ? group.rank : group.node_map->local_rank(group.rank);
}

// `others`: numbers of another rank.
void take_larger(std::span<std::uint64_t> numbers, const std::byte* others) {
    for (std::uint64_t& number : numbers) {
        std::uint64_t other = 0;
        std::memcpy(&other, others, sizeof other);
        number = std::max(number, other);
        others += sizeof other;
    }
}

// The two sides of an exchange. `places`: ranks in the exchange's group, by local rank; -1: the rank is not
// in the group, and has no block.
class ListedBlocks {
  public:
    ListedBlocks(const Exchange& exchange, const int* places)
        : exchange_(exchange), places_(places), sizes_(exchange) {}
    bool is_direct(std::size_t bytes) const { return sizes_.is_direct(bytes); }

  protected:
    int place(int local) const { return places_[local]; }
    const Exchange& exchange_;

  private:
    const int* places_;
    SaidSizes sizes_;
};
struct SentBlocks : ListedBlocks {
    using ListedBlocks::ListedBlocks;
    std::size_t size(int local) const { return place(local) < 0 ? 0 : exchange_.send_size(place(local)); }
    const std::byte* at(int local) const { return exchange_.send_to(place(local)); }
};
struct ReceivedBlocks : ListedBlocks {
    using ListedBlocks::ListedBlocks;
    std::size_t size(int local) const { return place(local) < 0 ? 0 : exchange_.recv_size(place(local)); }
    std::byte* at(int local) const { return exchange_.recv_from(place(local)); }
    bool hears_all() const { return exchange_.direct != nullptr; }
    // Hears how many bytes a rank sends.
    void meets(int local, std::size_t bytes) const {
        if (exchange_.direct != nullptr && place(local) >= 0) exchange_.direct->meets(place(local), bytes);
    }
    void meets_mark(int local) const { meets(local, exchange_.max_block); }
};

// Where several ranks share each core, longer rings leave the caches before they are read. But a stream to
// each other rank needs room. Measured: RESULTS.md, rings of several ranks on a core.
std::size_t most_ring_bytes(int ranks, int cores) {
    constexpr std::size_t in_crowd = std::size_t{512} << 10, of_stream = std::size_t{8} << 10;
    if (simulation::is_on || !NodeRest::are_a_crowd(ranks, cores)) return SIZE_MAX;
    return std::max(in_crowd, of_stream * static_cast<std::size_t>(ranks));
}

// Slices count with 32 bits.
std::size_t section_bytes_of(const NodeMemory& memory) {
    return std::min<std::size_t>(memory.section_bytes(), std::size_t{1} << 31);
}

} // namespace

NodeWindow::NodeWindow(const Group& group, const section::Layout& layout, std::size_t least_capacity,
                       int cores)
    : group_(group), comm_(group.carrier_comm()), rank_(local_rank(group)), size_(ranks_on_node(group)),
      layout_(layout), least_capacity_(least_capacity), ring_(layout), rest_(size_, cores), load_(cores),
      cores_(cores), sections_(static_cast<std::size_t>(size_)), writers_(sections_.size()),
      neighbours_(sections_.size()), filled_(sections_.size()), emptied_(sections_.size()),
      emptied_for_all_(sections_.size()), places_(sections_.size()) {
    out_.reserve(sections_.size());
    in_.reserve(sections_.size());
    awaited_.reserve(sections_.size());
    unmet_.reserve(sections_.size());
}

std::size_t NodeWindow::most_cached_bytes() const {
    return simulation::is_on ? SIZE_MAX : LastCache::of_this_core().share(size_, cores_) / cached_part;
}

std::unique_ptr<NodeWindow> NodeWindow::prepared(const Group& group, const NodeMemory& memory, int cores) {
    const std::size_t bytes = section_bytes_of(memory);
    const int ranks = ranks_on_node(group);
    const section::Layout layout(ranks, bytes, most_ring_bytes(ranks, cores)),
        of_largest(most_ranks_on_node(group), bytes);
    if (!of_largest.is_enough()) return nullptr;
    std::unique_ptr<NodeWindow> window(new NodeWindow(group, layout, of_largest.first_capacity(), cores));
    window->watches_load_ = !simulation::is_on && window->rest_.is_crowded();
    if (!simulation::is_on && window->size_ > 1)
        window->wire_ = std::make_unique<Wire>(group, Wire::largest_message, Wire::stream_tag);
    return window;
}

NodeMemory::Place NodeWindow::offer(NodeMemory& memory) {
    return memory.lend();
}

std::unique_ptr<NodeWindow> NodeWindow::join(const Group& group, NodeMemory& memory,
                                             std::span<const NodeMemory::Place> places, int cores) noexcept {
    try {
        auto window = prepared(group, memory, cores);
        return window && window->map(group, memory, places) ? std::move(window) : nullptr;
    } catch (...) { // out of memory
        return nullptr;
    }
}

namespace {

bool introduce_to_neighbours(const Group& group, const NodeMemory& memory,
                             std::span<const NodeMemory::Place> places) {
    for (int local = 0; local < ranks_on_node(group); ++local)
        if (!memory.introduce_to(places[static_cast<std::size_t>(rank_on_node(group, local))])) return false;
    return true;
}

bool meet_guests(NodeMemory& memory) noexcept {
    try {
        memory.meet_guests();
        return true;
    } catch (...) { // out of memory
        return false;
    }
}

// `places` are the same on all ranks. If some rank has no memory, no rank needs to meet others.
bool can_meet(std::span<const NodeMemory::Place> places) {
    return std::ranges::all_of(places, [](const auto& place) { return static_cast<bool>(place); });
}

} // namespace

std::unique_ptr<NodeWindow> NodeWindow::meet_and_join(const Group& group, NodeMemory& memory,
                                                      std::span<const NodeMemory::Place> places,
                                                      int cores) noexcept {
    if (!can_meet(places)) return nullptr;
    const bool introduced = all_agree(memory.listen(), group.comm) &&
                            all_agree(introduce_to_neighbours(group, memory, places), group.comm);
    const bool met = meet_guests(memory);
    if (!introduced) return nullptr;
    auto window = met ? join(group, memory, places, cores) : nullptr;
    return all_agree(window != nullptr, group.comm) ? std::move(window) : nullptr;
}

// A node that was set by hand may be larger than a machine: then sections cannot be mapped.
bool NodeWindow::map(const Group& group, NodeMemory& memory, std::span<const NodeMemory::Place> places) {
    if (size_ == 1) return true;
    for (int local = 0; local < size_; ++local) {
        const auto rank = static_cast<std::size_t>(rank_on_node(group, local));
        std::byte* const section = memory.data_at(places[rank]);
        if (section == nullptr) return false;
        sections_[at(local)] = section;
        neighbours_[at(local)] = {places[rank].process, places[rank].key};
    }
    const NodeMemory::Place& own = places[static_cast<std::size_t>(group.rank)];
    if (!bring_first_pages(memory, own)) return false;
    proof_ = memory.key();
    clear_own_section();
    memory.set_users(own, static_cast<std::uint32_t>(size_));
    return true;
}

// Brings the pages that the first calls use: this rank's own, and each neighbour's counts and notices. With
// many neighbours, their pages come only when they are touched. A neighbour's ring is only read, and the
// system maps many pages at the first read. False: no memory.
bool NodeWindow::bring_first_pages(NodeMemory& memory, const NodeMemory::Place& own) {
    constexpr int few = 16;
    const std::size_t first = layout_.ring_begin + layout_.first_bytes;
    if (!memory.extend(own, first)) return false;
    pages_ = NodePages(memory, own, section(rank_), first, layout_.ring_begin + layout_.ring_bytes);
    ring_.has_memory(first);
    for (int local = after(rank_); size_ <= few && local != rank_; local = after(local))
        NodeMemory::warm(section(local), layout_.ring_begin);
    return true;
}

void NodeWindow::bring_all_pages() {
    if (size_ == 1 || pages_.are_all_there()) return;
    ring_.has_memory(pages_.reach(layout_.ring_begin + layout_.ring_bytes));
    pages_.need(ring_.last());
    ring_.widen(ring_.last());
    for (int local = after(rank_); local != rank_; local = after(local))
        NodeMemory::warm(section(local), ring_.last());
}

// Where ranks share cores, calls are so much faster than an MPI's calls that pages may take more of their
// time. The same holds for calls with small blocks. Where each rank has a core, a rank that brings pages
// holds up all other ranks. So all ranks bring their pages at the same call: the first call with bytes in
// each turn of `epochs` epochs.
void NodeWindow::earn_pages() {
    constexpr std::int64_t usual = 32, of_small_blocks = 16, on_shared_cores = 8;
    constexpr std::uint64_t epochs = 128;
    std::size_t bytes = ring_.used();
    for (const Stream& stream : out_) bytes += stream.bytes;
    const bool are_small = bytes < least_offered_bytes / 2;
    pages_.save(bytes, rest_.shares_cores() ? on_shared_cores : are_small ? of_small_blocks : usual);
    const std::uint64_t turn = epoch_ / epochs;
    if (!rest_.shares_cores() && std::exchange(pages_turn_, turn) == turn) return;
    if (!pages_.spend()) return;
    ring_.has_memory(pages_.memory_end());
    ring_.widen(pages_.end());
}

// Another window may have left its counts and epochs there. Nobody looks before all ranks have joined.
void NodeWindow::clear_own_section() {
    std::memset(section(rank_), 0, layout_.first_notice);
    for (const std::uint64_t epoch : {0U, 1U})
        new (layout_.notice(section(rank_), epoch).header) section::Header{};
}

#ifdef SWITCHYARD_SIMULATED

// Simulated ranks live in one process, so all ranks can use a rank's memory.
std::unique_ptr<NodeWindow> NodeWindow::make(const Group& group, NodeMemory& memory) {
    auto window = prepared(group, memory, 1);
    if (!window) return nullptr;
    struct Share {
        std::shared_ptr<std::byte[]> section;
        std::shared_ptr<simulation::Meeting> meeting;
    };
    // calloc takes pages only where they are written.
    const Share own{{static_cast<std::byte*>(std::calloc(1, section_bytes_of(memory))), std::free},
                    std::make_shared<simulation::Meeting>(window->size_)};
    const Share* const address = &own;
    std::vector<const Share*> shares(static_cast<std::size_t>(group.size));
    gather_everywhere(&address, sizeof address, shares.data(), group.comm);
    for (int local = 0; local < window->size_; ++local) {
        window->simulated_.push_back(shares[static_cast<std::size_t>(rank_on_node(group, local))]->section);
        window->sections_[static_cast<std::size_t>(local)] = window->simulated_.back().get();
    }
    window->meeting_ = shares[static_cast<std::size_t>(rank_on_node(group, 0))]->meeting;
    return all_agree(true, group.comm) ? std::move(window) : nullptr; // until here, others read `own`
}

#else

std::unique_ptr<NodeWindow> NodeWindow::make(const Group& group, NodeMemory& memory) {
    struct Neighbour {
        NodeMemory::Place section;
        CoreSet cores;
    };
    const auto ranks = static_cast<std::size_t>(group.size);
    const auto own = offer(memory);
    const Neighbour mine{own, CoreSet::of_this_rank()};
    std::vector<Neighbour> all(ranks);
    gather_everywhere(&mine, sizeof mine, all.data(), group.comm);
    std::vector<NodeMemory::Place> places;
    for (const auto& one : all) places.push_back(one.section);
    std::vector<CoreSet> neighbours;
    for (int local = 0; local < ranks_on_node(group); ++local)
        neighbours.push_back(all[static_cast<std::size_t>(rank_on_node(group, local))].cores);
    const int cores = cores_of(neighbours);
    auto window = join(group, memory, places, cores);
    if (!all_agree(window != nullptr, group.comm)) window = meet_and_join(group, memory, places, cores);
    if (window) window->open(group);
    if (!window || !window->has_neighbours()) memory.take_back(own);
    return window;
}

#endif

NodeWindow::~NodeWindow() {
    if (is_open_ && size_ > 1)
        for (std::byte* section : sections_) NodeMemory::leave(section);
}

void NodeWindow::probe() {
    Wire::probe(comm_);
}

// Before another rank comes here, it may need this rank for a message: a message of the application, or our
// own message to another node. Therefore a rank that waits lets MPI work again and again.
bool NodeWindow::rest(int& looks, NodeRest::Others others) {
    if constexpr (simulation::is_on) {
        own_time_.pass();
        simulation::rest();
        return true;
    }
    if (looks % looks_per_probe_ == looks_per_probe_ - 1 || has_messages()) {
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

bool NodeWindow::wait_long_for(int local) {
    for (int looks = 0; !has_entered(local);)
        if (!rest(looks, NodeRest::Others::may_compute)) return false;
    return true;
}

// ---- Streams --------------------------------------------------------------------------------------------

void NodeWindow::wait_for_readers() {
    const auto are_empty = [&] {
        for (int local = after(rank_); local != rank_; local = after(local)) {
            const section::Emptied& counts = emptied(rank_, local);
            if (counts.slots.load(std::memory_order_acquire) < filled_[at(local)] ||
                counts.slots_for_all.load(std::memory_order_acquire) < filled_for_all_)
                return false;
        }
        return true;
    };
    for (int looks = 0; !are_empty();)
        if (!rest(looks, NodeRest::Others::may_compute)) return;
    has_filled_slots_ = false;
}

// Nothing was expected of these ranks. If one of them sent something all the same, the program is wrong, and
// that rank must not wait.
bool NodeWindow::meet_the_rest() {
    in_.clear();
    out_.clear();
    for (const int source : unmet_) {
        if (!wait_for(source)) return false;
        (void)meet_block(NoBlocks{}, source, false);
    }
    unmet_.clear();
    if (!in_.empty()) (void)run_streams(NoBlocks{}, false);
    if (has_messages()) (void)end_messages();
    return !is_broken_;
}

void NodeWindow::tell_load(const Notice& own) {
    own.header->word =
        std::bit_cast<std::uint64_t>(load_.own_part(NodeLoad::Clock::now(), NodeLoad::own_time));
}

// Ranks may come to different conclusions: each rank's notice tells the readers how its blocks come.
void NodeWindow::hear_load() {
    double parts = 0;
    for (int local = 0; local < size_; ++local) parts += std::bit_cast<double>(notice_of(local).header->word);
    load_.hear(parts);
    rest_.stay_awake(load_.others_have_cores());
}

void NodeWindow::send_streams(const Notice& own) {
    for (const Stream& stream : out_) {
        own.slices[stream.local] = {0, Slice::stream};
        StreamPlace& place = own.places[stream.local] = {};
        place.bytes = stream.bytes;
        wire_->send(rank_on_node(group_, stream.local), stream.data, stream.bytes);
    }
    out_.clear();
}

void NodeWindow::receive_message(int source, std::byte* data, std::size_t bytes) {
    wire_->receive(rank_on_node(group_, source), data, bytes);
}

// The program is wrong, but its message must not stay behind.
void NodeWindow::lose_message(int source, std::size_t bytes) {
    lost_.emplace_back(new (std::nothrow) std::byte[bytes]);
    static std::byte nowhere;
    if (lost_.back())
        receive_message(source, lost_.back().get(), bytes);
    else
        receive_message(source, &nowhere, 1);
}

Status NodeWindow::end_messages() {
    const Status status = wire_->wait_all();
    lost_.clear();
    return status;
}

// Streams that nobody may take from this rank's own memory go through slots: the more slots, the better.
void NodeWindow::grow_ring_for_streams(bool in_place) {
    std::size_t bytes = 0;
    for (const Stream& stream : out_)
        if (in_place || !is_for_reading(stream.bytes) || !can_be_read_by(stream.local)) bytes += stream.bytes;
    if (bytes > 0) grow_ring_for_epoch(ring_.used() + bytes);
}

// The streams of this rank share the free area evenly.
void NodeWindow::lay_out_streams(const Notice& own, bool in_place) {
    has_filled_slots_ = true; // soon
    grow_ring_for_streams(in_place);
    const section::Area free = ring_.free();
    const std::size_t area = free.bytes / out_.size();
    std::size_t begin = free.begin;
    for (Stream& stream : out_) {
        lay_out_slots(stream, {begin, area});
        if (proof_ != nullptr && stream.pieces() <= Claims::most_pieces) {
            stream.from = reinterpret_cast<std::uintptr_t>(stream.data);
            stream.proof = reinterpret_cast<std::uintptr_t>(proof_);
            stream.is_offered = !in_place && is_for_reading(stream.bytes) && can_be_read_by(stream.local);
        }
        filled(rank_, stream.local).claims.clear();
        emptied(rank_, stream.local).read.store(0, std::memory_order_relaxed);
        if (!stream.is_offered)
            pages_.need(begin + std::min<std::uint64_t>(area, stream.pieces() * stream.slot_bytes));
        own.places[stream.local] = place_of(stream);
        own.slices[stream.local] = {0, Slice::stream};
        begin += area;
    }
}

void NodeWindow::lay_out_slots(Stream& stream, section::Area area) {
    using section::line_bytes;
    const std::size_t end = area.begin + area.bytes;
    stream.begin = area.bytes < 2 * line_bytes ? area.begin : section::rounded_up(area.begin, line_bytes);
    const std::size_t bytes = end - stream.begin;
    stream.slot_bytes =
        std::min(bytes < line_bytes ? bytes : bytes / line_bytes * line_bytes, most_slot_bytes);
    stream.slots = bytes / stream.slot_bytes;
}

section::StreamPlace NodeWindow::place_of(const Stream& stream) {
    return {.bytes = stream.bytes,
            .begin = static_cast<std::uint32_t>(stream.begin),
            .slot_bytes = static_cast<std::uint32_t>(stream.slot_bytes),
            .slots = static_cast<std::uint32_t>(stream.slots),
            .shown_or_offered = stream.is_offered ? 1U : 0U,
            .from = stream.from,
            .proof = stream.proof,
            .shown_bytes = 0};
}

bool NodeWindow::has_stream_to(int local) const {
    return std::ranges::any_of(out_, [&](const Stream& stream) { return stream.local == local; });
}

// In place, what arrives may cover only what has left: here the bytes before `end`.
bool NodeWindow::may_cover(const Stream& arriving, std::uint64_t end) const {
    const auto leaving =
        std::ranges::find_if(out_, [&](const Stream& stream) { return stream.local == arriving.local; });
    return leaving == out_.end() || leaving->is_over() || leaving->done >= end;
}

bool NodeWindow::write_slot(Stream& stream) {
    if (stream.is_over()) return false;
    if (is_read_to_end(stream)) {
        stream.end = stream.done;
        return true;
    }
    std::uint64_t& count = filled_[at(stream.local)];
    section::Filled& filled_for_reader = filled(rank_, stream.local);
    if (stream.is_offered && can_be_read_by(stream.local)) return false; // its reader moves it
    if (count - emptied(rank_, stream.local).slots.load(std::memory_order_acquire) >= stream.slots ||
        (stream.from != 0 && !filled_for_reader.claims.take_front(stream.pieces())))
        return false;
    const std::size_t bytes = stream.next();
    writers_[at(stream.local)].write(section(rank_) + stream.slot(), stream.data + stream.done, bytes);
    stream.done += bytes;
    filled_for_reader.slots.store(++count, std::memory_order_release);
    return true;
}

bool NodeWindow::can_be_read_by(int reader) const {
    return emptied(rank_, reader).refuses.load(std::memory_order_acquire) == 0;
}

bool NodeWindow::can_be_read_by_all() const {
    for (int local = after(rank_); local != rank_; local = after(local))
        if (!can_be_read_by(local)) return false;
    return true;
}

// Offers bytes for all ranks. Each rank takes them from this rank's own memory.
void NodeWindow::offer_to_all(const Notice& own, Part bytes) {
    for (int local = after(rank_); local != rank_; local = after(local))
        out_.push_back({.local = local, .data = bytes.data, .bytes = bytes.bytes});
    lay_out_streams(own, false);
}

void NodeWindow::meet_offer(int source, const StreamPlace& place) {
    in_.push_back({.local = source,
                   .bytes = place.bytes,
                   .begin = place.begin,
                   .slot_bytes = place.slot_bytes,
                   .slots = place.slots,
                   .from = place.from,
                   .proof = place.proof,
                   .is_offered = place.shown_or_offered != 0});
}

// Whether the reader has read from this rank's memory everything that did not go through slots.
bool NodeWindow::is_read_to_end(const Stream& stream) const {
    if (stream.from == 0) return false;
    const std::uint64_t read = emptied(rank_, stream.local).read.load(std::memory_order_acquire);
    return filled(rank_, stream.local).claims.are_all_taken(stream.pieces(), read);
}

void NodeWindow::choose_how_to_read(bool in_place) {
    std::size_t arriving = 0;
    for (const Stream& stream : in_) arriving += stream.bytes;
    reads_past_caches_ = !in_place && go_past_caches(arriving);
}

bool NodeWindow::read_by_cma() {
    bool some = false;
    for (Stream& stream : in_) some = read_by_cma(stream) || some;
    return some;
}

bool NodeWindow::read_by_cma(Stream& stream) {
    return read_by_cma(stream, [&](std::size_t begin, std::size_t bytes) {
        return neighbours_[at(stream.local)].read(stream.data + begin, stream.from + begin, bytes,
                                                  stream.proof);
    });
}

// A rank that now reads this rank's own memory gets an error: this rank leaves a broken window, and its
// program may change the bytes.
void NodeWindow::withdraw_offers() {
    for (const Stream& stream : out_)
        if (stream.from != 0) filled(rank_, stream.local).is_withdrawn.store(true, std::memory_order_seq_cst);
}

// Bytes that this rank has no room for are lost, but their writer must not wait.
bool NodeWindow::read_slot(Stream& stream, bool in_place) {
    if (stream.is_over() || (in_place && !may_cover(stream, stream.done + stream.next()))) return false;
    return empty_slot(stream, [&](const Stream& filled) {
        const std::size_t room = filled.room - std::min(filled.room, filled.done);
        if (room > 0)
            copy_arriving(filled.data + filled.done, section(filled.local) + filled.slot(),
                          std::min(filled.next(), room), reads_past_caches_);
    });
}

// One turn through the streams from one rank to another.
NodeWindow::Served NodeWindow::serve_pairs(bool in_place) {
    Served served;
    const std::size_t rounds = std::max(out_.size(), in_.size());
    // A rank in place may also be offered blocks, by a rank that exchanges from a copy.
    const auto may_read_by_cma = [&](const Stream& stream) {
        return stream.is_offered && (!in_place || may_cover(stream, stream.end));
    };
    const auto read = [&](Stream& stream) {
        return read_slot(stream, in_place) || (may_read_by_cma(stream) && read_by_cma(stream));
    };
    for (std::size_t i = 0; i < rounds; ++i) {
        if (i < out_.size()) served.note(out_[i], [&](Stream& stream) { return write_slot(stream); });
        if (i < in_.size()) served.note(in_[i], read);
    }
    return served;
}

NodeWindow::Stream NodeWindow::stream_to_all(const Notice& own, std::size_t bytes) {
    Stream stream{.local = rank_, .bytes = bytes, .is_for_all = true};
    const section::Area free = ring_.free();
    lay_out_slots(stream, free);
    pages_.need(free.begin + std::min(free.bytes, bytes));
    StreamPlace& said = own.places[rank_];
    const StreamPlace before = said;
    said = place_of(stream);
    said.shown_or_offered = before.shown_or_offered;
    stream.done = said.shown_bytes = before.shown_bytes;
    return stream;
}

NodeWindow::Stream NodeWindow::stream_to_all(int source, std::size_t bytes) const {
    const StreamPlace& said = notice_of(source).places[source];
    Stream stream{.local = source,
                  .bytes = bytes,
                  .begin = said.begin,
                  .slot_bytes = said.slot_bytes,
                  .slots = said.slots,
                  .is_for_all = true};
    stream.done = said.shown_bytes;
    return stream;
}

bool NodeWindow::has_slot_for_all(const Stream& stream) {
    for (int local = after(rank_); local != rank_; local = after(local))
        if (filled_for_all_ - emptied(rank_, local).slots_for_all.load(std::memory_order_acquire) >=
            stream.slots)
            return false;
    return true;
}

void NodeWindow::fill_slot_for_all(Stream& stream) {
    stream.done += stream.next();
    filled(rank_, rank_).slots.store(++filled_for_all_, std::memory_order_release);
}

bool NodeWindow::is_filled_for_all(const Stream& stream) const {
    return filled(stream.local, stream.local).slots.load(std::memory_order_acquire) !=
           emptied_for_all_[at(stream.local)];
}

void NodeWindow::empty_slot_for_all(Stream& stream) {
    stream.done += stream.next();
    emptied(stream.local, rank_)
        .slots_for_all.store(++emptied_for_all_[at(stream.local)], std::memory_order_release);
}

// ---- Exchange -------------------------------------------------------------------------------------------

void NodeWindow::find_places(const Group& group) {
    std::ranges::fill(places_, -1);
    for (int place = 0; place < group.size; ++place) {
        const int rank = group.rank_in_comm(place);
        const int local = group.node_map == nullptr ? rank : group.node_map->local_rank(rank);
        places_[at(local)] = place;
    }
}

std::byte* NodeWindow::bytes_for_all(const Notice& own, std::size_t bytes) {
    if (bytes <= most_near_bytes()) return section(rank_) + near_place(bytes, own);
    const std::size_t place = ring_place(bytes);
    own.places[rank_].shown_or_offered = static_cast<std::uint32_t>(place);
    return section(rank_) + place;
}

const std::byte* NodeWindow::bytes_for_all(int source, std::size_t bytes) const {
    const Notice notice = notice_of(source);
    return bytes <= most_near_bytes() ? notice.near
                                      : section(source) + notice.places[source].shown_or_offered;
}

Status NodeWindow::exchange(const Exchange& blocks) {
    if (size_ == 1) return copy_own_block(blocks);
    find_places(blocks.group);
    return probing_often(blocks, [&] {
        return exchange(SentBlocks(blocks, places_.data()), ReceivedBlocks(blocks, places_.data()), false);
    });
}

Status NodeWindow::begin(const Exchange* exchange, std::span<std::uint64_t> numbers) {
    if (size_ == 1) return {};
    if (!is_ready()) return Fault::lost;
    const Notice own = next_notice(numbers.size_bytes());
    std::memcpy(bytes_for_all(own, numbers.size_bytes()), numbers.data(), numbers.size_bytes());
    out_.clear();
    if (exchange != nullptr) {
        find_places(exchange->group);
        write_blocks(SentBlocks(*exchange, places_.data()), own, false, false); // maybe for nothing
    }
    enter(own);
    for (int local = after(rank_); local != rank_; local = after(local)) {
        if (!wait_for(local)) return withdraw_offers(), Status(Fault::lost);
        take_larger(numbers, bytes_for_all(local, numbers.size_bytes()));
    }
    own_time_.pass();
    return {};
}

Status NodeWindow::finish(const Exchange& blocks) {
    if (size_ == 1) return copy_own_block(blocks);
    return probing_often(blocks, [&] {
        return finish(SentBlocks(blocks, places_.data()), ReceivedBlocks(blocks, places_.data()), false);
    });
}

template <typename Work>
Status NodeWindow::probing_often(const Exchange& exchange, Work&& work) {
    if (exchange.direct != nullptr && exchange.direct->has_some()) looks_per_probe_ = many_probes;
    const Status status = work();
    looks_per_probe_ = few_probes;
    return status;
}

std::byte* NodeWindow::room(std::size_t bytes) {
    if (size_ == 1 || !is_ready()) return nullptr;
    grow_ring_for_epoch(bytes);
    if (bytes > ring_.capacity()) return nullptr;
    room_bytes_ = bytes;
    const std::size_t place = ring_.next(bytes);
    pages_.need(place + bytes);
    return section(rank_) + place;
}

NodeWindow::Shown NodeWindow::show(std::span<const Block> offers) {
    if (size_ == 1) return {{}, false};
    if (!is_ready()) return {Fault::lost, false};
    const std::size_t bytes = offers.empty() ? 0 : room_bytes_;
    const Notice own = next_notice(bytes);
    const std::size_t room = ring_place(bytes);
    for (std::size_t local = 0; local < offers.size(); ++local)
        own.slices[local] = {static_cast<std::uint32_t>(room + offers[local].offset),
                             static_cast<std::uint32_t>(offers[local].size)};
    own.header->word = offers.empty() ? 0 : 1;
    enter(own);
    Shown shown{{}, !offers.empty()};
    for (int local = after(rank_); local != rank_; local = after(local)) {
        if (!wait_for(local)) return {Fault::lost, false};
        shown.by_all = shown.by_all && notice_of(local).header->word == 1;
    }
    own_time_.pass();
    return shown;
}

Status NodeWindow::largest(std::span<std::uint64_t> numbers) {
    return begin(nullptr, numbers);
}

} // namespace switchyard::algorithms
