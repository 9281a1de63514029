// Bundles: all data that one rank of a node has for another rank of the node, one bundle for each pair. They
// are exchanged inside the node, or inside a group of its ranks.
#pragma once

#include "algorithms/patterns/packed_sizes.hpp"
#include "algorithms/transport/deliver.hpp"
#include "exchange_locally.hpp"
#include "sizes_of.hpp"

#include <cstring>
#include <optional>

namespace switchyard::algorithms::forwarding {

class Bundles {
  public:
    // `most_bytes`: the most bytes of any bundle of the group. Memory: bundle_buffers_scratch_bytes.
    Bundles(const Group& group, std::size_t most_bytes, Context& context)
        : group_(group), most_bytes_(most_bytes), context_(context),
          out_(context.workspace.take(count() * most_bytes + spare_bytes).data()),
          in_(context.workspace.take(count() * most_bytes + spare_bytes).data()),
          places_out_(context.workspace.take_array<Block>(count())),
          places_in_(context.workspace.take_array<Block>(count())),
          arrived_(context.workspace.take_array<std::byte*>(count())), end_(out_) {
        for (std::size_t i = 0; i < count(); ++i) arrived_[i] = in_ + i * most_bytes_;
    }

    void clear() {
        for (std::size_t i = 0; i < count(); ++i) places_out_[i] = {i * most_bytes_, 0};
    }
    // Makes room at the end of the bundle for that local rank. Returns the room.
    std::byte* extend(int to, std::size_t bytes) {
        Block& place = places_out_[static_cast<std::size_t>(to)];
        std::byte* const end = out_ + place.offset + place.size;
        place.size += bytes;
        return end;
    }

    // For a caller that fills one bundle after another, by rising local ranks. `total()`: at least the bytes
    // of all bundles. Where the ranks share memory, the bundles lie there if all ranks have room for their
    // bundles. Then no bundle is copied, and the bundles may be read until the window's next epoch. `group`
    // must be the node.
    template <typename Total>
    void start(Total&& total) {
        NodeWindow* const window = context_.intra_window();
        shows_ = window != nullptr;
        if (!shows_) return;
        std::byte* room = window->room(count() * most_bytes_ + spare_bytes);
        if (room == nullptr) room = window->room(total() + spare_bytes);
        if (room != nullptr) begin_ = end_ = room;
    }
    std::byte* begin() const { return end_; }
    void set_end(int to, std::byte* end) {
        places_out_[static_cast<std::size_t>(to)] = {static_cast<std::size_t>(end_ - begin_),
                                                     static_cast<std::size_t>(end - end_)};
        end_ = end;
    }
    void append(int to, const std::byte* data, std::size_t bytes) {
        copy_bytes(extend(to, bytes), data, bytes);
    }

    // Exchanges the bundles. Afterwards the bundle of local rank `source` for this rank is at from(source).
    // An empty bundle sends no message, so has_bundle(source) tells whether that rank sends one. A bundle
    // that did not arrive reads as zeros.
    template <typename HasBundle>
    Status exchange(const InnerTuna& inner, HasBundle&& has_bundle) {
        if (shows_)
            if (const auto shown = show()) return *shown;
        // Only the sender knows the length of a bundle. A bundle that may exceed the limit of a message
        // travels padded, since both sides must split it alike.
        const bool is_split = most_bytes_ > context_.wire.limit();
        for (std::size_t i = 0; i < count(); ++i) {
            places_in_[i] = {i * most_bytes_, has_bundle(static_cast<int>(i)) ? most_bytes_ : 0};
            if (is_split && places_out_[i].size > 0) places_out_[i].size = most_bytes_;
        }
        const Exchange all{group_, out_, places_out_, in_, places_in_, most_bytes_};
        const Status status = exchange_locally(all, inner, context_);
        if (!status.ok()) std::memset(in_, 0, count() * most_bytes_);
        return status;
    }
    // Takes the own bundle. For use instead of exchange(), where no rank of the node has a
    // bundle for another rank.
    void keep_own() {
        const Block& own = places_out_[static_cast<std::size_t>(group_.rank)];
        copy_bytes(from(group_.rank), out_ + own.offset, own.size);
    }
    std::byte* from(int source) const { return arrived_[static_cast<std::size_t>(source)]; }

  private:
    // Nothing: a rank had no room, so the bundles must travel.
    std::optional<Status> show() {
        NodeWindow& window = *context_.intra_window();
        context_.wire.enter(Phase::intra);
        const bool has_room = begin_ != out_;
        const auto [status, by_all] = window.show(has_room ? places_out_ : std::span<Block>());
        if (!status.ok()) std::memset(in_, 0, count() * most_bytes_);
        if (!status.ok()) return status;
        if (by_all)
            for (std::size_t i = 0; i < count(); ++i) arrived_[i] = window.shown_by(static_cast<int>(i));
        if (by_all) return Status{};
        if (has_room) copy_bytes(out_, begin_, static_cast<std::size_t>(end_ - begin_));
        return std::nullopt;
    }

    std::size_t count() const { return static_cast<std::size_t>(group_.size); }

    const Group& group_;
    const std::size_t most_bytes_;
    Context& context_;
    std::byte* const out_;
    std::byte* const in_;
    const std::span<Block> places_out_, places_in_;
    const std::span<std::byte*> arrived_; // by local rank
    bool shows_ = false;
    std::byte *begin_ = out_, *end_; // of the bundles that are filled one after the other
};

// Puts a block, as messages say it, at the end of a message: the size, then the bytes. Returns the new end.
template <typename Size, typename Sizes>
std::byte* put_block(std::byte* end, const std::byte* data, std::size_t said, const Sizes& said_sizes) {
    if constexpr (has_size<Size>) patterns::put_size<Size>(end, said);
    const std::size_t bytes = said_sizes.bytes(said);
    copy_bytes(end + size_bytes<Size>, data, bytes);
    return end + size_bytes<Size> + bytes;
}
// The same for this rank's blocks to all these destinations. The loop uses local variables, since a copied
// byte cannot change them. Always inline: the groups of destinations are small.
template <typename Size, typename Sizes>
[[gnu::always_inline]] inline std::byte* put_blocks_for(std::span<const int> destinations, std::byte* end,
                                                        const Exchange& exchange, const Sizes& said_sizes) {
    const Block* const blocks = exchange.send.data();
    const std::byte* const base = exchange.send_base;
    const Sizes sizes = said_sizes;
    for (const int destination : destinations) {
        const Block& block = blocks[destination];
        end = put_block<Size>(end, base + block.offset, sizes.of(block.size), sizes);
    }
    return end;
}
// The bytes of all blocks that this rank sends, with their sizes, as messages say them.
template <typename Size, typename Sizes>
std::size_t bytes_with_sizes(const Exchange& exchange, const Sizes& said_sizes) {
    std::size_t bytes = exchange.send.size() * size_bytes<Size>;
    for (const Block& block : exchange.send) bytes += said_sizes.bytes(said_sizes.of(block.size));
    return bytes;
}
// Delivers such a block, which came from `source`. Returns its end.
template <typename Size, typename Sizes>
std::byte* deliver_block(const Exchange& exchange, int source, std::byte* in, const Sizes& said_sizes,
                         Status& status) {
    const std::size_t said = said_at<Size>(in, said_sizes);
    deliver(exchange, source, in + size_bytes<Size>, said, said_sizes, status);
    return in + size_bytes<Size> + said_sizes.bytes(said);
}

} // namespace switchyard::algorithms::forwarding
