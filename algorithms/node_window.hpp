// Memory that the ranks of a node share, through which they exchange blocks by copying them: one for each
// communicator, over which it is made and freed.
//
// Every rank has a section of its own with two halves. In epoch n it writes half n % 2, says so by storing n
// in that half, and waits until all others of the node have done so in theirs. One such wait is enough:
// nobody writes a half again before having seen that all others are in the epoch after, which they are only
// when they have read what was in it.
#pragma once

#include "exchange.hpp"
#include "part.hpp"
#include "wire.hpp"

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <vector>

namespace switchyard::algorithms {

class NodeWindow {
  public:
    // Over a whole communicator, with so many bytes of each rank (the same on all ranks). Null on all ranks
    // where any of them cannot have it, or where those of a node of the node map do not share memory.
    static std::unique_ptr<NodeWindow> make(const Group& group, std::size_t bytes_per_rank);
    NodeWindow(const NodeWindow&) = delete;
    NodeWindow& operator=(const NodeWindow&) = delete;
    ~NodeWindow(); // collective

    // Every block to its destination. The exchange's group is the own node of the window's communicator, all of
    // it where that is on one node, or a part of the node, where all of its ranks exchange at the same time,
    // each within one part. No block size need be agreed: where blocks are more than a half
    // holds, all ranks learn in the first epoch how many it takes. A block that is larger than its
    // destination expects is an error there, and does not overrun.
    Status exchange(const Exchange& exchange);

    // What every rank of the node has, to all others of it. Calls for_each_part(local rank, add), which calls
    // add(Part) for each piece of what that rank has: those of this rank are read, all others written.
    template <typename ForEachPart>
    Status gather(ForEachPart&& for_each_part);

  private:
    // What a half begins with. The epoch lies beside what its readers need next, which saves each of them a
    // cache line of every source.
    struct Header {
        std::atomic<std::uint64_t> epoch;
        std::uint64_t rounds; // epochs that its rank needs for this exchange
    };
    static_assert(std::atomic<std::uint64_t>::is_always_lock_free);
    // Of the data of a half.
    struct Piece {
        std::uint32_t begin, bytes;
    };
    // In shared memory: a header, a piece for each rank of the node, data.
    struct Half {
        Header* header;
        Piece* pieces; // by destination; the first one counts for a gather
        std::byte* data;
    };
    // Cuts a stream of pieces: skips so many bytes of it, then takes so many.
    struct Cut {
        std::size_t skip, room;
        Block next(std::size_t size) {
            const std::size_t skipped = std::min(skip, size), taken = std::min(size - skipped, room);
            skip -= skipped;
            room -= taken;
            return {skipped, taken};
        }
    };
    struct Node; // while it is made

    NodeWindow(const Group& group, const Node& node, std::size_t half_bytes);
    bool allocate(const Node& node);
    Half half_of(int local_rank) const {
        std::byte* const half = sections_[static_cast<std::size_t>(local_rank)] + epoch_ % 2 * half_bytes_;
        return {reinterpret_cast<Header*>(half), reinterpret_cast<Piece*>(half + sizeof(Header)),
                half + data_begin_};
    }
    void wait_for(const Header& header) const;
    void find_places(const Group& group);

    // As many epochs as any rank of the node needs. Calls write(half, round), then read(source, half) for
    // each other rank.
    template <typename Write, typename Read>
    void run(std::size_t bytes, Write&& write, Read&& read) {
        const std::uint64_t needed = std::max<std::uint64_t>(1, (bytes + capacity_ - 1) / capacity_);
        std::ranges::fill(received_, std::size_t{0});
        std::uint64_t rounds = needed;
        for (std::uint64_t round = 0; round < rounds; ++round) {
            ++epoch_;
            const Half own = half_of(rank_);
            write(own, round);
            own.header->rounds = needed;
            own.header->epoch.store(epoch_, std::memory_order_release);
            for (int distance = 1; distance < size_; ++distance) {
                const int source = (rank_ + distance) % size_;
                const Half half = half_of(source);
                wait_for(*half.header);
                rounds = std::max(rounds, half.header->rounds);
                read(source, half);
            }
        }
    }

    MPI_Comm comm_; // whose messages go on while this rank waits
    int rank_, size_;
    std::size_t half_bytes_, data_begin_, capacity_; // of data in a half
    int spins_;                                      // before the core is left to others
    std::uint64_t epoch_ = 0;
    std::vector<std::byte*> sections_;  // by local rank
    std::vector<std::size_t> received_; // of this exchange, by local rank
    std::vector<int> places_;           // in its group, by local rank; -1: not of it
    MPI_Win window_ = MPI_WIN_NULL;     // none where this rank is alone on its node
};

template <typename ForEachPart>
Status NodeWindow::gather(ForEachPart&& for_each_part) {
    Status status;
    if (size_ == 1) return status;
    std::size_t bytes = 0;
    for_each_part(rank_, [&](Part part) { bytes += part.bytes; });
    run(
        bytes,
        [&](const Half& half, std::uint64_t round) {
            Cut cut{round * capacity_, capacity_};
            std::size_t end = 0;
            for_each_part(rank_, [&](Part part) {
                const Block taken = cut.next(part.bytes);
                if (taken.size > 0) std::memcpy(half.data + end, part.data + taken.offset, taken.size);
                end += taken.size;
            });
            half.pieces[0] = {0, static_cast<std::uint32_t>(end)};
        },
        [&](int source, const Half& half) {
            const std::byte* in = half.data;
            std::size_t& received = received_[static_cast<std::size_t>(source)];
            Cut cut{received, half.pieces[0].bytes};
            received += cut.room;
            for_each_part(source, [&](Part part) {
                const Block taken = cut.next(part.bytes);
                if (taken.size > 0) std::memcpy(part.data + taken.offset, in, taken.size);
                in += taken.size;
            });
            if (cut.room > 0) status.keep({MPI_ERR_TRUNCATE});
        });
    return status;
}

} // namespace switchyard::algorithms
