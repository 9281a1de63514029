// From MPI's arguments to bytes and blocks, and back: the only place that knows of datatypes, displacements
// and MPI_IN_PLACE. Dense types are used where they lie, everything else is packed.
#pragma once

#include "algorithms/exchange.hpp"
#include "call.hpp"
#include "comm_state.hpp"
#include "datatype.hpp"

namespace switchyard::shim {

class Stage {
  public:
    Stage(const CallArgs& call, CommState& state, int datatype_keyval);

    // Whether a block to be sent shares memory with one to be received. Blocks of types with gaps count with
    // their gaps. Before load(); not for MPI_IN_PLACE.
    bool overlaps();
    // Says that the algorithm takes overlapping blocks, so that MPI_IN_PLACE costs no copy. Before reserve().
    void allow_overlap() { send_.packed = !send_.type.dense; }
    // Makes room for what has to be packed. False: no such memory on this rank.
    bool reserve();
    // Packs and describes; an MPI error code.
    int load();
    // Unpacks what has arrived; an MPI error code.
    int unload();

    algorithms::Exchange exchange(std::size_t max_block) const;

  private:
    // One side of the call as items in memory.
    struct Items {
        std::uintptr_t base; // an address to calculate with: MPI_BOTTOM is 0
        Datatype type;
        bool packed = false;       // they travel through the staging memory
        std::uintptr_t origin = 0; // where the blocks' offsets start
        std::size_t bytes = 0;     // in all
    };
    std::int64_t count(const CallArgs::Side& side, int i) const;
    std::uintptr_t address(const CallArgs::Side& side, const Items& items, int i) const;
    std::size_t size(const CallArgs::Side& side, const Items& items, int i) const;
    int send_blocks() const { return call_.collective == Collective::allgather ? 1 : rails_.group.size; }
    const CallArgs::Side& send_side() const { return call_.outgoing(); }

    algorithms::Block span_of(const CallArgs::Side& side, const Items& items, int i) const;
    void note_spans(const CallArgs::Side& side, const Items& items, std::span<algorithms::Block> spans) const;
    void lay_out_in_place(const CallArgs::Side& side, Items& items, std::span<algorithms::Block> blocks);
    void lay_out_packed(const CallArgs::Side& side, Items& items, std::span<algorithms::Block> blocks,
                        std::byte* memory);
    int pack_send(std::byte* memory);

    const CallArgs& call_;
    Rails& rails_;
    int rank_;
    Items send_, recv_;
};

} // namespace switchyard::shim
