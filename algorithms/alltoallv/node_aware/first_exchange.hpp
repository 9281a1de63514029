// The first phase of node_aware, inside the node: blocks for this node go to their destinations, rows for
// other nodes go to the ranks in charge of their first hops.
#pragma once

#include "routes.hpp"

namespace switchyard::algorithms::alltoallv {

class FirstExchange {
  public:
    FirstExchange(const Exchange& exchange, Context& context, const Routes& routes, WaitingRows& waiting)
        : exchange_(exchange), routes_(routes), map_(routes.map()), own_node_(routes.own_node()),
          waiting_(waiting), bundles_(own_node_, routes.layout().first_bytes, context) {}

    Status run() {
        pack();
        Status status = bundles_.exchange(routes_.inner(own_node_, routes_.layout().first_bytes),
                                          [](int) { return true; });
        for (int source = 0; source < own_node_.size; ++source) unpack(source, status);
        return status;
    }

  private:
    template <typename Visitor>
    void for_each_key(Visitor&& visit) const {
        for (int offset = 1; offset < map_.nodes(); ++offset)
            for (int lane = 0; lane < routes_.hops().lanes(); ++lane) visit(offset, lane);
    }

    void pack() {
        bundles_.clear();
        for (int local = 0; local < own_node_.size; ++local) {
            const int destination = own_node_.rank_in_comm(local);
            if (local != own_node_.rank)
                append_block(exchange_, bundles_, local, exchange_.send_to(destination),
                             exchange_.said_size(destination), routes_.layout().size_bytes);
        }
        for_each_key([&](int offset, int lane) { append_row(offset, lane); });
    }
    void append_row(int offset, int lane) {
        const std::size_t size_bytes = routes_.layout().size_bytes;
        const int to = routes_.next_holder(offset, lane, 1);
        const auto destinations = map_.ranks_of(routes_.node_up(offset));
        const int blocks = routes_.hops().ranks_in(lane, static_cast<int>(destinations.size()));
        const patterns::PackedSizes sizes(bundles_.extend(to, static_cast<std::size_t>(blocks) * size_bytes),
                                          size_bytes);
        for (int i = 0; i < blocks; ++i) {
            const int destination = destinations[static_cast<std::size_t>(lane + i * routes_.hops().lanes())];
            const std::size_t said = exchange_.said_size(destination);
            sizes.set(static_cast<std::size_t>(i), said);
            bundles_.append(to, exchange_.send_to(destination), exchange_.bytes_of(said));
        }
    }

    void unpack(int source, Status& status) {
        std::byte* in = bundles_.from(source);
        if (source != own_node_.rank)
            in = deliver_block(exchange_, own_node_.rank_in_comm(source), in, routes_.layout().size_bytes,
                               status);
        for_each_key([&](int offset, int lane) {
            if (routes_.next_holder(offset, lane, 1) == own_node_.rank)
                in = waiting_.keep(routes_.key_of(offset, lane), source,
                                   routes_.row_at(in, routes_.node_up(offset), lane));
        });
    }

    const Exchange& exchange_;
    const Routes& routes_;
    const NodeMap& map_;
    const Group& own_node_;
    WaitingRows& waiting_;
    Bundles bundles_;
};

} // namespace switchyard::algorithms::alltoallv
