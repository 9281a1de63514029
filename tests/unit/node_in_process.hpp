// The ranks of a node in one process: each rank has its own objects, over sections that all ranks see. A test
// plays the ranks in turn, or as threads.
#pragma once

#include "wire_without_mpi.hpp"

#include "algorithms/transport/memory/node_gather.hpp"

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <memory>
#include <new>
#include <stdexcept>
#include <thread>
#include <unistd.h>
#include <vector>

namespace switchyard::tests {

using namespace algorithms;

constexpr std::uint64_t proof_of_process = 0x1234567890abcdef;

struct RankInProcess {
    Group group;
    NodeExchange exchange;
    NodeGather gather;
    // Parts of `exchange`.
    NodeEpochs& epochs;
    NodeSections& sections;
    NodeRoom& room;
    NodeStreams& streams;
    NodeCopies& copies;
    NodeSlots& slots;
    NodeOffers& offers;

    RankInProcess(int rank, int ranks, int cores, const section::Layout& layout)
        : group{.comm = {}, .rank = rank, .size = ranks}, exchange(group, layout, cores), gather(exchange),
          epochs(exchange.epochs()), sections(epochs.sections()), room(epochs.room()),
          streams(exchange.streams()), copies(streams.copies()), slots(streams.slots()),
          offers(streams.offers()) {}

    // Enters an epoch with nothing in it.
    void enter_empty_epoch() { epochs.enter(epochs.next()); }
};

class NodeInProcess {
  public:
    explicit NodeInProcess(int ranks, std::size_t section_bytes = std::size_t{1} << 16, int cores = 64)
        : layout(ranks, section_bytes) {
        if (!layout.is_enough()) throw std::invalid_argument("small sections");
        std::vector<std::shared_ptr<std::byte[]>> sections;
        for (int rank = 0; rank < ranks; ++rank) sections.push_back(section_of(section_bytes));
        for (int rank = 0; rank < ranks; ++rank) {
            ranks_.push_back(std::make_unique<RankInProcess>(rank, ranks, cores, layout));
            for (int local = 0; local < ranks; ++local)
                ranks_.back()->sections.see(local, sections[static_cast<std::size_t>(local)]);
        }
        for (const auto& rank : ranks_) rank->sections.clear_own();
    }

    int size() const { return static_cast<int>(ranks_.size()); }
    RankInProcess& operator[](int rank) { return *ranks_[static_cast<std::size_t>(rank)]; }

    // From now on ranks may read each other's memory, and do so wherever a block is large enough.
    void let_read() {
        for (const auto& rank : ranks_) {
            rank->offers.show_proof(&proof_of_process);
            rank->offers.offer_always(true);
            for (int local = 0; local < size(); ++local)
                rank->offers.know(local, {getpid(), proof_of_process});
        }
    }

    // Runs work(rank) for each rank: for the first rank, and for the next rank as soon as a rank waits.
    template <typename Work>
    void in_turn(Work&& work) {
        int next = 0, looks = 0;
        at_probe = [&] {
            if (next < size())
                work((*this)[next++]);
            else if (++looks > 100'000)
                throw std::runtime_error("a rank waits for ever");
        };
        while (next < size()) work((*this)[next++]);
        at_probe = {};
    }
    // The same with a thread for each rank: for ranks that wait for each other several times.
    template <typename Work>
    void at_once(Work&& work) {
        std::vector<std::jthread> threads;
        for (const auto& rank : ranks_) threads.emplace_back([&work, &rank] { work(*rank); });
    }

    const section::Layout layout;

  private:
    static std::shared_ptr<std::byte[]> section_of(std::size_t bytes) {
        constexpr std::align_val_t line{section::line_bytes};
        auto* const memory = static_cast<std::byte*>(::operator new(bytes, line));
        std::memset(memory, 0xee, bytes); // left by another window
        return {memory, [](std::byte* section) { ::operator delete(section, line); }};
    }

    std::vector<std::unique_ptr<RankInProcess>> ranks_;
};

// Bytes that tell where they come from.
inline std::vector<std::byte> some_bytes(std::size_t bytes, int seed) {
    std::vector<std::byte> all(bytes);
    for (std::size_t i = 0; i < bytes; ++i)
        all[i] = static_cast<std::byte>((i * 31 + i / 251 + static_cast<std::size_t>(seed) * 59 + 1) % 251);
    return all;
}

// The blocks of one side, by local rank: a form of blocks as in node_blocks.hpp.
struct ListOfBlocks {
    std::vector<std::vector<std::byte>> blocks;

    std::size_t size(int local) const { return blocks[static_cast<std::size_t>(local)].size(); }
    std::byte* at(int local) const {
        return const_cast<std::byte*>(blocks[static_cast<std::size_t>(local)].data());
    }
    static bool is_direct(std::size_t) { return false; }
    static bool hears_all() { return false; }
    static void meets(int, std::size_t) {}
    static void meets_mark(int) {}
};

} // namespace switchyard::tests
