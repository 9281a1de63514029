// The way of large blocks past the memory of the node. A slot needs its writer and then its reader on a core.
// Where several ranks share each core and other programs have most of it, ranks that wait for slots or sleep
// lose their share of the core. There such a block becomes a message of MPI. Whether other programs have the
// cores, the ranks find out together: each tells its part of a core with every exchange (node_load.hpp).
//
//   notice of epoch n:  epoch | word: part of a core | slices | near | places
//
//   word                            written by   when                          order
//   `word`: the part, a double      the owner    before it enters the epoch    plain
//   slice {0, stream}, and its
//     place: bytes, no slots        the owner    likewise, of a message        plain
//
// The store of the epoch releases them all (node_epochs.hpp). A rank adds up the parts of all once it has
// seen that all have entered the epoch, and before it enters the next. Ranks may come to different ends: the
// notice of each tells its readers how its blocks come. The messages themselves are MPI's to order.
#pragma once

#include "algorithms/transport/messages/wire.hpp"
#include "local_ranks.hpp"
#include "node_load.hpp"
#include "node_sections.hpp"
#include "node_stream.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

namespace switchyard::algorithms {

class NodeMessages {
  public:
    // `cores`: that the ranks of the node share.
    NodeMessages(const Group& group, int cores);

    // The group may have another carrier than before.
    void open() {
        if (wire_) wire_->reset();
    }

    bool watches_load() const { return watches_load_; }
    bool others_have_cores() const { return load_.others_have_cores(); }
    void tell_load(const section::Notice& own);
    // All ranks of the node have entered that epoch.
    void hear_load(const NodeSections& sections, std::uint64_t epoch);
    void assume_others(); // for tests; a simulated machine runs no others

    // Some are under way.
    bool has_some() const { return wire_ && !wire_->is_idle(); }
    // In place of a stream, which the notice says.
    void send(const Stream& stream, const section::Notice& own);
    void receive(int source, std::byte* data, std::size_t bytes);
    // A message that this rank has no room for.
    void lose(int source, std::size_t bytes);
    Status end(); // of all that are under way

    // The messages of this rank since the last call.
    Traffic take_traffic() {
        if (!watches_load_) return {};
        const Traffic traffic = wire_->traffic();
        wire_->reset();
        return traffic;
    }

  private:
    LocalRanks ranks_;
    NodeLoad load_;
    bool watches_load_;                              // only then this rank sends messages
    std::unique_ptr<Wire> wire_;                     // null where no rank of the node ever sends a message
    std::vector<std::unique_ptr<std::byte[]>> lost_; // messages that this rank has no room for
};

} // namespace switchyard::algorithms
