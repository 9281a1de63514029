// How bytes get into the memory of the node and out of it: through the caches or past them.
//
//   the block of a rank --write()--> its section --read()--> the place of another rank
//   the block of a rank --keep()---> its own place
//
// Nothing here is shared. node_epochs.hpp and node_slots.hpp say who may write or read which bytes of a
// section, and what orders it. A release store does not order stores past the caches, so a copy past them
// ends with a fence of its own (past_caches.hpp).
#pragma once

#include "algorithms/transport/messages/copy.hpp"
#include "past_caches.hpp"

#include <cstddef>

namespace switchyard::algorithms {

class NodeCopies {
  public:
    // `ranks`: the ranks of the node. `cores`: the cores that they share.
    NodeCopies(int ranks, int cores) : ranks_(ranks), cores_(cores) {}

    // Writes bytes that other ranks read.
    static void write(std::byte* to, const std::byte* from, std::size_t bytes) {
        copy_bytes(to, from, bytes);
    }
    // Reads bytes of a stream or of a gather.
    void read(std::byte* to, const std::byte* from, std::size_t bytes) const {
        copy(to, from, bytes, reads_past_caches_);
    }
    // Copies this rank's block for itself. All other blocks may be about as large as this block.
    void keep(std::byte* to, const std::byte* from, std::size_t bytes) const {
        copy(to, from, bytes, go_past_caches(bytes * static_cast<std::size_t>(ranks_)));
    }

    // From now on streams are read. `arriving`: the bytes that they bring; 0 in place, where the places are
    // in the caches already.
    void begin_streams(std::size_t arriving) { reads_past_caches_ = go_past_caches(arriving); }
    void end_streams() { reads_past_caches_ = false; }

    // If one exchange brings more bytes than this, they do not stay in the caches until the program reads
    // them. Bytes that are written past the caches need no fetch of their places. In place, the places are in
    // the caches already. Measured with a program that reads the bytes: RESULTS.md.
    std::size_t most_cached_bytes() const;

  private:
    // Asking a virtual machine for its caches takes as long as many small exchanges.
    static constexpr std::size_t always_cached_bytes = std::size_t{256} << 10;

    // Whether `bytes` arriving bytes are written past the caches.
    bool go_past_caches(std::size_t bytes) const {
        return can_pass_caches && bytes >= always_cached_bytes && bytes >= most_cached_bytes();
    }
    static void copy(std::byte* to, const std::byte* from, std::size_t bytes, bool past_caches) {
        if (past_caches) [[unlikely]]
            copy_past_caches(to, from, bytes);
        else
            copy_bytes(to, from, bytes);
    }

    int ranks_, cores_;
    bool reads_past_caches_ = false; // in the streams under way
};

} // namespace switchyard::algorithms
