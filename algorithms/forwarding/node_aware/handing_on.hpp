// The phase of node_aware after a hop, among the ranks of a lane: blocks that are on their node go to their
// destinations, rows for other nodes go to the ranks in charge of their next hop.
#pragma once

#include "hop_messages.hpp"

namespace switchyard::algorithms::forwarding {

template <typename Size>
class HandingOn {
  public:
    HandingOn(const Exchange& exchange, Context& context, const NodeAwareSchedule& schedule,
              const NodeAwareLayout& layout, WaitingRows& waiting)
        : exchange_(exchange), wire_(context.wire), schedule_(schedule), bundle_bytes_(layout.arrived_bytes),
          said_sizes_(exchange), waiting_(waiting), bundles_(schedule.lane(), layout.arrived_bytes, context) {
    }

    Status run(const Hop& hop, HopMessages<Size>& messages) {
        Status status = messages.exchange(hop);
        wire_.enter(Phase::rearrange);
        pack(hop, messages);
        if (schedule_.hands_on())
            status.keep(bundles_.exchange(schedule_.in_lane(bundle_bytes_), [&](int from) {
                return hop.has_bundle[static_cast<std::size_t>(from)] != 0;
            }));
        else
            bundles_.keep_own();
        wire_.enter(Phase::rearrange);
        for (int from = 0; from < schedule_.lane().size; ++from)
            unpack(hop.handed_on[static_cast<std::size_t>(from)], bundles_.from(from), status);
        return status;
    }

  private:
    void pack(const Hop& hop, const HopMessages<Size>& messages) {
        bundles_.clear();
        messages.for_each_arrived(hop, [&](const Charge& charge, const std::byte* in) {
            for (const auto [blocks, to] : charge.arrived) {
                const std::byte* const end = end_of_row<Size>(in, blocks, said_sizes_);
                if (to == ArrivedRow::to_each)
                    hand_out(in, blocks);
                else
                    bundles_.append(to, in, static_cast<std::size_t>(end - in));
                in = end;
            }
        });
    }
    void hand_out(const std::byte* row, int blocks) {
        for (int i = 0; i < blocks; ++i) {
            const std::byte* const end = end_of_row<Size>(row, 1, said_sizes_);
            bundles_.append(i, row, static_cast<std::size_t>(end - row));
            row = end;
        }
    }

    void unpack(std::span<const HandedOn> all, std::byte* in, Status& status) {
        for (const HandedOn& next : all) {
            if (next.block_of >= 0) {
                in = deliver_block<Size>(exchange_, next.block_of, in, said_sizes_, status);
            } else {
                std::byte* const end = end_of_row<Size>(in, next.row.blocks, said_sizes_);
                waiting_.keep_copy(next.row.place, in, end);
                in = end;
            }
        }
    }

    const Exchange& exchange_;
    Wire& wire_;
    const NodeAwareSchedule& schedule_;
    const std::size_t bundle_bytes_;
    const SizesOf<Size> said_sizes_;
    WaitingRows& waiting_;
    Bundles bundles_;
};

} // namespace switchyard::algorithms::forwarding
