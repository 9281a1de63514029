// Blocks that their reader takes from the writer's own memory (CMA), where the system allows it.
//
// A large block may be offered: its reader takes it from the writer's own memory, and the writer waits for the
// reader. A window begins with few pages, since a program may have few calls, and offers large blocks until it
// has more. Later it offers them where that was faster (node_rates.hpp). A reader that cannot read there
// refuses, once and for all. Then the block goes through slots.
//
//   section of writer w:  ... | for reader r: Filled: slots, is_withdrawn
//                                             Emptied: slots, slots_for_all, read, refuses | ...
//   memory of w alone:    ... block ... | proof ...
//
//   word           written by                                              order      read by    order
//   read           w: 0, before it enters the epoch                        relaxed
//                  r: not 0, since it has read the whole block             release    w          acquire
//   refuses        r: not 0, since it cannot read or lacks room            release    w          acquire
//                                                                                     r itself   relaxed
//   is_withdrawn   w: it leaves a broken window                            seq_cst    r          seq_cst
//   place of r     w: addresses and proof, before it enters the epoch      plain      r          plain
//
// The epoch releases what w writes before it. The release of `read` keeps r's reads of w's memory before it. w
// acquires it, and only then gives that memory back to its program. After a refusal w fills slots from the
// front, and r reads them (node_slots.hpp). w writes `is_withdrawn` before its program may change the bytes,
// and r looks at it after each read: so a read that found other bytes also finds the word set.
#pragma once

#include "neighbour_memory.hpp"
#include "node_epochs.hpp"
#include "node_rates.hpp"
#include "node_stream.hpp"

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace switchyard::algorithms {

class NodeOffers {
  public:
    // A smaller block is not offered: where each rank has a core, and where ranks share cores.
    static constexpr std::size_t least_offered_bytes = NodeRates::least_block_bytes,
                                 least_offered_on_shared_cores = 2 * least_offered_bytes;
    // The most bytes of one CMA read. After each read MPI works on its messages, and the rank may lose its core.
    static constexpr std::size_t most_read_bytes = std::size_t{16} << 20;

    explicit NodeOffers(NodeEpochs& epochs)
        : epochs_(epochs), neighbours_(static_cast<std::size_t>(epochs.sections().size())) {}

    // `proof`: proves to other ranks that they read this rank's memory. Without this call no rank reads
    // blocks of this rank by CMA.
    void show_proof(const std::uint64_t* proof) { proof_ = proof; }
    // Without this call this rank reads no blocks of rank `local` by CMA.
    void know(int local, const NeighbourMemory& memory) { neighbours_[at(local)] = memory; }
    // For tests.
    void offer_always(bool always) { offers_always_ = always; }
    NodeRates& rates() { return rates_; }

    // A large block comes faster from its writer's own memory than through a ring that is small or cold: new
    // pages take longer than the block's bytes, and old lines are still in the reader's cache when they are
    // written again. With a warm ring, the times of the first rank's copies decide (node_rates.hpp). Here:
    // one of several blocks, which are likely to be about equally large.
    bool is_for_reading(std::size_t bytes) {
        const std::size_t in_all = bytes * static_cast<std::size_t>(epochs_.sections().size() - 1);
        return may_be_read(bytes) && (is_cold_for(in_all) || goes_across(NodeRates::Form::block, bytes, 1));
    }
    // Bytes for all ranks: on shared cores the ranks would wait for the kernel one after another, but they
    // all read a slot at once.
    bool is_for_reading_by_all(std::size_t bytes) {
        if (!may_be_read(bytes) || (epochs_.rests().shares_cores() && !offers_always_)) return false;
        const int readers = epochs_.sections().size() - 1;
        return (is_cold_for(bytes) || goes_across(NodeRates::Form::block_for_all, bytes, readers)) &&
               can_be_read_by_all();
    }
    bool can_be_read_by(int reader) const {
        return epochs_.sections()
                   .emptied(epochs_.sections().rank(), reader)
                   .refuses.load(std::memory_order_acquire) == 0;
    }

    // ---- The writer ----

    // Whether this rank offers the stream: all of its kind (Stream::is_offered is set), or it is for reading.
    bool is_for_reader(const Stream& stream, bool in_place);
    // A stream of this rank, whose slots are laid out.
    void begin(Stream& stream, bool in_place);
    // Whether its reader moves the block, not its writer.
    bool is_left_to_reader(const Stream& stream) const {
        return stream.is_offered && can_be_read_by(stream.local);
    }
    // Whether the reader has read the block from this rank's memory.
    bool is_read_to_end(const Stream& stream) const;
    // A rank that now reads this rank's own memory gets an error: this rank leaves a broken window, and its
    // program may change the bytes.
    void withdraw(std::span<const Stream> streams);

    // ---- The reader ----

    // From now on this rank reads nothing from the writer's own memory.
    void refuse(int writer) {
        epochs_.sections()
            .emptied(writer, epochs_.sections().rank())
            .refuses.store(1, std::memory_order_release);
    }
    // Reads more of an offered block. take(begin, bytes) brings these bytes of it. MPI works on its messages
    // after each read. False: nothing was read.
    template <typename Take>
    bool read(Stream& stream, Take&& take);
    bool read(Stream& stream); // into its place
    bool bring(const Stream& stream, std::byte* to, std::uintptr_t from, std::size_t bytes) {
        bool is_read = false;
        timed(NodeRates::Copy::across, stream.bytes, bytes,
              [&] { is_read = neighbours_[at(stream.local)].read(to, from, bytes, stream.proof); });
        return is_read;
    }

    // ---- Both ----

    // Makes a copy of `bytes` bytes of a block of `block` bytes, and notes its time if the block is large.
    template <typename Work>
    void timed(NodeRates::Copy copy, std::size_t block, std::size_t bytes, Work&& work) {
        if (block < NodeRates::least_block_bytes || proof_ == nullptr ||
            !rates_.listens(block, epochs_.number())) [[likely]]
            return work();
        const auto start = NodeRates::Clock::now();
        work();
        rates_.note(copy, block, bytes, NodeRates::Clock::now() - start);
    }
    // Bytes of large blocks that this rank has read from their writers' own memory.
    std::uint64_t read_bytes() const { return read_bytes_; }

  private:
    static std::size_t at(int local) { return static_cast<std::size_t>(local); }
    bool may_be_read(std::size_t bytes) const {
        return bytes >= least_offered_bytes && proof_ != nullptr &&
               (bytes >= least_offered_on_shared_cores || !epochs_.rests().shares_cores());
    }
    // Whether the ring would take too long for this rank's bytes in the epoch. On shared cores, bytes that
    // the epoch has no room for wait for a core again and again: their writer, then their reader.
    bool is_cold_for(std::size_t in_all) const {
        const bool shares_cores = epochs_.rests().shares_cores();
        return offers_always_ || !epochs_.room().is_warm_for(in_all, shares_cores) ||
               (shares_cores && in_all > epochs_.sections().layout().capacity);
    }
    bool goes_across(NodeRates::Form form, std::size_t bytes, int readers);
    bool can_be_read_by_all() const;

    NodeEpochs& epochs_;
    std::vector<NeighbourMemory> neighbours_; // by local rank
    const std::uint64_t* proof_ = nullptr;
    NodeRates rates_;
    bool offers_always_ = false;
    std::uint64_t read_bytes_ = 0;
};

template <typename Take>
bool NodeOffers::read(Stream& stream, Take&& take) {
    if (stream.is_over() || !stream.is_offered || epochs_.is_broken()) return false;
    section::Emptied& own = epochs_.sections().emptied(stream.local, epochs_.sections().rank());
    if (own.refuses.load(std::memory_order_relaxed) != 0) return false;
    const std::size_t bytes = std::min(most_read_bytes, stream.bytes - stream.done);
    const bool is_read = take(stream.done, bytes);
    if (epochs_.sections()
            .filled(stream.local, epochs_.sections().rank())
            .is_withdrawn.load(std::memory_order_seq_cst))
        epochs_.break_off();
    if (!is_read) {
        refuse(stream.local);
        stream.done = 0;
        return false;
    }
    read_bytes_ += bytes;
    stream.done += bytes;
    if (stream.is_over())
        own.read.store(1, std::memory_order_release);
    else
        epochs_.probe();
    return true;
}

} // namespace switchyard::algorithms
