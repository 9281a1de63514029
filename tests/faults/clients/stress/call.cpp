#include "call.hpp"

#include "own_faults.hpp"
#include "watch.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <numeric>

namespace stress {

namespace {

constexpr std::ptrdiff_t margin = 48; // bytes before and behind a buffer, which nobody may touch

void fill_with(std::uint64_t key, unsigned char* into, std::size_t bytes) {
    std::size_t at = 0;
    for (; at + sizeof key <= bytes; at += sizeof key) {
        const auto word = mixed(key + at);
        std::memcpy(into + at, &word, sizeof word);
    }
    const auto word = mixed(key + at);
    if (bytes > at) std::memcpy(into + at, &word, bytes - at);
}

const Signature& draw_signature(bool is_simple, Stream& group) {
    const auto& all = signatures();
    const auto& drawn = all[group.percent(35) ? 0 : group.below(all.size())];
    return (drawn.is_uniform && !drawn.basics.empty()) || !is_simple ? drawn : all[0];
}

Item draw_item(Collective collective, const Signature& signature, const BlockSizes& sizes, Stream& group) {
    const auto item = group.pick(std::array{Item::element, Item::unit, Item::granule});
    if (!own_faults::wants_items_of_one_size(collective)) return Item::any;
    if (!signature.is_uniform) return item == Item::element ? Item::unit : item;
    const auto bytes = std::int64_t{sizes.most()} * signature.unit_bytes;
    return own_faults::wants_basic_items(collective, bytes) ? Item::element : item;
}

// Holes cost memory.
Spread widest(const Shape& shape, const Member& member, std::int64_t side_bytes) {
    constexpr std::int64_t most_with_holes = 1 << 18;
    if (own_faults::must_lie_in_a_row(shape.signature, side_bytes)) return Spread::row;
    if (own_faults::gathers_rows_alone(shape.collective, member)) return Spread::row;
    return side_bytes < most_with_holes ? Spread::wide : Spread::dense;
}

std::ptrdiff_t rounded_up(std::ptrdiff_t value, std::ptrdiff_t divisor) { // towards plus infinity
    return value / divisor + (value % divisor > 0 ? 1 : 0);
}

} // namespace

namespace {

Shape draw(Collective collective, const Member& member, std::int64_t block_bytes, bool is_nonblocking,
           Stream& group) {
    const auto& signature = draw_signature(own_faults::gathers_rows_alone(collective, member), group);
    const bool may_be_in_place = !member.is_inter && (!is_nonblocking || own_faults::can_start_in_place);
    const bool in_place = group.percent(15) && may_be_in_place;
    const int most_ranks = std::max(member.ranks, member.others);
    const SizeRequest request{.unit_bytes = signature.unit_bytes,
                              .most_block_bytes =
                                  std::min(block_bytes, own_faults::most_block_bytes(signature)),
                              .most_side_bytes = 2 * block_bytes,
                              .ranks = most_ranks,
                              .is_fixed = !has_arrays(collective),
                              .is_symmetric = in_place && !gathers(collective),
                              .none_empty = is_nonblocking && own_faults::cannot_start_empty(collective)};
    const BlockSizes sizes(request, group);
    return {collective, signature, in_place, draw_item(collective, signature, sizes, group), sizes};
}

Collective draw_collective(Stream& group) {
    return static_cast<Collective>(group.below(collectives));
}

} // namespace

Shape draw_shape_of(Collective collective, const Member& member, std::int64_t block_bytes, Stream& group) {
    return draw(collective, member, block_bytes, false, group);
}

Shape draw_nonblocking_shape(const Member& member, std::int64_t block_bytes, Stream& group) {
    const auto drawn = draw_collective(group);
    const auto collective = own_faults::cannot_start(drawn) ? Collective::alltoallv : drawn;
    return draw(collective, member, block_bytes, true, group);
}

Shape draw_shape(const Member& member, std::int64_t block_bytes, Stream& group) {
    return draw(draw_collective(group), member, block_bytes, false, group);
}

Call::Call(const Member& member, const Shape& shape, LayoutPool& pool, Stream& own)
    : member_(member), shape_(shape), own_(own.next()) {
    lay_out(false, pool);
    if (!shape.in_place) {
        lay_out(true, pool);
        return;
    }
    send_.words.counts = {-5}; // MPI may not look at any of it
    send_.words.types = {own_.percent(50) ? MPI_DATATYPE_NULL : MPI_INT};
}

bool Call::in_row(bool sent) const {
    return !has_arrays(shape_.collective) || (sent && gathers(shape_.collective));
}

int Call::blocks(bool sent) const {
    return sent && gathers(shape_.collective) ? 1 : member_.others;
}

int Call::units(bool sent, int block) const {
    const int side = sent ? member_.side : member_.other_side();
    const int source = sent ? member_.rank : block;
    if (gathers(shape_.collective)) return shape_.sizes.units(side, source);
    return shape_.sizes.units(side, source, sent ? block : member_.rank);
}

void Call::lay_out(bool sent, LayoutPool& pool) {
    auto& side = sent ? send_ : recv_;
    draw_layouts(side, sent, pool);
    side.places.resize(static_cast<std::size_t>(blocks(sent)));
    for (int block = 0; block < (in_row(sent) ? 1 : blocks(sent)); ++block)
        side.words.counts.push_back(
            side.layout(static_cast<std::size_t>(block)).items(shape_.signature, units(sent, block)));
    if (in_row(sent))
        place_in_row(side);
    else
        place_anywhere(side);
    place_memory(side);
}

void Call::draw_layouts(Side& side, bool sent, LayoutPool& pool) {
    const auto most = std::int64_t{shape_.sizes.most()} * blocks(sent);
    const int columns = in_row(sent) ? static_cast<int>(most) : shape_.sizes.most();
    const LayoutRequest request{shape_.signature, shape_.sizes.granule(), shape_.item, columns,
                                widest(shape_, member_, most * shape_.signature.unit_bytes)};
    const int layouts = shape_.collective == Collective::alltoallw ? blocks(sent) : 1;
    for (int i = 0; i < layouts; ++i) {
        side.layouts.push_back(pool.draw(request, own_));
        side.words.types.push_back(side.layouts.back()->type());
    }
}

// One block after the other, as MPI places them by one count.
void Call::place_in_row(Side& side) const {
    const auto step = side.count(0) * side.layout(0).extent();
    for (std::size_t block = 0; block < side.places.size(); ++block)
        side.places[block] = static_cast<std::ptrdiff_t>(block) * step;
}

// In any order, with and without holes, also before the buffer's pointer.
void Call::place_anywhere(Side& side) {
    if (own_faults::ignores_displacements(shape_.collective, member_)) {
        side.words.displacements = {0};
        return;
    }
    const bool in_bytes = shape_.collective == Collective::alltoallw;
    std::vector<std::size_t> order(side.places.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    const int kind = own_.between(0, 3);
    if (kind == 1) std::ranges::reverse(order);
    if (kind == 2) own_.shuffle(order);
    const int widest_hole = own_.percent(50) ? 0 : 3;
    auto& displacements = side.words.displacements;
    displacements.resize(order.size());
    std::ptrdiff_t cursor = own_.percent(25) ? -own_.between(1, 400) : 0;
    for (const auto block : order) {
        const auto& layout = side.layout(block);
        const int items = side.count(block);
        const auto step = in_bytes ? 1 : layout.extent();
        if (items == 0 || layout.high(items) == layout.low(items)) { // no place at all
            displacements[block] = own_.between(-5, 1000);
            side.places[block] = displacements[block] * step;
            continue;
        }
        const auto at = rounded_up(cursor - layout.low(items), step) + own_.between(0, widest_hole);
        displacements[block] = static_cast<int>(at);
        side.places[block] = at * step;
        cursor = side.places[block] + layout.high(items);
    }
}

void Call::place_memory(Side& side) {
    std::ptrdiff_t low = 0, high = 0;
    bool is_empty = true, has_items = false;
    for (std::size_t block = 0; block < side.places.size(); ++block) {
        const auto& layout = side.layout(block);
        const int items = side.count(block);
        has_items = has_items || items > 0;
        const auto begin = side.places[block] + layout.low(items),
                   end = side.places[block] + layout.high(items);
        if (begin == end) continue;
        low = is_empty ? begin : std::min(low, begin);
        high = is_empty ? end : std::max(high, end);
        is_empty = false;
    }
    side.low = low - margin;
    const auto behind = own_.percent(50) ? margin : 0;
    side.area.emplace(static_cast<std::size_t>(high + behind - side.low), own_);
    side.words.buffer = side.area->data() - side.low;
    if (!has_items && own_.percent(30)) side.words.buffer = nullptr;
}

std::uint64_t Call::key_of(int side, int source, int destination) const {
    const bool to_all = gathers(shape_.collective);
    return mixed(key_, static_cast<std::uint64_t>(side), static_cast<std::uint64_t>(source),
                 to_all ? std::uint64_t{1} << 40 : static_cast<std::uint64_t>(destination));
}

void Call::write_block(const Side& side, int block, int units, std::uint64_t key, unsigned char* area) const {
    static thread_local std::vector<unsigned char> bytes;
    const auto size = static_cast<std::size_t>(units) * static_cast<std::size_t>(shape_.signature.unit_bytes);
    if (size == 0) return;
    if (bytes.size() < size) bytes.resize(size);
    fill_with(key, bytes.data(), size);
    const auto at = static_cast<std::size_t>(block);
    const auto& layout = side.layout(at);
    layout.scatter(bytes.data(), layout.items(shape_.signature, units), area - side.low + side.places[at]);
}

void Call::fill(std::uint64_t key) {
    key_ = key;
    if (!shape_.in_place) fill_sent();
    fill_received();
}

void Call::fill_sent() {
    auto& area = *send_.area;
    area.allow_writing();
    fill_with(own_.next(), area.data(), area.bytes());
    for (int block = 0; block < blocks(true); ++block)
        write_block(send_, block, units(true, block), key_of(member_.side, member_.rank, block), area.data());
    send_.expected.assign(area.data(), area.data() + area.bytes());
    if (own_.percent(50)) area.forbid_writing();
}

void Call::fill_received() {
    auto* const data = recv_.area->data();
    fill_with(own_.next(), data, recv_.area->bytes());
    for (int block = 0; shape_.in_place && block < member_.others; ++block)
        if (!gathers(shape_.collective) || block == member_.rank)
            write_block(recv_, block, units(true, block), key_of(member_.side, member_.rank, block), data);
    before_.assign(data, data + recv_.area->bytes());
    recv_.expected = before_;
    for (int block = 0; block < member_.others; ++block)
        write_block(recv_, block, units(false, block), key_of(member_.other_side(), block, member_.rank),
                    recv_.expected.data());
}

void Call::tell() const {
    const auto bytes_of = [&](bool sent) {
        std::int64_t bytes = 0;
        for (int block = 0; block < blocks(sent); ++block)
            bytes += units(sent, block) * shape_.signature.unit_bytes;
        return static_cast<long long>(bytes);
    };
    const auto blocks = std::max(1, std::max(member_.ranks, member_.others));
    stress::tell("%s of %d ranks, signature %d of %d bytes, largest block %d bytes, sends %lld and receives "
                 "%lld bytes%s",
                 name_of(shape_.collective), blocks, shape_.signature.number, shape_.signature.unit_bytes,
                 shape_.sizes.most() * shape_.signature.unit_bytes, bytes_of(true), bytes_of(false),
                 shape_.in_place ? ", in place" : "");
}

void Call::make(Form form) {
    tell();
    must(invoke(shape_.collective, form, send_.words, recv_.words, shape_.in_place, member_.comm, nullptr),
         name_of(shape_.collective));
}

MPI_Request Call::start() {
    tell();
    MPI_Request request = MPI_REQUEST_NULL;
    must(invoke(shape_.collective, Form::nonblocking, send_.words, recv_.words, shape_.in_place, member_.comm,
                &request),
         name_of_nonblocking(shape_.collective));
    return request;
}

void Call::check() const {
    compare(recv_, recv_.area->data(), "received");
    if (!shape_.in_place) compare(send_, send_.area->data(), "send buffer, which should be as it was");
}

void Call::compare_with_bare() {
    Area area(recv_.area->bytes(), own_);
    std::copy(before_.begin(), before_.end(), area.data());
    auto words = recv_.words;
    if (words.buffer != nullptr) words.buffer = area.data() - recv_.low;
    must(invoke(shape_.collective, Form::bare, send_.words, words, shape_.in_place, member_.comm, nullptr),
         "PMPI_ twin");
    compare(recv_, area.data(), "the MPI's own call received");
}

void Call::compare(const Side& side, const unsigned char* memory, const char* what) const {
    const auto bytes = side.expected.size();
    if (std::memcmp(memory, side.expected.data(), bytes) == 0) return;
    std::size_t first = 0, different = 0;
    for (std::size_t i = bytes; i-- > 0;)
        if (memory[i] != side.expected[i]) {
            first = i;
            ++different;
        }
    say_difference(side, first, memory[first], different, what);
}

// A byte of a block, or one that belongs to no block.
void Call::say_difference(const Side& side, std::size_t first, int got, std::size_t different,
                          const char* what) const {
    const bool sent = &side == &send_;
    const char* const more = shape_.in_place ? "; in place" : "";
    const auto place = static_cast<std::ptrdiff_t>(first) + side.low;
    for (int block = 0; block < blocks(sent); ++block) {
        const auto bytes = units(sent, block) * shape_.signature.unit_bytes;
        if (bytes == 0) continue;
        const auto at = static_cast<std::size_t>(block);
        std::vector<unsigned char> marks(side.expected.size());
        const std::vector<unsigned char> ones(static_cast<std::size_t>(bytes), 1);
        side.layout(at).scatter(ones.data(), side.count(at), marks.data() - side.low + side.places[at]);
        if (marks[first] == 0) continue;
        return fail(
            "%s: block of rank %d, %d bytes, at byte %td from its origin: got %d, expected %d; %zu bytes "
            "differ%s",
            what, block, bytes, place - side.places[at], got, side.expected[first], different, more);
    }
    fail("%s: byte %td, which belongs to no block: got %d, expected %d; %zu bytes differ%s", what, place, got,
         side.expected[first], different, more);
}

} // namespace stress
