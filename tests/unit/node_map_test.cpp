// Placements of ranks on nodes, and the carriers and hops that follow from them.
#include "catch.hpp"

#include "algorithms/alltoallv/tuna_staggered_scratch.hpp"
#include "algorithms/forwarding/node_aware/node_hops.hpp"
#include "algorithms/forwarding/node_aware_scratch.hpp"
#include "algorithms/forwarding/tuna/carriers.hpp"
#include "algorithms/forwarding/tuna_coalesced_scratch.hpp"
#include "algorithms/node_map.hpp"

#include <map>
#include <set>

using namespace switchyard::algorithms;
using namespace switchyard::algorithms::alltoallv;
using namespace switchyard::algorithms::forwarding;
using namespace switchyard::algorithms::patterns;

namespace {

NodeMap map_of(std::vector<std::uint64_t> ids) {
    return NodeMap(ids);
}

std::vector<NodeMap> placements() {
    std::vector<NodeMap> maps;
    for (int ranks : {1, 2, 7, 12})
        for (int size : {1, 2, 3, 12}) maps.push_back(NodeMap::blocks(ranks, size));
    maps.push_back(map_of({0, 1, 2, 0, 1, 2, 0}));
    maps.push_back(map_of({9, 9, 9, 4, 7, 7, 7, 7, 9}));
    maps.push_back(map_of({0, 1, 1, 1, 1, 1, 1}));
    return maps;
}

} // namespace

TEST_CASE("nodes are numbered in the order of their first ranks", "[nodes]") {
    const NodeMap map = map_of({70, 5, 70, 1, 5, 70});
    CHECK(map.ranks() == 6);
    CHECK(map.nodes() == 3);
    CHECK(map.largest() == 3);
    CHECK_FALSE(map.is_equal());
    const std::vector<int> first(map.ranks_of(0).begin(), map.ranks_of(0).end());
    CHECK(first == std::vector<int>{0, 2, 5});
    CHECK(map.node_of(4) == 1);
    CHECK(map.local_rank(4) == 1);
    CHECK(map.rank_of(1, 1) == 4);
    CHECK(map.begin_of(2) == 5);
    CHECK(map.is_near(0, 5));
    CHECK_FALSE(map.is_near(0, 1));
    CHECK(NodeMap::blocks(8, 4).is_equal());
    CHECK_FALSE(NodeMap::blocks(7, 4).is_equal());
}

TEST_CASE("regions are inside one node, by local rank", "[nodes]") {
    const NodeMap map = map_of({0, 1, 0, 1, 0, 1, 0});
    const std::vector<int> two = {7, 7, 3, 7, 7, 3, 3}; // the same numbers on both nodes
    const NodeMap first = map.regions_of(0, two), second = map.regions_of(1, two);
    CHECK(first.ranks() == 4);
    CHECK(first.nodes() == 2);
    CHECK(std::vector<int>(first.ranks_of(0).begin(), first.ranks_of(0).end()) == std::vector<int>{0, 2});
    CHECK(std::vector<int>(first.ranks_of(1).begin(), first.ranks_of(1).end()) == std::vector<int>{1, 3});
    CHECK(second.ranks() == 3);
    CHECK(second.largest() == 2);
    CHECK(second.node_of(2) == 1);
    // A rank that is in no single region makes its node one region. Other nodes keep their regions.
    const std::vector<int> one_free = {0, 0, 1, 1, -1, 2, 0};
    CHECK(map.regions_of(0, one_free).nodes() == 1);
    CHECK(map.regions_of(1, one_free).nodes() == 3);
}

TEST_CASE("each rank has one carrier on every node, and the carriers of a node serve all ranks", "[nodes]") {
    for (const NodeMap& map : placements())
        for (int node = 0; node < map.nodes(); ++node) {
            const Carriers carriers(map, node);
            std::map<int, int> carried;
            for (int carrier = 0; carrier < map.size_of(node); ++carrier) {
                int count = 0, last_distance = 0;
                carriers.for_each_destination(carrier, [&](int destination, int distance) {
                    ++carried[destination];
                    ++count;
                    CHECK(carriers.carrier_of(destination) == carrier);
                    CHECK(carriers.carrier_on(node, destination) == map.rank_of(node, carrier));
                    CHECK(carriers.node_up(distance) == map.node_of(destination));
                    CHECK(distance >= last_distance);
                    last_distance = distance;
                });
                CHECK(carriers.destinations_of(carrier) == count);
                const int most = most_destinations(map.size_of(node), map.nodes(), map.largest());
                CHECK(count <= most);
                if (map.is_equal()) CHECK(count == most);
            }
            CHECK(carried.size() == static_cast<std::size_t>(map.ranks()));
            for (const auto& [destination, times] : carried) CHECK(times == 1);
            for (int distance = 0; distance < map.nodes(); ++distance)
                CHECK(Carriers(map, carriers.node_up(distance)).node_down(distance) == node);
        }
}

namespace {

// Single radices, and a radix for each digit of up to 30 nodes.
std::vector<std::int64_t> radices_for_nodes() {
    std::vector<std::int64_t> radices = {2, 3, 5, 30, 100};
    for (const auto& list : {std::vector<std::int64_t>{2, 15}, {15, 2}, {3, 5, 2}, {4, 2, 7}})
        radices.push_back(patterns::Radices::of_list(list).value());
    return radices;
}

} // namespace

TEST_CASE("hops lead every block home, and one rank of a node is in charge of each hop", "[nodes]") {
    for (int nodes : {1, 2, 3, 8, 9, 30})
        for (std::int64_t radix : radices_for_nodes()) {
            const int ranks = nodes == 9 ? 13 : 4;
            const NodeHops hops(nodes, ranks, radix, nodes == 8 ? 3 : 0);
            std::int64_t most = 2;
            for (std::int64_t weight = 1; weight < nodes; weight = hops.next_weight(weight))
                most = std::max(most, std::min<std::int64_t>(hops.radix(weight), nodes));
            const std::int64_t charges = (most - 1) * hops.lanes();
            if (nodes != 8) {
                CHECK((hops.lanes() == 1 || hops.lanes() == ranks || charges <= 16 * ranks));
                CHECK((hops.lanes() == ranks || charges + most - 1 > 16 * ranks));
            }
            std::vector<std::int64_t> travelled(static_cast<std::size_t>(nodes), 0);
            for (std::int64_t weight = 1; weight < nodes; weight = hops.next_weight(weight)) {
                std::set<std::pair<int, int>> seen;
                for (int self = 0; self < ranks; ++self)
                    hops.for_each_charge(weight, self, ranks, [&](int z, int lane) {
                        CHECK(hops.charge_of(z, lane, ranks) == self);
                        CHECK((lane >= 0 && lane < hops.lanes()));
                        CHECK(seen.insert({z, lane}).second);
                        if (lane != 0) return;
                        std::int64_t count = 0, first = 0, last = 0;
                        hops.for_each_offset(weight, z, [&](int offset) {
                            ++count;
                            first += offset % weight == 0 ? 1 : 0;
                            last += hops.next_digit(offset, hops.next_weight(weight)) == 0 ? 1 : 0;
                            CHECK(hops.next_digit(offset, weight) == z);
                            CHECK(travelled[static_cast<std::size_t>(offset)] == offset % weight);
                            travelled[static_cast<std::size_t>(offset)] += z * weight;
                        });
                        CHECK(hops.offsets(weight, z) == count);
                        CHECK(hops.first_hops(weight, z) == first);
                        CHECK(hops.last_hops(weight, z) == last);
                    });
            }
            for (int offset = 0; offset < nodes; ++offset)
                CHECK(travelled[static_cast<std::size_t>(offset)] == offset);
        }
}

TEST_CASE("every local rank is in one lane, and every lane has a rank in charge", "[nodes]") {
    for (int largest : {1, 2, 7, 8})
        for (std::int64_t lanes : {0, 1, 2, 3, 8, 100}) {
            const NodeHops hops(20, largest, 3, lanes);
            CHECK(hops.lanes() ==
                  std::clamp<std::int64_t>(lanes == 0 ? 16 * largest / 2 : lanes, 1, largest));
            for (int ranks = 1; ranks <= largest; ++ranks) {
                std::vector<int> count(static_cast<std::size_t>(hops.lanes()), 0);
                for (int local = 0; local < ranks; ++local)
                    ++count[static_cast<std::size_t>(hops.lane_of(local))];
                for (int lane = 0; lane < hops.lanes(); ++lane) {
                    const int in_lane = count[static_cast<std::size_t>(lane)];
                    CHECK(hops.ranks_in(lane, ranks) == in_lane);
                    for (int z : {1, 2, 3, 4}) {
                        const int charge = hops.charge_of(z, lane, ranks);
                        CHECK((charge >= 0 && charge < ranks));
                        CHECK((in_lane == 0 || hops.lane_of(charge) == lane));
                        bool found = false;
                        hops.for_each_charge(1, charge, ranks, [&](int digit, int of_lane) {
                            found = found || (digit == z && of_lane == lane);
                        });
                        CHECK((found || z >= 3)); // of base 3
                    }
                }
            }
        }
}

TEST_CASE("no local rank carries more than the busiest one", "[nodes]") {
    for (int nodes : {2, 3, 7, 16, 30})
        for (std::int64_t radix : radices_for_nodes())
            for (std::int64_t lanes : {0, 1, 2, 3, 8})
                for (int ranks = 1; ranks <= 8; ++ranks) {
                    const NodeHops hops(nodes, 8, radix, lanes);
                    const auto carried = [&](std::int64_t weight, int self) {
                        std::array<std::int64_t, 4> sums =
                            {}; // first hops, all hops, last hops, all but the last hops
                        hops.for_each_charge(weight, self, ranks, [&](int z, int) {
                            sums[0] += hops.first_hops(weight, z);
                            sums[1] += hops.offsets(weight, z);
                            sums[2] += hops.last_hops(weight, z);
                            sums[3] += hops.offsets(weight, z) - hops.last_hops(weight, z);
                        });
                        return sums;
                    };
                    for (std::int64_t weight = 1; weight < nodes; weight = hops.next_weight(weight)) {
                        const auto most = carried(weight, hops.busiest(ranks));
                        for (int self = 0; self < ranks; ++self) {
                            const auto sums = carried(weight, self);
                            for (std::size_t i = 0; i < sums.size(); ++i) CHECK(sums[i] <= most[i]);
                        }
                    }
                }
}

TEST_CASE("packed sizes keep their values at any address", "[nodes]") {
    for (std::size_t value : {std::size_t{0}, std::size_t{255}, std::size_t{256}, std::size_t{65535},
                              std::size_t{65536}, std::size_t{1} << 33}) {
        std::byte bytes[40] = {};
        const std::size_t width = narrowest(value);
        with_size_type(width, [&](auto size) {
            using Size = decltype(size);
            CHECK(sizeof size == width);
            std::byte* const at = bytes + 1 + width; // any address
            put_size<Size>(at, value);
            CHECK(size_at<Size>(at) == value);
            CHECK(size_at<Size>(at - width) == 0);
            CHECK(size_at<Size>(at + width) == 0);
        });
        CHECK((width == 8 || value < std::size_t{1} << (8 * width)));
    }
}

TEST_CASE("where nodes differ, the workspace is enough for any node", "[nodes]") {
    Parameters parameters;
    for (const auto& parameter : parameter_vocabulary())
        parameters[parameter.parameter] = preset_of(parameter, 24);
    for (auto* scratch_bytes :
         {&tuna_coalesced_scratch_bytes, &tuna_staggered_scratch_bytes, &node_aware_scratch_bytes}) {
        CHECK(scratch_bytes(1, 100, parameters) == 0);
        CHECK(scratch_bytes({24, 3, 8}, 0, parameters) == 0);
        CHECK(scratch_bytes({24, 3, 8}, 100, parameters) > 0);
        CHECK(scratch_bytes({23, 3, 8}, 100, parameters) >= scratch_bytes({24, 3, 8}, 100, parameters));
    }
}
