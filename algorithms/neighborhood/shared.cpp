#include "shared.hpp"
#include "algorithms/transport/memory/node_window.hpp"
#include "one_block.hpp"

#include <vector>

namespace switchyard::algorithms::neighborhood {

namespace {

// The blocks of each round by rank, -1: none. An exchange of the window has one block from a rank to another,
// so each occurrence has a round of its own. All ranks of the communicator are on one node, so a rank in it is
// a local rank.
class Rounds : public Schedule {
  public:
    explicit Rounds(const Group& group)
        : ranks_(static_cast<std::size_t>(group.size)),
          number_(static_cast<std::size_t>(group.neighborhood->most_repeated_of_all)),
          sent_(ranks_ * number_, -1), received_(sent_) {
        const Neighborhood& neighbors = *group.neighborhood;
        for (const auto& [rank, occurrence, block] : neighbors.sent()) sent_[place(occurrence, rank)] = block;
        for (const auto& [rank, occurrence, block] : neighbors.received())
            received_[place(occurrence, rank)] = block;
    }

    std::size_t number() const { return number_; }
    const int* sent(std::size_t round) const { return sent_.data() + round * ranks_; }
    const int* received(std::size_t round) const { return received_.data() + round * ranks_; }

  private:
    std::size_t place(int occurrence, int rank) const {
        return static_cast<std::size_t>(occurrence) * ranks_ + static_cast<std::size_t>(rank);
    }

    std::size_t ranks_, number_;
    std::vector<int> sent_, received_; // by round and rank
};

// The two sides of a round, in a form of node_blocks.hpp. The rank copies blocks for itself on its own.
struct SentToNeighbors {
    const Exchange& exchange;
    const int* blocks; // by rank

    std::size_t size(int local) const {
        return blocks[local] < 0 ? 0 : sent_block(exchange, blocks[local]).size;
    }
    const std::byte* at(int local) const {
        return blocks[local] < 0 ? nullptr : exchange.send_base + sent_block(exchange, blocks[local]).offset;
    }
    static constexpr bool is_direct(std::size_t) { return false; }
};
struct ReceivedFromNeighbors {
    const Exchange& exchange;
    const int* blocks;

    std::size_t size(int local) const { return blocks[local] < 0 ? 0 : exchange.recv_size(blocks[local]); }
    std::byte* at(int local) const { return blocks[local] < 0 ? nullptr : exchange.recv_from(blocks[local]); }
    static constexpr bool hears_all() { return false; }
    static constexpr void meets(int, std::size_t) {}
    static constexpr void meets_mark(int) {}
};

} // namespace

std::unique_ptr<Schedule> shared_schedule(const Group& group) {
    return std::make_unique<Rounds>(group);
}

Status shared(const Exchange& exchange, Context& context) {
    Status status = copy_own_blocks(exchange);
    if (exchange.group.size == 1) return status;
    const auto& rounds = static_cast<const Rounds&>(*context.schedule);
    for (std::size_t round = 0; round < rounds.number(); ++round)
        status.keep(context.window->exchange(SentToNeighbors{exchange, rounds.sent(round)},
                                             ReceivedFromNeighbors{exchange, rounds.received(round)}, false));
    return status;
}

} // namespace switchyard::algorithms::neighborhood
