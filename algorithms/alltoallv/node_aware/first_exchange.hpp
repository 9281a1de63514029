// The first phase of node_aware, inside the node: blocks for this node go to their destinations, rows for
// other nodes go to the ranks in charge of their first hops.
#pragma once

#include "rows.hpp"

namespace switchyard::algorithms::alltoallv {

template <typename Size>
class FirstExchange {
  public:
    FirstExchange(const Exchange& exchange, Context& context, const NodeAwareSchedule& schedule,
                  const NodeAwareLayout& layout, WaitingRows& waiting)
        : exchange_(exchange), schedule_(schedule), bundle_bytes_(layout.first_bytes), said_sizes_(exchange),
          waiting_(waiting), bundles_(schedule.own_node(), layout.first_bytes, context) {}

    Status run() {
        if (schedule_.rows_stay_in_epoch())
            bundles_.start([&] { return bytes_with_sizes<Size>(exchange_, said_sizes_); });
        for (int to = 0; to < schedule_.own_node().size; ++to)
            bundles_.set_end(to, pack(schedule_.first_destinations(to), bundles_.begin()));
        Status status = bundles_.exchange(schedule_.in_node(bundle_bytes_), [](int) { return true; });
        for (int source = 0; source < schedule_.own_node().size; ++source) unpack(source, status);
        return status;
    }

  private:
    // Returns the end of the bundle.
    std::byte* pack(std::span<const int> destinations, std::byte* end) const {
        const SaidSizes said_sizes = said_sizes_;
        for (const int destination : destinations)
            end = put_block_for<Size>(destination, end, exchange_, said_sizes);
        return end;
    }

    void unpack(int local_source, Status& status) {
        std::byte* in = bundles_.from(local_source);
        const Group& own_node = schedule_.own_node();
        if (local_source != own_node.rank)
            in = deliver_block<Size>(exchange_, own_node.rank_in_comm(local_source), in, said_sizes_, status);
        for (const auto [blocks, place] : schedule_.first_rows()) {
            std::byte* const end = end_of_row<Size>(in, blocks, said_sizes_);
            waiting_.keep(place + static_cast<std::size_t>(local_source), in, end);
            in = end;
        }
    }

    const Exchange& exchange_;
    const NodeAwareSchedule& schedule_;
    const std::size_t bundle_bytes_;
    const SaidSizes said_sizes_;
    WaitingRows& waiting_;
    Bundles bundles_;
};

} // namespace switchyard::algorithms::alltoallv
