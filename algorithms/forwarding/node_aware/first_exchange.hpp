// The first phase of node_aware, inside the node: blocks for this node go to their destinations, rows for
// other nodes go to the ranks in charge of their first hops.
#pragma once

#include "rows.hpp"

namespace switchyard::algorithms::forwarding {

template <typename Size>
class FirstExchange {
  public:
    FirstExchange(const Exchange& exchange, Context& context, const NodeAwareSchedule& schedule,
                  const NodeAwareLayout& layout, WaitingRows& waiting)
        : exchange_(exchange), wire_(context.wire), schedule_(schedule), bundle_bytes_(layout.first_bytes),
          waiting_(waiting), bundles_(schedule.own_node(), layout.first_bytes, context) {}

    Status run() {
        return with_sizes_of<Size>(exchange_, [&](const auto& said_sizes) { return run(said_sizes); });
    }

  private:
    template <typename Sizes>
    Status run(const Sizes& said_sizes) {
        if (schedule_.rows_stay_in_epoch())
            bundles_.start([&] { return bytes_with_sizes<Size>(exchange_, said_sizes); });
        wire_.enter(Phase::rearrange);
        for (int to = 0; to < schedule_.own_node().size; ++to)
            bundles_.set_end(to, put_blocks_for<Size>(schedule_.first_destinations(to), bundles_.begin(),
                                                      exchange_, said_sizes));
        Status status = bundles_.exchange(schedule_.in_node(bundle_bytes_), [](int) { return true; });
        wire_.enter(Phase::rearrange);
        for (int source = 0; source < schedule_.own_node().size; ++source) unpack(source, said_sizes, status);
        return status;
    }

    template <typename Sizes>
    void unpack(int local_source, const Sizes& said_sizes, Status& status) {
        std::byte* in = bundles_.from(local_source);
        const Group& own_node = schedule_.own_node();
        if (local_source != own_node.rank)
            in = deliver_block<Size>(exchange_, own_node.rank_in_comm(local_source), in, said_sizes, status);
        for (const auto [blocks, place] : schedule_.first_rows()) {
            std::byte* const end = end_of_row<Size>(in, blocks, said_sizes);
            waiting_.keep(place + static_cast<std::size_t>(local_source), in, end);
            in = end;
        }
    }

    const Exchange& exchange_;
    Wire& wire_;
    const NodeAwareSchedule& schedule_;
    const std::size_t bundle_bytes_;
    WaitingRows& waiting_;
    Bundles bundles_;
};

} // namespace switchyard::algorithms::forwarding
