// How bytes get into the memory of the node, and out of it: through the caches or past them.
//
//   the block of a rank --write()--> its section --read()--> the place of another rank
//   the block of a rank --keep()---> its own place
//
// Nothing here is shared. Who may write or read which bytes of a section, and what orders it, say
// node_epochs.hpp and node_slots.hpp. Stores past the caches are not ordered by a release store, so a copy
// past them ends with a fence of its own (past_caches.hpp).
#pragma once

#include "algorithms/transport/messages/copy.hpp"
#include "node_writer.hpp"
#include "past_caches.hpp"

#include <cstddef>
#include <vector>

namespace switchyard::algorithms {

class NodeCopies {
  public:
    // `ranks` of the node share so many cores.
    NodeCopies(int ranks, int cores)
        : ranks_(ranks), cores_(cores), writers_(static_cast<std::size_t>(ranks)) {}

    // What `reader` reads; the own local rank stands for all others.
    void write(int reader, std::byte* to, const std::byte* from, std::size_t bytes) {
        writers_[static_cast<std::size_t>(reader)].write(to, from, bytes);
    }
    // Of a stream.
    void read(std::byte* to, const std::byte* from, std::size_t bytes) const {
        copy(to, from, bytes, reads_past_caches_);
    }
    // The block of this rank for itself. All other blocks may have about its size.
    void keep(std::byte* to, const std::byte* from, std::size_t bytes) const {
        copy(to, from, bytes, go_past_caches(bytes * writers_.size()));
    }

    // Streams begin that bring so many bytes, or bytes that lie in the caches already: 0.
    void begin_streams(std::size_t arriving) { reads_past_caches_ = go_past_caches(arriving); }
    void end_streams() { reads_past_caches_ = false; }

    // More bytes of one exchange do not stay in the caches until the program reads them. Written past the
    // caches, their places need not be fetched first. In place they are there already. Measured with a
    // program that reads them: RESULTS.md.
    std::size_t most_cached_bytes() const;

  private:
    // To ask a virtual machine for its caches takes as long as many small exchanges.
    static constexpr std::size_t always_cached_bytes = std::size_t{256} << 10;

    // Whether so many bytes that arrive go past the caches.
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
    bool reads_past_caches_ = false;  // in the streams under way
    std::vector<NodeWriter> writers_; // by local rank of the reader; the own one is for all
};

} // namespace switchyard::algorithms
