// All algorithms of the registry x corners of their parameters x patterns of blocks, compared with the MPI
// library's own collectives. Every receive buffer is compared as a whole, with the bytes around and between
// the blocks. It runs with any number of ranks.
//   --reduced  fewer patterns, and one parameter varied at a time, for an MPI that spins with more ranks than cores
//   --sampled  still fewer, for hundreds of simulated ranks. Above 128 ranks only small radices, no `linear`, and no
//              exchanges in place
// A second word is the name of an algorithm: only it runs.
#include "cases.hpp"
#include "formulas.hpp"
#include "overlap.hpp"
#include "small_messages.hpp"
#include "window_sizes.hpp"

#include "algorithms/algorithm.hpp"
#include "algorithms/transport/agree_on_largest.hpp"
#include "algorithms/transport/memory/neighbour_memory.hpp"
#include "algorithms/transport/memory/node_blocks.hpp"
#include "algorithms/transport/memory/node_window_exchange.hpp"
#include "algorithms/transport/messages/mpi_types.hpp"

#include <mpi.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstdio>
#include <cstring>
#include <memory>
#include <numeric>
#include <optional>
#include <string_view>
#include <unistd.h>

using namespace switchyard::algorithms;
using namespace switchyard::tests;

namespace {

// The failed checks of this rank. The first few are printed, all are counted.
class Failures {
  public:
    void set_place(std::string place) { place_ = std::move(place); }
    const std::string& place() const { return place_; }

    void check(bool good, const std::string& what) {
        ++checks_;
        if (!good && ++failures_ <= 5) {
            std::fprintf(stderr, "rank %d: %s: %s\n", rank_, place_.c_str(), what.c_str());
        }
    }
    void check_equal(std::uint64_t found, std::uint64_t expected, const std::string& what) {
        check(found == expected, what + " is " + std::to_string(found) + ", not " + std::to_string(expected));
    }

    int rank_ = 0;
    long checks_ = 0, failures_ = 0;

  private:
    std::string place_;
};

struct NamedMap {
    std::string name;
    NodeMap map;
    std::unique_ptr<NodeWindow> window; // small, so that most exchanges take streams
    // Whether other programs seem to have the cores: so that its ranks read streams from each other's memory,
    // or, where several ranks share each core, send messages instead.
    using Load = NodeWindow::Load;
    Load load = Load::none;
};

// The regions inside each node.
struct RegionKind {
    std::string_view name;
    int (*region_of)(int node, int local_rank); // null: no regions
};

constexpr std::array region_kinds = {
    RegionKind{"no regions", nullptr},
    RegionKind{"regions of 1", [](int, int local) { return local; }},
    RegionKind{"regions of 2", [](int, int local) { return local / 2; }},
    RegionKind{"regions of 3", [](int, int local) { return local / 3; }},
    RegionKind{"regions of 1, 3, 2",
               [](int, int local) {
                   return local / 6 * 3 + (local % 6 < 1 ? 0 : local % 6 < 4 ? 1 : 2);
               }},
    RegionKind{"in turn on 2 regions", [](int, int local) { return local % 2; }},
    RegionKind{"regions of 2 on every other node", [](int node, int local) { return node % 2 * local / 2; }},
};

std::optional<NodeMap> regions_of(std::size_t kind, const NodeMap& map, int rank) {
    if (region_kinds[kind].region_of == nullptr) return std::nullopt;
    const int node = map.node_of(rank);
    std::vector<std::uint64_t> ids;
    for (int local = 0; local < map.size_of(node); ++local)
        ids.push_back(static_cast<std::uint64_t>(region_kinds[kind].region_of(node, local)));
    return NodeMap(ids);
}

struct Test {
    Group group;     // for the algorithms
    MPI_Comm oracle; // for the MPI library's collectives
    bool reduced = false, sampled = false;
    std::string_view only{}; // "": all algorithms
    Failures failures;
    NodeMemory memory{4096};
    std::vector<NamedMap> maps; // placements on nodes, as many as there are kinds
    std::size_t map_index = 0;
    std::size_t region_kind = 0;
    std::optional<NodeMap> regions; // of this rank's node

    NodeWindow* window() const { return maps[map_index].window.get(); }
    std::string map_name() const {
        return maps[map_index].name + ", " + std::string(region_kinds[region_kind].name);
    }
    void take_map(std::size_t map, std::size_t kind) {
        map_index = map % maps.size();
        region_kind = kind % region_kinds.size();
        group.node_map = &maps[map_index].map;
        regions = regions_of(region_kind, *group.node_map, group.rank);
        group.region_map = regions ? &*regions : nullptr;
    }
    void take_next_map() { take_map(map_index + 1, region_kind + 1); }
    void take_one_node() {
        while (group.node_map->nodes() > 1) take_next_map();
    }
    void make_windows() {
        for (std::size_t i = 0; i < maps.size(); ++i) {
            take_map(i, 0);
            maps[i].window = NodeWindow::make(group, memory);
            if (maps[i].window) maps[i].window->assume(maps[i].load);
        }
    }
    void free_windows() {
        for (NamedMap& named : maps) named.window.reset();
    }
};

// Equal and ragged nodes, with ranks in order, in turn and scattered. Also one node, and a node for each
// rank.
std::vector<NamedMap> all_maps(int ranks) {
    std::vector<NamedMap> maps;
    const auto add = [&](const std::string& name, auto&& node_of) {
        std::vector<std::uint64_t> ids;
        for (int rank = 0; rank < ranks; ++rank) ids.push_back(static_cast<std::uint64_t>(node_of(rank)));
        maps.push_back({name, NodeMap(ids), nullptr, NamedMap::Load::none});
    };
    add("one node with other programs", [](int) { return 0; });
    maps.back().load = NamedMap::Load::others;
    add("one node with other programs, several ranks a core", [](int) { return 0; });
    maps.back().load = NamedMap::Load::others_on_shared_cores;
    add("one node with a core for each rank", [](int) { return 0; });
    maps.back().load = NamedMap::Load::nobody;
    for (const int size : {1, 2, 3, 4, 8, ranks})
        add("nodes of " + std::to_string(size), [&](int rank) { return rank / size; });
    for (const int nodes : {2, 3, 5})
        add("in turn on " + std::to_string(nodes) + " nodes", [&](int rank) { return rank % nodes; });
    add("nodes of 3, 1, 4", [](int rank) {
        return rank / 8 * 3 + (rank % 8 < 3 ? 0 : rank % 8 < 4 ? 1 : 2);
    });
    add("nodes of 1 and the rest", [](int rank) { return rank == 0 ? 0 : 1; });
    add("scattered", [](int rank) { return rank * rank % 7 % 4; });
    return maps;
}

// ---- Parameters -----------------------------------------------------------------------------------------

constexpr int most_partners_to_simulate = 128; // with all corners

std::vector<std::int64_t> corners(const ParameterTraits& parameter, int ranks, bool sampled) {
    std::vector<std::int64_t> values;
    if (!parameter.choices.empty()) {
        for (std::int64_t i = 0; i <= parameter.maximum; ++i) {
            values.push_back(i);
        }
        return values;
    }
    std::vector<std::int64_t> all = {preset_of(parameter, ranks)};
    // With many partners a simulator takes long for one message after the other, and for all of them at once.
    const bool many = sampled && ranks > most_partners_to_simulate;
    if (!many || !parameter.limits_partners) {
        all.push_back(parameter.minimum);
        const auto some = parameter.corners.last(std::min<std::size_t>(parameter.corners.size(), 1));
        for (const Corner& corner : sampled ? some : parameter.corners)
            if (!many || !corner.of_ranks) all.push_back(corner.at(ranks));
    }
    for (std::int64_t value : all) {
        if (is_absent(parameter, value))
            values.push_back(value);
        else
            values.push_back(std::clamp(value, parameter.minimum, maximum_of(parameter, ranks)));
    }
    std::ranges::sort(values);
    values.erase(std::unique(values.begin(), values.end()), values.end());
    return values;
}

// Every combination of the corners of the parameters that the algorithm takes, with presets for all others.
// Sampled: one parameter at a time, with presets for all others.
std::vector<Parameters> combinations(const Traits& traits, int ranks, bool sampled) {
    Parameters presets;
    for (const ParameterTraits& parameter : parameter_vocabulary()) {
        presets[parameter.parameter] = preset_of(parameter, ranks);
    }
    std::vector<Parameters> all = {presets};
    for (Parameter parameter : traits.parameters) {
        std::vector<Parameters> wider;
        if (sampled) {
            wider = all;
            all = {presets};
        }
        for (Parameters parameters : all) {
            for (std::int64_t value : corners(traits_of(parameter), ranks, sampled)) {
                parameters[parameter] = value;
                if (!sampled || parameters != presets) wider.push_back(parameters);
            }
        }
        all = std::move(wider);
    }
    return all;
}

std::string described(const Traits& traits, const Parameters& parameters) {
    std::string text = std::string(name_of(traits.collective)) + ":" + std::string(traits.name);
    for (Parameter parameter : traits.parameters) {
        text += " " + std::string(traits_of(parameter).name) + "=" + std::to_string(parameters[parameter]);
    }
    return text;
}

// ---- One exchange ---------------------------------------------------------------------------------------

// The two sides of an exchange on this rank, and what must be in the receive buffer afterwards.
struct Sides {
    Placement send, recv;
    std::vector<std::byte> sent, untouched, expected;
    std::size_t max_block = 0;
    std::size_t scratch_block = 0; // that workspaces depend on: Traits::scratch_bytes
};

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

// The largest block, as the algorithm hears of it. Without an agreement each rank has a number of its own.
std::size_t told_block(const Test& test, const Traits& traits, const Parameters& parameters,
                       std::size_t max_block) {
    const bool has_none = traits.has(agreed_block) && !needs_agreed_block(traits, parameters);
    return has_none ? static_cast<std::size_t>(test.group.rank) * 7 : max_block;
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
    if (c.full && wire.limit() == Wire::largest_message) {
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

// With the own block already in its place, for collectives that send one block.
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

// ---- All of them ----------------------------------------------------------------------------------------

std::vector<Case> cases_of(const Test& test, Collective collective) {
    std::vector<Case> cases = uniform_cases(test.reduced);
    if (traits_of(collective).has_count_arrays()) {
        for (Case& c : ragged_cases(test.group.size, test.reduced)) {
            cases.push_back(std::move(c));
        }
    }
    if (test.sampled) {
        cases.erase(cases.begin()); // the uniform ones are alike
        cases.resize(std::min<std::size_t>(cases.size(), 2));
    }
    return cases;
}

bool is_large_simulation(const Test& test) {
    return test.sampled && test.group.size > most_partners_to_simulate;
}

// The simulator's time grows with the cube of the partners where a rank waits for any of all partners, as
// exchanges in place do. It grows with the fourth power where all ranks send to one rank after the other, as
// `linear` does (512 ranks: more than 200 s, while spread_out takes 15 s).
bool is_too_much_to_simulate(const Traits& traits, const Test& test) {
    return is_large_simulation(test) && (traits.has(takes_overlap) || traits.name == "linear");
}

bool can_run(const Traits& traits, const Test& test) {
    if (is_too_much_to_simulate(traits, test)) return false;
    if (traits.has(shared_memory) && test.window() == nullptr) return false; // simulated ranks have none
    return !traits.native &&
           (!traits.has(power_of_two_ranks) || std::has_single_bit(static_cast<unsigned>(test.group.size)));
}

// Whether intra=shared does the same as intra=messages, since there is no window.
bool does_as_messages(const Parameters& parameters, const Test& test) {
    return parameters[Parameter::intra] == static_cast<std::int64_t>(Intra::shared) &&
           test.window() == nullptr;
}

// `run` sees every admissible combination of algorithm and parameters, on one placement after the other.
template <typename Run>
void for_each_choice(Test& test, Collective collective, Run&& run) {
    for (const Traits& traits : all_traits()) {
        const bool is_meant = test.only.empty() || traits.name == test.only;
        if (traits.collective != collective || !is_meant || !can_run(traits, test)) {
            continue;
        }
        for (const Parameters& parameters : combinations(traits, test.group.size, test.reduced)) {
            if (does_as_messages(parameters, test)) continue;
            if (traits.has(knows_nodes)) test.take_next_map();
            if (traits.has(shared_memory)) {
                test.take_one_node();
                if (test.window() == nullptr) break; // with so many ranks its memory is too small
            }
            run(traits, parameters);
        }
    }
}

// Printed for people who wait for hundreds of simulated ranks.
void tell_progress(const Test& test, Collective collective, const Case& c) {
    if (test.group.rank != 0 || !is_large_simulation(test)) return;
    std::printf("%s, %s\n", name_of(collective).data(), c.name.c_str());
    std::fflush(stdout);
}

// Every call gets a workspace of exactly the declared size, so that the sanitizers see one byte too many.
void check_against_oracle(Test& test, Collective collective) {
    Wire wire(test.group);
    for (const Case& c : cases_of(test, collective)) {
        tell_progress(test, collective, c);
        const Sides sides = sides_of(test, collective, c);
        for_each_choice(test, collective, [&](const Traits& traits, const Parameters& parameters) {
            // An algorithm that hands blocks directly to MPI does the same with ragged blocks.
            if (is_large_simulation(test) && !c.full && !traits.has(agreed_block)) return;
            test.failures.set_place(described(traits, parameters) + ", " + c.name + ", " + test.map_name());
            Workspace workspace;
            run_one(test, traits, parameters, c, sides, workspace, wire);
            if (traits_of(collective).sends_one_block()) {
                run_in_place(test, traits, parameters, sides, workspace, wire);
            }
        });
    }
}

// One workspace for all calls, large enough from the start, does not grow, and its old contents do no harm.
void check_workspace_reuse(Test& test, Collective collective) {
    Wire wire(test.group);
    const Case c = cases_of(test, collective).back();
    const Sides sides = sides_of(test, collective, c);
    Workspace workspace;
    std::size_t most = 0;
    for_each_choice(test, collective, [&](const Traits& traits, const Parameters& parameters) {
        for (const NamedMap& named : test.maps)
            most = std::max(most, scratch_of(named.map, traits, sides.scratch_block, parameters));
    });
    test.failures.check(workspace.reserve(most), "no workspace");
    const std::size_t capacity = workspace.capacity();
    const auto garbage = workspace.take(most);
    std::ranges::fill(garbage, std::byte{0xee});
    for_each_choice(test, collective, [&](const Traits& traits, const Parameters& parameters) {
        test.failures.set_place(described(traits, parameters) + ", " + c.name + ", kept workspace");
        run_one(test, traits, parameters, c, sides, workspace, wire);
        test.failures.check_equal(workspace.capacity(), capacity, "capacity");
    });
}

// A wire that splits nearly all transfers. It also makes tuna's fused rounds fall back to separate rounds.
void check_small_limit(Test& test, Collective collective) {
    const Case c = traits_of(collective).has_count_arrays() ? ragged_cases(test.group.size, true).front()
                                                            : uniform_cases(true).front();
    const Sides sides = sides_of(test, collective, c);
    for (std::size_t limit : {std::size_t{128}, std::size_t{7}}) {
        if (test.reduced && limit < 128) {
            continue;
        }
        Wire wire(test.group, limit);
        for_each_choice(test, collective, [&](const Traits& traits, const Parameters& parameters) {
            // What travels padded would take thousands of messages.
            if (parameters[Parameter::direct_from] > 1000) return;
            test.failures.set_place(described(traits, parameters) + ", " + c.name + ", wire limit " +
                                    std::to_string(limit));
            Workspace workspace;
            run_one(test, traits, parameters, c, sides, workspace, wire);
        });
    }
}

// A workspace with fewer bytes than declared must end in an error code, on all ranks, before any message is
// sent.
void check_no_workspace(Test& test, Collective collective) {
    const Case c = uniform_cases(true).front();
    const Sides sides = sides_of(test, collective, c);
    Wire wire(test.group);
    for_each_choice(test, collective, [&](const Traits& traits, const Parameters& parameters) {
        if (scratch_of(*test.group.node_map, traits, sides.scratch_block, parameters) == 0) {
            return;
        }
        test.failures.set_place(described(traits, parameters) + ", no workspace");
        std::vector<std::byte> received = sides.untouched;
        Workspace nothing;
        const Exchange exchange{test.group,      sides.sent.data(), sides.send.blocks,
                                received.data(), sides.recv.blocks, sides.max_block};
        const auto schedule = algorithm_of(traits).prepared(test.group, parameters);
        Context context{parameters, nothing, wire, test.window(), schedule.get()};
        wire.reset();
        test.failures.check_equal(
            static_cast<std::uint64_t>(mpi_code_of(algorithm_of(traits).run(exchange, context))),
            MPI_ERR_NO_MEM, "status");
        test.failures.check_equal(wire.traffic().messages, 0, "messages");
    });
}

// A message in each round, where there is a node so many steps away. No node is met twice.
std::uint64_t agreement_messages(const Group& group) {
    const NodeMap& map = *group.node_map;
    std::vector<int> sizes;
    for (int node = 0; node < map.nodes(); ++node) sizes.push_back(map.size_of(node));
    const int senders = *std::ranges::min_element(sizes), local = map.local_rank(group.rank);
    std::uint64_t messages = 0;
    for (int known = 1; known < map.nodes(); known += senders * known)
        messages += local < senders && known + local * known < map.nodes() ? 1 : 0;
    return messages;
}

// The largest of each number over all ranks, wherever it is. Again and again, so that no call meets another.
void check_agreement(Test& test) {
    test.failures.set_place("agreement, " + test.map_name());
    Wire wire(test.group);
    for (int turn = 0; turn <= test.group.size; ++turn) {
        for (const std::size_t count : {std::size_t{1}, std::size_t{9}}) {
            std::vector<std::uint64_t> numbers, expected(count);
            for (std::size_t i = 0; i < count; ++i)
                numbers.push_back(
                    mixed(static_cast<std::uint64_t>(turn), static_cast<std::uint64_t>(test.group.rank), i) /
                    2);
            if (turn % test.group.size == test.group.rank)
                numbers[0] = UINT64_MAX / 2 - static_cast<unsigned>(turn);
            PMPI_Allreduce(numbers.data(), expected.data(), static_cast<int>(count), MPI_UINT64_T, MPI_MAX,
                           test.oracle);
            wire.reset();
            const auto end = agree_on_largest(numbers, test.group, wire, test.window());
            test.failures.check(end.status.ok(), "status");
            test.failures.check(numbers == expected, "a number is not the largest");
            const bool has_shared = test.window() != nullptr && test.group.node_map->largest() > 1;
            test.failures.check(end.by_mpi == (!has_shared || !test.window()->has_room_for(count)),
                                "the way");
            test.failures.check_equal(wire.traffic().messages,
                                      end.by_mpi ? 0 : agreement_messages(test.group), "messages");
        }
    }
}

// Blocks and an agreement in one epoch. The exchange goes on or not, as the ranks agree; one rank may not
// take part; and none of it disturbs the exchange after it. Blocks that go in streams are among them.
void check_exchange_ahead(Test& test) {
    test.take_one_node();
    if (test.window() == nullptr || !agrees_in_window(3, test.group, test.window())) return;
    std::uint64_t turn = 0;
    for (const Case& c : cases_of(test, Collective::alltoallv)) {
        const Sides sides = sides_of(test, Collective::alltoallv, c);
        for (const char* const kind : {"goes on", "does not go on", "one rank takes no part"}) {
            test.failures.set_place(std::string("exchange ahead, ") + c.name + ", " + kind);
            std::vector<std::byte> received = sides.untouched;
            const Exchange exchange{test.group,      sides.sent.data(), sides.send.blocks,
                                    received.data(), sides.recv.blocks, sides.max_block};
            const bool is_odd = ++turn % static_cast<std::uint64_t>(test.group.size) ==
                                static_cast<std::uint64_t>(test.group.rank);
            const bool takes_part = kind[0] != 'o' || !is_odd;
            std::vector<std::uint64_t> numbers(3), expected(3);
            for (std::size_t i = 0; i < numbers.size(); ++i)
                numbers[i] = mixed(turn, static_cast<std::uint64_t>(test.group.rank), i) / 2;
            PMPI_Allreduce(numbers.data(), expected.data(), 3, MPI_UINT64_T, MPI_MAX, test.oracle);
            test.failures.check(test.window()->begin(takes_part ? &exchange : nullptr, numbers).ok(),
                                "status of the begin");
            test.failures.check(numbers == expected, "a number is not the largest");
            test.failures.check(are_same(received, sides.untouched), "a block came too early");
            if (kind[0] != 'g') continue;
            test.failures.check(test.window()->finish(exchange).ok(), "status of the end");
            compare(test, sides, received);
        }
        std::vector<std::byte> received = sides.untouched;
        const Exchange exchange{test.group,      sides.sent.data(), sides.send.blocks,
                                received.data(), sides.recv.blocks, sides.max_block};
        test.failures.check(test.window()->exchange(exchange).ok(), "status of the exchange after it");
        compare(test, sides, received);
    }
}

// Blocks of 20 bytes whose receiver expects 33: they come, and the bytes behind them stay.
// `right`: the sides where the counts match.
void check_received_less(Test& test, const Sides& right, const Sides& sides,
                         const std::vector<std::byte>& received) {
    const auto at = [](const std::vector<std::byte>& bytes, std::size_t place) {
        return bytes.begin() + static_cast<std::ptrdiff_t>(place);
    };
    for (std::size_t source = 0; source < sides.recv.blocks.size(); ++source) {
        const auto [offset, size] = sides.recv.blocks[source];
        if (size != 33) continue;
        test.failures.check(std::equal(at(received, offset + 20), at(received, offset + 33),
                                       at(sides.untouched, offset + 20)),
                            "bytes behind a short block were changed");
        test.failures.check(std::equal(at(received, offset), at(received, offset + 20),
                                       at(right.expected, right.recv.blocks[source].offset)),
                            "a short block is wrong");
    }
}

// An application whose counts do not match is wrong, but it must not get bytes beside its blocks. Here some
// sources send more bytes than expected, others fewer. The contents of the blocks are not checked.
void check_wrong_counts(Test& test, Collective collective) {
    const Case c{"20 bytes", [](int, int) { return std::size_t{20}; }, Layout::gaps, true};
    const Sides right = sides_of(test, collective, c);
    Sides sides = right;
    std::vector<std::size_t> wrong;
    bool is_sent_more = false;
    for (int source = 0; source < test.group.size; ++source) {
        wrong.push_back(source == test.group.rank ? 20 : source % 2 == 0 ? 33 : 12);
        is_sent_more = is_sent_more || wrong.back() < 20;
    }
    sides.recv = place(wrong, Layout::gaps, 5);
    sides.untouched = filled(sides.recv.bytes, 5);
    Wire wire(test.group);
    PMPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN); // MPICH calls this handler when a wait fails
    for_each_choice(test, collective, [&](const Traits& traits, const Parameters& parameters) {
        if (!traits.has(agreed_block) && !traits.has(shared_memory)) {
            return; // MPI receives directly into the blocks and checks them
        }
        test.failures.set_place(described(traits, parameters) + ", wrong counts");
        Workspace workspace;
        workspace.reserve(scratch_of(*test.group.node_map, traits, sides.scratch_block, parameters));
        std::vector<std::byte> received = sides.untouched;
        const Exchange exchange{test.group,      sides.sent.data(), sides.send.blocks,
                                received.data(), sides.recv.blocks, sides.max_block};
        const auto schedule = algorithm_of(traits).prepared(test.group, parameters);
        Context context{parameters, workspace, wire, test.window(), schedule.get()};
        const Status status = algorithm_of(traits).run(exchange, context);
        test.failures.check(wire.is_idle() && wire.second_channel().is_idle(),
                            "something is still under way");
        // These algorithms send no sizes, or only inside a node, unless some blocks go directly.
        const bool sends_sizes = !traits.name.starts_with("padded") && !traits.has(knows_nodes);
        const bool has_direct = sends_directly(parameters);
        if (is_sent_more && (sends_sizes || has_direct)) test.failures.check(!status.ok(), "no error");
        if (has_direct) check_received_less(test, right, sides, received);
        for (const Block& block : sides.recv.blocks) {
            std::copy_n(sides.untouched.begin() + static_cast<std::ptrdiff_t>(block.offset), block.size,
                        received.begin() + static_cast<std::ptrdiff_t>(block.offset));
        }
        test.failures.check(are_same(received, sides.untouched), "bytes beside the blocks were changed");
        PMPI_Barrier(test.oracle);
    });
    PMPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
}

// two_phase_bruck sends on each rank the same messages as tuna with the paper's settings in base 2.
void check_two_phase_is_tuna(Test& test) {
    const Traits& two_phase = *find(Collective::alltoallv, "two_phase_bruck");
    const Traits& tuna = *find(Collective::alltoallv, "tuna");
    Parameters parameters;
    parameters[Parameter::radix] = 2;
    parameters[Parameter::metadata] = static_cast<std::int64_t>(Metadata::separate);
    parameters[Parameter::in_flight] = 1;
    Wire wire(test.group);
    Workspace workspace;
    for (const Case& c : cases_of(test, Collective::alltoallv)) {
        const Sides sides = sides_of(test, Collective::alltoallv, c);
        test.failures.set_place("two_phase_bruck and tuna, " + c.name);
        run_one(test, tuna, parameters, c, sides, workspace, wire);
        const Traffic expected = wire.traffic();
        run_one(test, two_phase, parameters, c, sides, workspace, wire);
        test.failures.check_equal(wire.traffic().messages, expected.messages, "messages");
        test.failures.check_equal(wire.traffic().bytes, expected.bytes, "bytes");
        test.failures.check_equal(wire.traffic().rounds, expected.rounds, "rounds");
    }
}

// Every placement on nodes with all kinds of regions inside them, for algorithms that use regions.
void check_regions(Test& test) {
    Wire wire(test.group);
    Workspace workspace;
    for (const Traits& traits : all_traits()) {
        if (!traits.takes(Parameter::levels)) continue;
        const Case c = traits_of(traits.collective).has_count_arrays()
                           ? ragged_cases(test.group.size, test.reduced).front()
                           : uniform_cases(test.reduced)[1];
        const Sides sides = sides_of(test, traits.collective, c);
        for (const Parameters& parameters : combinations(traits, test.group.size, test.reduced)) {
            if (does_as_messages(parameters, test)) continue;
            for (std::size_t map = 0; map < test.maps.size(); ++map) {
                for (std::size_t kind = 0; kind < region_kinds.size(); ++kind) {
                    test.take_map(map, kind);
                    test.failures.set_place(described(traits, parameters) + ", " + c.name + ", " +
                                            test.map_name());
                    run_one(test, traits, parameters, c, sides, workspace, wire);
                }
            }
        }
    }
}

Report report_to(Failures& failures) {
    return [&failures](bool good, const std::string& place, const std::string& what) {
        failures.set_place(place);
        failures.check(good, what);
    };
}

// One buffer for both sides, for algorithms that take overlap.
void check_overlaps(Test& test) {
    for (const Traits& traits : all_traits()) {
        if (!traits.has(takes_overlap) || is_too_much_to_simulate(traits, test)) continue;
        check_overlap(traits, test.group, test.oracle, test.reduced, report_to(test.failures));
    }
}

// ---- The wire and the workspace by themselves -----------------------------------------------------------

void check_wire(Test& test) {
    Failures& failures = test.failures;
    const Group& group = test.group;
    failures.set_place("wire");
    constexpr std::size_t bytes = 1000;
    const auto up = static_cast<std::uint64_t>(group.up(1 % group.size));
    for (auto [limit, messages] :
         {std::pair{std::size_t{64}, 16U}, {std::size_t{1000}, 1U}, {std::size_t{999}, 2U}}) {
        Wire wire(group, limit);
        const auto out = filled(bytes, static_cast<std::uint64_t>(group.rank));
        auto in = filled(bytes, 99);
        failures.check(wire.exchange(group.down(1 % group.size), out.data(), bytes, static_cast<int>(up),
                                     in.data(), bytes)
                           .ok(),
                       "exchange");
        failures.check(in == filled(bytes, up), "contents");
        failures.check_equal(wire.traffic().messages, messages, "messages");
        failures.check_equal(wire.traffic().bytes, bytes, "bytes");
        failures.check_equal(wire.traffic().rounds, 1, "rounds");
        failures.check(wire.exchange(0, nullptr, 0, 0, nullptr, 0).ok(), "empty exchange");
        failures.check_equal(wire.traffic().messages, messages, "messages after an empty exchange");
        failures.check_equal(wire.traffic().rounds, 1, "rounds after an empty exchange");
        wire.reset();
        failures.check_equal(wire.traffic().bytes, 0, "bytes after reset");
    }
}

// Parts on one side, and parts or contiguous bytes on the other side, are the same bytes in the same
// messages.
void check_wire_parts(Test& test) {
    Failures& failures = test.failures;
    const Group& group = test.group;
    constexpr std::size_t bytes = 300;
    const int up = group.up(1 % group.size), down = group.down(1 % group.size);
    for (std::size_t limit : {Wire::largest_message, std::size_t{300}, std::size_t{64}, std::size_t{1}}) {
        failures.set_place("wire, parts, limit " + std::to_string(limit));
        Wire wire(group, limit);
        auto out = filled(bytes, static_cast<std::uint64_t>(group.rank));
        const auto from_up = filled(bytes, static_cast<std::uint64_t>(up));
        const Part backwards[] = {
            {out.data() + 100, 200}, {out.data(), 0}, {out.data() + 3, 97}, {out.data(), 3}};
        std::vector<std::byte> expected(from_up.begin() + 100, from_up.end());
        expected.insert(expected.end(), from_up.begin() + 3, from_up.begin() + 100);
        expected.insert(expected.end(), from_up.begin(), from_up.begin() + 3);

        std::vector<std::byte> in(bytes);
        wire.receive(up, in.data(), bytes);
        wire.send_parts(down, backwards);
        failures.check(wire.wait_all().ok() && in == expected, "parts into contiguous bytes");
        failures.check_equal(wire.traffic().messages, (bytes + limit - 1) / limit, "messages");
        failures.check_equal(wire.traffic().bytes, bytes, "bytes");

        std::vector<std::byte> scattered(bytes + 10, std::byte{7});
        const Part apart[] = {{scattered.data() + 200, 110}, {scattered.data() + 5, 190}};
        wire.receive_parts(up, apart);
        wire.send(down, out.data(), bytes);
        failures.check(wire.wait_all().ok(), "contiguous bytes into parts");
        failures.check(std::equal(from_up.begin(), from_up.begin() + 110, scattered.begin() + 200) &&
                           std::equal(from_up.begin() + 110, from_up.end(), scattered.begin() + 5),
                       "contents");
        failures.check(scattered[4] == std::byte{7} && scattered[195] == std::byte{7}, "between the parts");
        wire.receive_parts(up, {});
        wire.send_parts(down, {});
        failures.check(wire.is_idle() && wire.wait_all().ok(), "no parts");
    }
}

// Every transfer is reported once, when its last message is over.
void check_wire_any(Test& test) {
    Failures& failures = test.failures;
    const Group& group = test.group;
    const int partners = std::min(group.size, 16); // the simulator's time grows with their cube
    for (const bool tests : {false, true}) {
        for (std::size_t limit : {std::size_t{100}, std::size_t{30}}) {
            failures.set_place(std::string(tests ? "test_any" : "wait_any") + ", limit " +
                               std::to_string(limit));
            Wire wire(group, limit);
            failures.check(!wire.wait_any() && !wire.test_any(), "nothing under way");
            std::vector<std::vector<std::byte>> in(static_cast<std::size_t>(group.size));
            const auto out = filled(100, static_cast<std::uint64_t>(group.rank));
            for (int distance = 0; distance < partners; ++distance) {
                auto& place = in[static_cast<std::size_t>(distance)];
                place.resize(100);
                wire.receive(group.down(distance), place.data(), place.size());
                wire.send(group.up(distance), out.data(), out.size());
            }
            std::vector<int> landed(2 * static_cast<std::size_t>(group.size), 0);
            while (!wire.is_idle()) {
                const auto one = tests ? wire.test_any() : wire.wait_any();
                if (one) ++landed[2 * static_cast<std::size_t>(one->peer) + (one->sent ? 1 : 0)];
            }
            failures.check(std::ranges::count(landed, 1) == 2 * partners, "each transfer once");
            failures.check(wire.wait_all().ok(), "no error");
            failures.check_equal(wire.traffic().rounds, 2 * static_cast<std::uint64_t>(partners), "rounds");
            for (int distance = 0; distance < partners; ++distance) {
                failures.check(in[static_cast<std::size_t>(distance)] ==
                                   filled(100, static_cast<std::uint64_t>(group.down(distance))),
                               "contents");
            }
        }
    }
}

// The two channels of a wire do not meet, and count together. A receive without a message can be cancelled.
void check_second_channel(Test& test) {
    Failures& failures = test.failures;
    const Group& group = test.group;
    failures.set_place("second channel");
    Wire wire(group, 100);
    Wire& second = wire.take_second_channel();
    const int up = group.up(1 % group.size), down = group.down(1 % group.size);
    const auto out = filled(250, static_cast<std::uint64_t>(group.rank)), short_out = filled(60, 7);
    auto in = filled(250, 99), short_in = filled(60, 99);
    second.receive(up, in.data(), in.size());
    second.send(down, out.data(), out.size());
    failures.check(wire.exchange(down, short_out.data(), 60, up, short_in.data(), 60).ok(), "exchange");
    failures.check(short_in == filled(60, 7), "contents");
    second.wait_for_sends();
    failures.check_equal(second.under_way(), 3, "receives under way");
    failures.check(second.wait_all().ok() && in == filled(250, static_cast<std::uint64_t>(up)),
                   "contents of the second channel");
    failures.check_equal(wire.traffic().messages, 4, "messages");
    failures.check_equal(wire.traffic().bytes, 310, "bytes");
    failures.check_equal(wire.traffic().rounds, 3, "rounds");
    failures.check_equal(wire.traffic().most_under_way, 8, "most under way");

    failures.set_place("wire, cancel");
    auto untouched = filled(250, 5);
    second.receive(up, untouched.data(), untouched.size());
    second.cancel_receive(up);
    failures.check(second.wait_all().ok(), "no error");
    failures.check(untouched == filled(250, 5), "nothing arrived");
    wire.take_second_channel();
    second.receive(up, in.data(), 100);
    second.send(down, short_out.data(), 60);
    failures.check(second.wait_all().ok() && std::equal(short_out.begin(), short_out.end(), in.begin()),
                   "the next message");
    PMPI_Barrier(test.oracle);
}

void check_wire_alltoall(Test& test) {
    Failures& failures = test.failures;
    const auto ranks = static_cast<std::size_t>(test.group.size);
    const auto rank = static_cast<std::size_t>(test.group.rank);
    failures.set_place("wire, alltoall");
    constexpr std::size_t block = 13;
    Wire wire(test.group, 5); // the limit does not count for MPI's own collective
    auto out = filled(block * ranks, rank);
    std::vector<std::byte> in(block * ranks);
    failures.check(wire.alltoall(out.data(), in.data(), block).ok(), "status");
    for (std::size_t source = 0; source < ranks; ++source) {
        const auto theirs = filled(block * ranks, source);
        failures.check(std::equal(theirs.begin() + static_cast<std::ptrdiff_t>(rank * block),
                                  theirs.begin() + static_cast<std::ptrdiff_t>((rank + 1) * block),
                                  in.begin() + static_cast<std::ptrdiff_t>(source * block)),
                       "contents");
    }
    failures.check_equal(wire.traffic().messages, ranks - 1, "messages");
    failures.check_equal(wire.traffic().bytes, (ranks - 1) * block, "bytes");
    failures.check_equal(wire.traffic().rounds, ranks > 1 ? 1 : 0, "rounds");
    failures.check(wire.alltoall(nullptr, nullptr, 0).ok(), "nothing to exchange");
    failures.check_equal(wire.traffic().rounds, ranks > 1 ? 1 : 0, "rounds after that");
}

// A message that does not fit is an error code, once. The wire goes on working.
void check_wire_errors(Test& test) {
    Failures& failures = test.failures;
    Group group = test.group;
    group.node_map = nullptr; // neither a node map nor a carrier has a place for a rank that does not exist
    group.carrier = {};
    failures.set_place("wire, truncated");
    PMPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN); // MPICH calls this handler when a wait fails
    Wire wire(group);
    std::byte out[16] = {}, in[16] = {};
    const int down = group.down(1 % group.size);
    const int up = group.up(1 % group.size);
    const Status truncated = wire.exchange(down, out, 16, up, in, 8);
    int error_class = MPI_SUCCESS;
    PMPI_Error_class(mpi_code_of(truncated), &error_class);
    if (group.size > 1) { // Open MPI does not check a message of a rank to itself
        failures.check_equal(static_cast<std::uint64_t>(error_class), MPI_ERR_TRUNCATE, "error class");
    }
    failures.check(wire.exchange(down, out, 16, up, in, 16).ok(), "the next exchange");
    failures.set_place("wire, no such rank");
    wire.receive(up, in, 16);
    wire.send(group.size + 5, out, 16);
    wire.send(down, out, 16);
    failures.check(!wire.wait_all().ok(), "must be reported");
    failures.check(wire.wait_all().ok(), "reported once");
    PMPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
}

void check_workspace(Failures& failures) {
    failures.set_place("workspace");
    Workspace workspace;
    failures.check(workspace.reserve(0) && workspace.take(1).data() == nullptr, "an empty one gives nothing");
    failures.check(workspace.reserve(100), "reserve");
    failures.check_equal(workspace.capacity(), Workspace::rounded(100), "capacity");
    const auto first = workspace.take(10);
    const auto second = workspace.take_array<std::uint64_t>(5);
    failures.check(first.size() == 10 && second.size() == 5, "sizes");
    failures.check_equal(reinterpret_cast<std::uintptr_t>(second.data()) % Workspace::alignment, 0,
                         "alignment");
    failures.check_equal(workspace.taken(), 2 * Workspace::alignment, "taken");
    failures.check(!workspace.has(1) && workspace.take(1).data() == nullptr, "a full one gives nothing");
    failures.check(workspace.take(SIZE_MAX).data() == nullptr, "nor that much");
    failures.check(!workspace.reserve(SIZE_MAX), "no such memory");
    failures.check_equal(workspace.capacity(), Workspace::rounded(100), "capacity after that");
    failures.check(workspace.reserve(20) && workspace.taken() == 0, "reserving less forgets what was taken");
    failures.check(workspace.take(100).data() == first.data(), "and keeps the memory");
    for (const std::size_t bytes : {1U, 63U, 64U, 65U, 1000U, 4096U, 100'000U}) {
        Workspace other;
        failures.check(other.reserve(bytes), "reserve more");
        const auto all = other.take(other.capacity());
        failures.check_equal(reinterpret_cast<std::uintptr_t>(all.data()) % Workspace::alignment, 0,
                             "alignment of the first");
        std::ranges::fill(all, std::byte{1}); // for a sanitizer to look at
    }
}

// What files that know no MPI are handed, and what they hand back.
void check_types_of_mpi(Test& test) {
    test.failures.set_place("types of MPI");
    const auto check = [&](bool good, const char* what) { test.failures.check(good, what); };
    check(!comm_of(MPI_COMM_NULL) && mpi_of(Comm()) == MPI_COMM_NULL, "no communicator");
    for (const MPI_Comm comm : {MPI_COMM_WORLD, MPI_COMM_SELF, test.oracle})
        check(comm_of(comm) && mpi_of(comm_of(comm)) == comm, "a communicator");
    check(mpi_code_of(Status()) == MPI_SUCCESS && Status().ok(), "no error");
    check(mpi_code_of(Status(MPI_ERR_COUNT)) == MPI_ERR_COUNT, "an error of MPI");
    check(mpi_code_of(Fault::truncated) == MPI_ERR_TRUNCATE, "a block that is too large");
    check(mpi_code_of(Fault::no_memory) == MPI_ERR_NO_MEM, "no memory");
    check(mpi_code_of(Fault::unordered) == MPI_ERR_BUFFER, "blocks without an order");
    check(mpi_code_of(Fault::lost) == MPI_ERR_OTHER, "a lost rank");
    Status first = Fault::truncated;
    first.keep(Fault::lost);
    check(!first.ok() && mpi_code_of(first) == MPI_ERR_TRUNCATE, "the first of two errors");
}

constexpr int most_ranks_for_window_sizes = 5; // blocks of some MB for each other rank

MPI_Comm duplicate() {
    MPI_Comm comm = MPI_COMM_NULL;
    PMPI_Comm_dup(MPI_COMM_WORLD, &comm);
    PMPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
    return comm;
}

int conclude(const Test& test) {
    long mine[] = {test.failures.checks_, test.failures.failures_};
    long all[] = {0, 0};
    PMPI_Allreduce(mine, all, 2, MPI_LONG, MPI_SUM, test.oracle);
    if (test.group.rank == 0) {
        std::printf("%s: %ld checks on %d ranks, %ld failed\n", all[1] == 0 ? "passed" : "FAILED", all[0],
                    test.group.size, all[1]);
    }
    return all[1] == 0 ? 0 : 1;
}

// The messages travel on a communicator with the ranks in the opposite order.
struct Opposite {
    MPI_Comm comm = MPI_COMM_NULL;
    std::vector<int> ranks;

    explicit Opposite(const Group& group) {
        PMPI_Comm_split(mpi_of(group.comm), 0, group.size - group.rank, &comm);
        PMPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
        for (int rank = 0; rank < group.size; ++rank) ranks.push_back(group.size - 1 - rank);
    }
    Carrier carrier() const { return {comm_of(comm), 7, ranks.data()}; }
};

// Blocks larger than the window.
void exchange_large_blocks(Test& test, NodeWindow& window) {
    constexpr std::size_t bytes = 20000;
    const auto ranks = static_cast<std::size_t>(test.group.size);
    std::vector<std::byte> sent(ranks * bytes), received(ranks * bytes);
    for (int turn = 0; turn < 10; ++turn) {
        const auto value = [turn](int source, std::size_t at) {
            return static_cast<std::byte>(static_cast<std::size_t>(turn + source * 31) + at / 7);
        };
        for (std::size_t i = 0; i < sent.size(); ++i) sent[i] = value(test.group.rank, i);
        const auto status =
            window.exchange(EqualBlocks{reinterpret_cast<std::uintptr_t>(sent.data()), bytes},
                            EqualBlocks{reinterpret_cast<std::uintptr_t>(received.data()), bytes}, false);
        test.failures.check(status.ok(), "an error");
        bool right = true;
        for (std::size_t i = 0; i < received.size(); ++i)
            right =
                right && received[i] == value(static_cast<int>(i / bytes),
                                              static_cast<std::size_t>(test.group.rank) * bytes + i % bytes);
        test.failures.check(right, "wrong bytes by streams");
    }
}

// While other programs seem to have the cores.
void check_streams_read_by_cma(Test& test) {
    NodeWindow& window = *test.maps.front().window;
    window.take_traffic();
    exchange_large_blocks(test, window);
    // Beside real programs, messages.
    std::uint64_t read = window.cma_bytes() + window.take_traffic().bytes;
    PMPI_Allreduce(MPI_IN_PLACE, &read, 1, MPI_UINT64_T, MPI_SUM, test.oracle);
    test.failures.check(read > 0, "no block was read by CMA");
}
void check_streams_by_message(Test& test) {
    test.failures.set_place("large blocks by messages");
    test.take_map(1, 0);
    NodeWindow& window = *test.maps[1].window;
    window.take_traffic();
    exchange_large_blocks(test, window);
    const auto others = static_cast<std::uint64_t>(test.group.size - 1);
    test.failures.check_equal(window.take_traffic().messages, 10 * others, "messages");
}

// The last rank calls only after rank 0 has returned. It has nothing for rank 0, and with `is_expected`
// something for rank 1, which must take rank 0's block without it. Who waited for the last rank would hang.
void check_waits_for_senders_alone(Test& test, NodeWindow& window, std::size_t items, bool is_expected) {
    const int self = test.group.rank, last = test.group.size - 1;
    const auto ranks = static_cast<std::size_t>(test.group.size);
    std::vector<int> sends(ranks), receives(ranks), places(ranks);
    for (std::size_t rank = 0; rank < ranks; ++rank) places[rank] = static_cast<int>(rank * items);
    const int other = self == 0 ? 1 : 0;
    if (self <= 1)
        sends[static_cast<std::size_t>(other)] = receives[static_cast<std::size_t>(other)] =
            static_cast<int>(items);
    if (is_expected && self == 1) receives.back() = 1;
    if (is_expected && self == last) sends[1] = 1;
    for (int turn = 0; turn < 3; ++turn) {
        std::vector<int> sent(ranks * items, 10 * turn + self), received(ranks * items, -1),
            expected = received;
        const auto expect = [&](int source) {
            const auto rank = static_cast<std::size_t>(source);
            std::fill_n(expected.begin() + places[rank], receives[rank], 10 * turn + source);
        };
        for (int source = 0; source <= last; ++source) expect(source);
        const auto side = [&](std::vector<int>& blocks, const std::vector<int>& counts) {
            return CountedBlocks{reinterpret_cast<std::uintptr_t>(blocks.data()), counts.data(),
                                 places.data(), sizeof(int)};
        };
        if (self == last) PMPI_Recv(nullptr, 0, MPI_INT, 0, turn, test.oracle, MPI_STATUS_IGNORE);
        test.failures.check(window.exchange(side(sent, sends), side(received, receives), false).ok(),
                            "an error");
        if (self == 0) PMPI_Send(nullptr, 0, MPI_INT, last, turn, test.oracle);
        test.failures.check(received == expected, "wrong items");
    }
}

void check_waits_for_senders_alone(Test& test) {
    for (std::size_t map = 0; map < test.maps.size(); ++map) {
        test.take_map(map, 0);
        NamedMap& named = test.maps[map];
        if (named.map.nodes() > 1 || !named.window || simulation::is_on) continue;
        // A message would wait for its receiver.
        if (named.load == NamedMap::Load::others_on_shared_cores) continue;
        for (const std::size_t items : {1, 16384, 300'000})
            for (const bool is_expected : {false, true}) {
                test.failures.set_place(named.name + ", waits for senders alone, " + std::to_string(items) +
                                        (is_expected ? " items, one expected" : " items"));
                check_waits_for_senders_alone(test, *named.window, items, is_expected);
            }
    }
}

// A rank sends blocks to a rank that expects nothing: it may not hang, and the next exchange is right.
void check_sent_in_vain(Test& test) {
    for (std::size_t map = 0; map < test.maps.size(); ++map) {
        test.take_map(map, 0);
        NamedMap& named = test.maps[map];
        if (named.map.nodes() > 1 || !named.window || simulation::is_on) continue;
        test.failures.set_place(named.name + ", sent in vain");
        const auto ranks = static_cast<std::size_t>(test.group.size);
        for (const int bytes : {8, 20000, 70000}) {
            std::vector<std::byte> sent(static_cast<std::size_t>(bytes)), nothing(1);
            std::vector<int> counts(ranks), none(ranks), places(ranks);
            if (test.group.rank == 0) counts[1] = bytes;
            (void)named.window->exchange(
                CountedBlocks{reinterpret_cast<std::uintptr_t>(sent.data()), counts.data(), places.data(), 1},
                CountedBlocks{reinterpret_cast<std::uintptr_t>(nothing.data()), none.data(), places.data(),
                              1},
                false);
            test.failures.check(nothing.front() == std::byte{0}, "bytes that nobody expects");
            exchange_large_blocks(test, *named.window);
        }
    }
}

// Large blocks read from their writers' own memory, where the system allows it.
void check_reading_by_cma(Test& test) {
    struct Own {
        std::uint64_t proof;
        std::array<std::byte, 1000> data;
    };
    Own own;
    own.proof = static_cast<std::uint64_t>(test.group.rank) + 1;
    own.data.fill(static_cast<std::byte>(test.group.rank));
    struct Place {
        std::uint64_t proof, data;
        std::int64_t process;
    };
    const Place place{reinterpret_cast<std::uint64_t>(&own.proof),
                      reinterpret_cast<std::uint64_t>(own.data.data()), getpid()};
    std::vector<Place> places(static_cast<std::size_t>(test.group.size));
    PMPI_Allgather(&place, sizeof place, MPI_BYTE, places.data(), sizeof place, MPI_BYTE, test.oracle);
    test.failures.set_place("reading by CMA");
    const int source = (test.group.rank + 1) % test.group.size;
    const Place& there = places[static_cast<std::size_t>(source)];
    std::array<std::byte, 1002> found{};
    NeighbourMemory neighbour(static_cast<pid_t>(there.process), static_cast<std::uint64_t>(source) + 1);
    if (neighbour.read(&found[1], there.data, own.data.size(), there.proof)) {
        test.failures.check(std::ranges::count(found, static_cast<std::byte>(source)) >= 1000, "wrong bytes");
        test.failures.check(found.front() == std::byte{0} && found.back() == std::byte{0},
                            "bytes beside them");
        test.failures.check(!neighbour.read(&found[1], there.data, 8, there.proof + 8),
                            "another's proof is right");
        test.failures.check(!neighbour.can_be_read(), "a failure is forgotten");
        if (!simulation::is_on && test.group.size > 1) check_streams_read_by_cma(test);
    }
    PMPI_Barrier(test.oracle);
}

} // namespace

int main(int argc, char** argv) {
    MPI_Init(&argc, &argv);
    MPI_Comm comm = duplicate();
    Test test{.group = {.comm = comm_of(comm)},
              .oracle = duplicate(),
              .only = {},
              .failures = {},
              .maps = {},
              .regions = {}};
    PMPI_Comm_rank(comm, &test.group.rank);
    PMPI_Comm_size(comm, &test.group.size);
    Opposite opposite(test.group);
    test.group.carrier = opposite.carrier();
    test.failures.rank_ = test.group.rank;
    test.maps = all_maps(test.group.size);
    test.make_windows();
    test.take_map(0, 0);
    test.sampled = argc > 1 && std::string_view(argv[1]) == "--sampled";
    test.reduced = test.sampled || (argc > 1 && std::string_view(argv[1]) == "--reduced");
    if (argc > 2) test.only = argv[2];

    check_workspace(test.failures);
    check_types_of_mpi(test);
    check_small_messages(test.oracle, report_to(test.failures));
    check_wire(test);
    check_wire_parts(test);
    check_wire_any(test);
    check_second_channel(test);
    check_wire_alltoall(test);
    check_wire_errors(test);
    for (std::size_t map = 0; map < test.maps.size(); ++map) {
        test.take_map(map, 0);
        check_agreement(test);
    }
    check_exchange_ahead(test);
    test.take_map(0, 0);
    for (const CollectiveTraits& traits : all_collectives) {
        const Collective collective = traits.collective;
        check_against_oracle(test, collective);
        if (!test.sampled) {
            check_workspace_reuse(test, collective);
            check_small_limit(test, collective);
        }
        check_no_workspace(test, collective);
    }
    if (!is_large_simulation(test)) {
        check_two_phase_is_tuna(test);
        for (const CollectiveTraits& traits : all_collectives)
            if (traits.has_count_arrays()) check_wrong_counts(test, traits.collective);
        check_regions(test);
    }
    check_overlaps(test);

    if (test.group.size > 2) check_waits_for_senders_alone(test);
    if (test.group.size > 1) check_sent_in_vain(test);
    test.take_map(0, 0);
    check_reading_by_cma(test);
    if (!simulation::is_on && !test.sampled && test.group.size <= most_ranks_for_window_sizes)
        check_window_sizes(test.group, test.oracle, report_to(test.failures));
    if (!simulation::is_on && test.group.size > 1) check_streams_by_message(test);

    const int result = conclude(test);
    test.free_windows();
    PMPI_Comm_free(&opposite.comm);
    PMPI_Comm_free(&comm);
    PMPI_Comm_free(&test.oracle);
    MPI_Finalize();
    return result;
}
