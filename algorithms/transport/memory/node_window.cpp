#include "node_window.hpp"

#include "algorithms/transport/messages/copy.hpp"
#include "algorithms/transport/messages/direct_blocks.hpp"

#include <algorithm>
#include <cstring>

namespace switchyard::algorithms {

namespace {

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

} // namespace

NodeWindow::NodeWindow(const Group& group, const section::Layout& layout, std::size_t least_capacity,
                       int cores)
    : exchange_(group, layout, cores), gather_(exchange_), least_capacity_(least_capacity),
      places_(static_cast<std::size_t>(epochs().sections().size())) {}

void NodeWindow::bring_all_pages() {
    if (has_neighbours() && epochs().room().lacks_pages())
        epochs().sections().warm_others(epochs().room().bring_all_pages());
}

void NodeWindow::find_places(const Group& group) {
    std::ranges::fill(places_, -1);
    for (int place = 0; place < group.size; ++place) {
        const int rank = group.rank_in_comm(place);
        const int local = group.node_map == nullptr ? rank : group.node_map->local_rank(rank);
        places_[static_cast<std::size_t>(local)] = place;
    }
}

Status NodeWindow::exchange(const Exchange& blocks) {
    if (!has_neighbours()) return copy_own_block(blocks);
    find_places(blocks.group);
    return probing_often(blocks, [&] {
        return exchange(SentBlocks(blocks, places_.data()), ReceivedBlocks(blocks, places_.data()), false);
    });
}

Status NodeWindow::begin(const Exchange* exchange, std::span<std::uint64_t> numbers) {
    if (!has_neighbours()) return {};
    if (!exchange_.is_ready()) return Fault::lost;
    const std::size_t bytes = numbers.size_bytes();
    const section::Notice own = epochs().next(bytes);
    std::memcpy(epochs().room().place_for_all(bytes, own), numbers.data(), bytes);
    streams().clear_out();
    if (exchange != nullptr) {
        find_places(exchange->group);
        exchange_.write_blocks(SentBlocks(*exchange, places_.data()), own, false); // maybe for nothing
    }
    epochs().enter(own);
    for (const int local : epochs().sections().others()) {
        if (!epochs().wait_for(local))
            return streams().offers().withdraw(streams().out()), Status(Fault::lost);
        take_larger(numbers, epochs().room().shown(local, bytes, epochs().notice(local)));
    }
    epochs().pass_time();
    return {};
}

Status NodeWindow::finish(const Exchange& blocks) {
    if (!has_neighbours()) return copy_own_block(blocks);
    return probing_often(blocks, [&] {
        return exchange_.finish(SentBlocks(blocks, places_.data()), ReceivedBlocks(blocks, places_.data()),
                                false);
    });
}

template <typename Work>
Status NodeWindow::probing_often(const Exchange& exchange, Work&& work) {
    if (exchange.direct != nullptr && exchange.direct->has_some()) epochs().probe_often(true);
    const Status status = work();
    epochs().probe_often(false);
    return status;
}

std::byte* NodeWindow::room(std::size_t bytes) {
    if (!has_neighbours() || !exchange_.is_ready()) return nullptr;
    epochs().room().grow_for_epoch(bytes);
    if (bytes > epochs().room().capacity()) return nullptr;
    room_bytes_ = bytes;
    return epochs().room().next(bytes);
}

NodeWindow::Shown NodeWindow::show(std::span<const Block> offers) {
    if (!has_neighbours()) return {{}, false};
    if (!exchange_.is_ready()) return {Fault::lost, false};
    const std::size_t bytes = offers.empty() ? 0 : room_bytes_;
    const section::Notice own = epochs().next(bytes);
    const std::size_t room = epochs().room().ring_place(bytes);
    for (std::size_t local = 0; local < offers.size(); ++local)
        own.slices[local] = {static_cast<std::uint32_t>(room + offers[local].offset),
                             static_cast<std::uint32_t>(offers[local].size)};
    own.header->word = offers.empty() ? 0 : 1;
    epochs().enter(own);
    Shown shown{{}, !offers.empty()};
    for (const int local : epochs().sections().others()) {
        if (!epochs().wait_for(local)) return {Fault::lost, false};
        shown.by_all = shown.by_all && epochs().notice(local).header->word == 1;
    }
    epochs().pass_time();
    return shown;
}

} // namespace switchyard::algorithms
