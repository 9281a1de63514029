#include "staging.hpp"

#include <algorithm>

namespace switchyard::shim::device {

namespace {

constexpr std::size_t alignment = 4096;
constexpr std::size_t wide_gaps = std::size_t{1} << 20;

// The offset of a copy in well-aligned memory, such that the copy is aligned like its original.
std::size_t aligned_like(std::uintptr_t address, std::size_t offset) {
    return (offset + alignment - 1) / alignment * alignment + address % alignment;
}

void* pointer(std::uintptr_t address) {
    return reinterpret_cast<void*>(address);
}

} // namespace

Staging::Staging(int blocks, Streams& streams) : streams_(streams) {
    const auto most = static_cast<std::size_t>(blocks);
    send_.spans.reserve(most);
    recv_.spans.reserve(most);
    arrivals_.reserve(most);
}

// ---- What is where --------------------------------------------------------------------------------------

void Staging::note(Area& area, const Side& side) {
    area.is_staged = side.is_staged;
    area.location = side.location;
    area.spans.clear();
    area.begin = area.end = 0;
    if (!side.is_staged) return;
    for (int i = 0; i < side.blocks.number(); ++i)
        if (side.blocks.size(i) > 0) area.spans.push_back(side.blocks.span(i));
    if (area.spans.empty()) return;
    std::ranges::sort(area.spans, {}, &Span::offset);
    std::size_t last = 0;
    for (std::size_t i = 1; i < area.spans.size(); ++i) {
        Span& before = area.spans[last];
        const Span& span = area.spans[i];
        if (span.offset > before.offset + before.size)
            area.spans[++last] = span;
        else
            before.size = std::max(before.size, span.offset + span.size - before.offset);
    }
    area.spans.resize(last + 1);
    area.begin = area.spans.front().offset;
    area.end = area.spans.back().offset + area.spans.back().size;
}

void Staging::describe(const Runtime& runtime, const Side& sent, const Side& received, bool in_place) {
    runtime_ = &runtime;
    streams_.use(runtime);
    in_place_ = in_place;
    note(send_, sent);
    note(recv_, received);
    keeps_gaps_ = received.is_staged && !received.blocks.are_dense();
    chunk_ = 0;
    good_ = true;
    lay_out();
}

// Sides that share memory share its copy.
void Staging::lay_out() {
    const bool are_apart = send_.end <= recv_.begin || recv_.end <= send_.begin;
    if (!are_apart) {
        send_.begin = recv_.begin = std::min(send_.begin, recv_.begin);
        send_.end = recv_.end = std::max(send_.end, recv_.end);
    }
    send_.offset = aligned_like(send_.begin, 0);
    recv_.offset =
        are_apart ? aligned_like(recv_.begin, send_.offset + (send_.end - send_.begin)) : send_.offset;
    room_ = std::max(send_.offset + (send_.end - send_.begin), recv_.offset + (recv_.end - recv_.begin));
    std::size_t filled = 0;
    for (const auto* area : {&send_, &recv_})
        for (const Span& span : area->spans) filled += span.size;
    has_wide_gaps_ = room_ > 2 * filled + wide_gaps;
    if (filled == 0) room_ = 0;
}

// Untouched gaps take no memory, unless they are pinned. So nothing is pinned if the gaps
// are larger than the data.
bool Staging::reserve() {
    if (room_ == 0) return true;
    memory_ = has_wide_gaps_ ? &pageable_ : &pinned_;
    const auto& location = recv_.is_staged ? recv_.location : send_.location;
    return memory_->reserve(room_, has_wide_gaps_ ? nullptr : runtime_, location);
}

std::uintptr_t Staging::distance(const Area& area) const {
    if (!area.is_staged || room_ == 0) return 0;
    return reinterpret_cast<std::uintptr_t>(memory_->data()) + area.offset - area.begin;
}

// ---- Copies ---------------------------------------------------------------------------------------------

bool Staging::copy_spans(const Area& area, bool to_host) {
    bool good = true;
    for (const Span& span : area.spans) {
        void* there = pointer(span.offset);
        void* here = pointer(span.offset + distance(area));
        if (!streams_.copy(area.location, to_host ? here : there, to_host ? there : here, span.size))
            good = false;
    }
    return good;
}

bool Staging::copy_in() {
    bool good = (in_place_ && keeps_gaps_) || copy_spans(send_, true);
    if (keeps_gaps_ && !copy_spans(recv_, true)) good = false;
    return streams_.wait() && good;
}

bool Staging::copy_out() {
    const bool good = chunk_ == 0 ? copy_spans(recv_, false) : copy_rest();
    chunk_ = 0;
    return streams_.wait() && good && good_;
}

// ---- Copies on the way ----------------------------------------------------------------------------------

void Staging::watch_completions(const Blocks& received, std::size_t chunk) {
    chunk_ = std::max<std::size_t>(chunk, 1);
    arrivals_.clear();
    for (int i = 0; i < received.number(); ++i)
        if (received.size(i) > 0)
            arrivals_.push_back({received.address(i), received.size(i), Arrival::awaited});
    std::ranges::sort(arrivals_, {}, &Arrival::begin);
}

bool Staging::copy_arrivals(std::size_t first, std::size_t last) {
    const auto begin = arrivals_[first].begin, end = arrivals_[last].begin + arrivals_[last].size;
    for (auto i = first; i <= last; ++i) arrivals_[i].state = Arrival::copied;
    return streams_.copy(recv_.location, pointer(begin), pointer(begin + distance(recv_)), end - begin);
}

void Staging::completed(const std::byte* data, std::size_t) {
    if (chunk_ == 0) return;
    const auto address = reinterpret_cast<std::uintptr_t>(data) - distance(recv_);
    const auto found = std::ranges::lower_bound(arrivals_, address, {}, &Arrival::begin);
    if (found == arrivals_.end() || found->begin != address || found->state != Arrival::awaited) return;
    found->state = Arrival::here;
    auto first = static_cast<std::size_t>(found - arrivals_.begin()), last = first;
    const auto touch = [&](std::size_t left, std::size_t right) {
        return arrivals_[left].begin + arrivals_[left].size == arrivals_[right].begin;
    };
    while (first > 0 && arrivals_[first - 1].state == Arrival::here && touch(first - 1, first)) --first;
    while (last + 1 < arrivals_.size() && arrivals_[last + 1].state == Arrival::here && touch(last, last + 1))
        ++last;
    if (arrivals_[last].begin + arrivals_[last].size - arrivals_[first].begin < chunk_) return;
    if (!copy_arrivals(first, last)) good_ = false;
}

// Copies the rest: no more blocks will arrive.
bool Staging::copy_rest() {
    bool good = true;
    for (std::size_t first = 0; first < arrivals_.size(); ++first) {
        if (arrivals_[first].state == Arrival::copied) continue;
        auto last = first;
        while (last + 1 < arrivals_.size() && arrivals_[last + 1].state != Arrival::copied &&
               arrivals_[last].begin + arrivals_[last].size == arrivals_[last + 1].begin)
            ++last;
        if (!copy_arrivals(first, last)) good = false;
        first = last;
    }
    return good;
}

} // namespace switchyard::shim::device
