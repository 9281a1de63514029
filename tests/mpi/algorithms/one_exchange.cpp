#include "one_exchange.hpp"

#include "formulas.hpp"
#include "most_under_way.hpp"

#include "algorithms/algorithm.hpp"

#include <algorithm>
#include <numeric>

namespace switchyard::tests {

using namespace algorithms;

namespace {

// A block for everybody goes to each rank: MPICH 4.0.2's Allgatherv ignores the displacement on one rank.
void ask_alltoallv(const Test& test, Sides& sides) {
    std::vector<int> send_counts, send_displacements, recv_counts, recv_displacements;
    std::vector<Block> send = sides.send.blocks;
    send.resize(sides.recv.blocks.size(), send.front());
    for (const Block& block : send) {
        send_counts.push_back(static_cast<int>(block.size));
        send_displacements.push_back(static_cast<int>(block.offset));
    }
    for (const Block& block : sides.recv.blocks) {
        recv_counts.push_back(static_cast<int>(block.size));
        recv_displacements.push_back(static_cast<int>(block.offset));
    }
    PMPI_Alltoallv(sides.sent.data(), send_counts.data(), send_displacements.data(), MPI_BYTE,
                   sides.expected.data(), recv_counts.data(), recv_displacements.data(), MPI_BYTE,
                   test.oracle);
}

// The same blocks for everybody: of each source the largest.
Case for_everybody(const Case& c, int ranks) {
    std::vector<std::size_t> largest(static_cast<std::size_t>(ranks));
    for (int source = 0; source < ranks; ++source)
        for (int peer = 0; peer < ranks; ++peer)
            largest[static_cast<std::size_t>(source)] =
                std::max(largest[static_cast<std::size_t>(source)], c.size(source, peer));
    Case one = c;
    one.size = [largest](int source, int) { return largest[static_cast<std::size_t>(source)]; };
    return one;
}

// The largest block, as the algorithm hears of it. Without an agreement each rank has a number of its own.
std::size_t told_block(const Test& test, const Traits& traits, const Parameters& parameters,
                       std::size_t max_block) {
    const bool has_none = traits.has(agreed_block) && !needs_agreed_block(traits, parameters);
    return has_none ? static_cast<std::size_t>(test.group.rank) * 7 : max_block;
}

} // namespace

Sides sides_of(const Test& test, Collective collective, const Case& of_pairs) {
    const int ranks = test.group.size;
    const int self = test.group.rank;
    const bool sends_one_block = traits_of(collective).sends_one_block();
    const Case c = sends_one_block ? for_everybody(of_pairs, ranks) : of_pairs;
    std::vector<std::size_t> send_sizes, recv_sizes;
    Sides sides;
    for (int peer = 0; peer < ranks; ++peer) {
        send_sizes.push_back(c.size(self, peer));
        recv_sizes.push_back(c.size(peer, self));
        for (int other = 0; other < ranks; ++other) {
            // The largest block is one that travels: on one rank there is none.
            if (peer != other) {
                sides.max_block = std::max(sides.max_block, c.size(peer, other));
            }
        }
    }
    sides.scratch_block = sides.max_block;
    if (sends_one_block) {
        send_sizes.resize(1);
        const auto all = static_cast<std::size_t>(ranks);
        sides.scratch_block =
            (std::accumulate(recv_sizes.begin(), recv_sizes.end(), std::size_t{0}) + all - 1) / all;
    }
    const auto salt = static_cast<std::uint64_t>(self);
    sides.send = place(send_sizes, c.layout, salt);
    sides.recv = place(recv_sizes, c.layout, salt + 1000);
    sides.sent = filled(sides.send.bytes, 2 * salt);
    sides.untouched = filled(sides.recv.bytes, 2 * salt + 1);
    sides.expected = sides.untouched;
    ask_alltoallv(test, sides);
    return sides;
}

void compare(Test& test, const Sides& sides, const std::vector<std::byte>& received) {
    const std::size_t wrong = first_difference(received, sides.expected);
    test.failures.check(wrong == received.size(),
                        "wrong byte at " + std::to_string(wrong) + " of " + std::to_string(received.size()));
}

std::size_t scratch_of(const NodeMap& map, const Traits& traits, std::size_t block,
                       const Parameters& parameters) {
    return traits.scratch_bytes == nullptr
               ? 0
               : traits.scratch_bytes({map.ranks(), map.nodes(), map.largest()}, block, parameters);
}

void run_one(Test& test, const Traits& traits, const Parameters& parameters, const Case& c,
             const Sides& sides, Workspace& workspace, Wire& wire) {
    Failures& failures = test.failures;
    const std::size_t scratch = scratch_of(*test.group.node_map, traits, sides.scratch_block, parameters);
    failures.check(workspace.reserve(scratch), "no workspace");

    std::vector<std::byte> sent = sides.sent;
    std::vector<std::byte> received = sides.untouched;
    const Exchange exchange{test.group,        sent.data(),
                            sides.send.blocks, received.data(),
                            sides.recv.blocks, told_block(test, traits, parameters, sides.max_block)};
    const auto schedule = algorithm_of(traits).prepared(test.group, parameters);
    Context context{parameters, workspace, wire, test.window(), schedule.get()};
    wire.reset();
    const Status status = algorithm_of(traits).run(exchange, context);

    failures.check_equal(static_cast<std::uint64_t>(status.code), MPI_SUCCESS, "status");
    failures.check(are_same(sent, sides.sent), "the send buffer was changed");
    compare(test, sides, received);
    failures.check(workspace.most_taken() == scratch ||
                       (traits.has(knows_nodes) && workspace.most_taken() < scratch),
                   "scratch memory taken is " + std::to_string(workspace.most_taken()) + ", not " +
                       std::to_string(scratch));
    if (wire.limit() == Wire::largest_message)
        failures.check(std::int64_t{wire.traffic().most_under_way} <=
                           most_under_way(traits, test.group, parameters, wire.batch()),
                       "most under way is " + std::to_string(wire.traffic().most_under_way));
    if (c.full && wire.limit() == Wire::largest_message && wire.batch() == Wire::largest_batch) {
        const auto expected = expected_traffic(traits.collective, traits.name, test.group, sides.max_block,
                                               parameters, test.window() != nullptr);
        if (expected.has_value()) {
            failures.check_equal(wire.traffic().messages, expected->messages, "messages");
            failures.check_equal(wire.traffic().bytes, expected->bytes, "bytes");
            failures.check_equal(wire.traffic().rounds, expected->rounds, "rounds");
            if (traits.has(knows_nodes)) {
                failures.check_equal(wire.traffic().messages_inter, expected->messages_inter,
                                     "messages between nodes");
                failures.check_equal(wire.traffic().bytes_inter, expected->bytes_inter,
                                     "bytes between nodes");
            }
            if (expected->most_under_way != 0) {
                failures.check_equal(wire.traffic().most_under_way, expected->most_under_way,
                                     "most under way");
            }
        }
    }
}

void run_in_place(Test& test, const Traits& traits, const Parameters& parameters, const Sides& sides,
                  Workspace& workspace, Wire& wire) {
    const Block own = sides.recv.blocks[static_cast<std::size_t>(test.group.rank)];
    std::vector<std::byte> received = sides.untouched;
    std::copy_n(sides.sent.begin() + static_cast<std::ptrdiff_t>(sides.send.blocks[0].offset), own.size,
                received.begin() + static_cast<std::ptrdiff_t>(own.offset));
    const Exchange exchange{test.group,      received.data(),   {&own, 1},
                            received.data(), sides.recv.blocks, sides.max_block};
    workspace.reserve(scratch_of(*test.group.node_map, traits, sides.scratch_block, parameters));
    const auto schedule = algorithm_of(traits).prepared(test.group, parameters);
    Context context{parameters, workspace, wire, test.window(), schedule.get()};
    test.failures.check(algorithm_of(traits).run(exchange, context).ok(), "status in place");
    compare(test, sides, received);
}

} // namespace switchyard::tests
