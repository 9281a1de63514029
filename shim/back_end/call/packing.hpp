// From MPI's arguments to bytes and blocks, and back: the only place that knows of datatypes and
// MPI_IN_PLACE. Blocks of dense types are used where they lie, all others are packed.
#pragma once

#include "algorithms/exchange.hpp"
#include "shim/back_end/arguments/blocks.hpp"
#include "shim/back_end/arguments/call.hpp"
#include "shim/back_end/communicator/comm_resources.hpp"

namespace switchyard::shim {

class Packing {
  public:
    // `types`: after measure().
    Packing(const CallArgs& call, CommResources& resources, const Peers& peers, const CallTypes& types);

    // A type of the call is not committed. MPI refuses the call, which the ranks make alike.
    bool has_uncommitted_type() const { return has_uncommitted_type_; }
    // Some block to be sent shares memory with a block to be received; gaps of types count. Before load();
    // not for MPI_IN_PLACE.
    bool overlaps();
    // Says that the algorithm takes overlapping blocks: then MPI_IN_PLACE costs no copy. Before reserve().
    void allow_overlap() {
        send_.copies_all = false;
        send_.packed = !send_.blocks.are_dense();
    }
    // Some blocks travel through memory of ours, so the host has to touch their bytes.
    bool packs() const { return send_.packed || recv_.packed; }
    // Makes room for the packed blocks. False: this rank has no memory for them.
    bool reserve();
    // From here on the blocks are their copies in host memory.
    void move(std::uintptr_t send_distance, std::uintptr_t recv_distance);
    // Packs the blocks to be sent and describes both sides; an MPI error code. The exchange can
    // run even after an error.
    int load();
    // Unpacks the arrived blocks; an MPI error code.
    int unload();

    algorithms::Exchange exchange(std::size_t max_block) const;

    // The rank's own block, for the caller to copy, since the host cannot touch its bytes. From here on the
    // exchange does not contain the block. After load().
    struct OwnBlock {
        std::byte* to = nullptr;
        const std::byte* from = nullptr;
        std::size_t bytes = 0;
        bool fits = true;
    };
    OwnBlock take_own_block();

  private:
    // One side of the call.
    struct Side {
        Blocks blocks;
        bool copies_all =
            false;           // every block goes through the packing memory, even one that needs no packing
        bool packed = false; // some block does
        std::uintptr_t origin = 0; // where the blocks' offsets start

        bool packs(int i) const { return copies_all || !blocks.is_dense(i); }
        std::size_t packed_bytes() const;
    };
    std::span<algorithms::Block> send_list() const {
        return std::span(resources_.send).first(static_cast<std::size_t>(send_.blocks.number()));
    }
    std::span<algorithms::Block> recv_list() const {
        return std::span(resources_.recv).first(static_cast<std::size_t>(recv_.blocks.number()));
    }
    static void note_spans(const Blocks& blocks, std::span<algorithms::Block> spans);
    template <typename Place>
    static void lay_out(Side& side, std::span<algorithms::Block> blocks, Place place);
    static void lay_out_in_place(Side& side, std::span<algorithms::Block> blocks);
    static void lay_out_packed(Side& side, std::span<algorithms::Block> blocks, std::byte* memory);
    int pack_send();
    int load_send();
    int cut_what_is_too_long();

    bool sends_one_block_, has_to_fit_, has_uncommitted_type_;
    CommResources& resources_;
    int rank_;
    Side send_, recv_;
};

} // namespace switchyard::shim
