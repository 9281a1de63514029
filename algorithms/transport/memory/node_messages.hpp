// The way of large blocks past the memory of the node: as MPI messages. A slot needs its writer on a core,
// and then its reader. Where several ranks share each core and other programs have most of it, ranks that
// wait for slots or sleep lose their share of the core. There a block that would go through slots becomes an
// MPI message. The ranks find out together whether other programs have the cores: each tells its part of a
// core with every exchange (node_load.hpp).
//
//   notice of epoch n:  epoch | word: part of a core | slices | near | places
//
//   word                            written by   when                          order
//   `word`: the part, a double      the owner    before it enters the epoch    plain
//   slice {0, stream}, and its
//     place: bytes, no slots        the owner    likewise, of a message        plain
//
// The store of the epoch releases all of them (node_epochs.hpp). A rank adds up the parts of all ranks
// once it has seen that all have entered the epoch, and before it enters the next epoch. Ranks may
// come to different conclusions: each rank's notice tells the readers how its blocks come. MPI itself
// orders the messages.
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
    // `cores`: the number of cores that the ranks of the node share.
    NodeMessages(const Group& group, int cores);

    // The group may have another carrier now.
    void open() {
        if (wire_) wire_->reset();
    }

    bool watches_load() const { return watches_load_; }
    bool others_have_cores() const { return load_.others_have_cores(); }
    void tell_load(const section::Notice& own);
    // Call it once all ranks of the node have entered `epoch`.
    void hear_load(const NodeSections& sections, std::uint64_t epoch);
    void assume_others(); // for tests; not on a simulated machine

    // Whether messages are under way.
    bool has_some() const { return wire_ && !wire_->is_idle(); }
    // Sends the block of a stream as a message. The notice says so.
    void send(const Stream& stream, const section::Notice& own);
    void receive(int source, std::byte* data, std::size_t bytes);
    // Receives a message that this rank has no room for, and drops it.
    void lose(int source, std::size_t bytes);
    Status end(); // of all messages that are under way

    // The messages of this rank since the last call. They carry large blocks while other programs keep ranks
    // off their cores.
    Traffic take_traffic() {
        if (!watches_load_) return {};
        const Traffic traffic = wire_->traffic();
        wire_->reset();
        return traffic;
    }

  private:
    LocalRanks ranks_;
    NodeLoad load_;
    bool watches_load_;                              // only then does this rank send messages
    std::unique_ptr<Wire> wire_;                     // null where no rank of the node ever sends a message
    std::vector<std::unique_ptr<std::byte[]>> lost_; // messages that this rank has no room for
};

} // namespace switchyard::algorithms
