#include "calibrate.hpp"

#include "algorithms/transport/messages/copy.hpp"
#include "algorithms/transport/messages/mpi_types.hpp"
#include "participants.hpp"
#include "progress.hpp"
#include "statistics.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numeric>
#include <random>

namespace switchyard::bench {

namespace {

using algorithms::Group;
using algorithms::NodeMap;
using Members = std::vector<int>; // ranks of the group

constexpr int repetitions = 9;

// A message of this size stands for an empty one. MPI libraries may take a short cut for no bytes at all.
constexpr std::size_t small_bytes = 8;

// Sizes of large messages. An MPI library may do best with the smaller ones, which stay in the caches, or
// with the largest.
constexpr std::array<std::size_t, 3> large_bytes = {std::size_t{1} << 17, std::size_t{1} << 20,
                                                    std::size_t{1} << 22};
constexpr std::size_t usual_large_bytes = large_bytes[1];

// What a rank has under way in each direction: enough for any network, and more than its share of the caches.
constexpr std::size_t bytes_under_way = std::size_t{1} << 23;

// Partners of the rank whose overhead is measured.
constexpr int most_partners = 16;

// The ranks of one measurement, in the order of their list. The first is the group's rank 0.
class Team {
  public:
    // Collective over the group.
    Team(const Group& group, const Members& members) {
        const auto place = std::ranges::find(members, group.rank);
        PMPI_Comm_split(mpi_of(group.comm), place == members.end() ? MPI_UNDEFINED : 0,
                        static_cast<int>(place - members.begin()), &comm_);
        if (!has_me()) return;
        PMPI_Comm_rank(comm_, &rank_);
        PMPI_Comm_size(comm_, &size_);
    }
    ~Team() {
        if (has_me()) PMPI_Comm_free(&comm_);
    }
    Team(const Team&) = delete;
    Team& operator=(const Team&) = delete;

    bool has_me() const { return comm_ != MPI_COMM_NULL; }
    MPI_Comm comm() const { return comm_; }
    int rank() const { return rank_; }
    int size() const { return size_; }

    // Microseconds of the slowest rank, from a barrier to its return. The same on all ranks of the team.
    template <typename Work>
    double slowest_us(Work&& work) const {
        PMPI_Barrier(comm_);
        const double begin = PMPI_Wtime();
        work();
        const double mine = (PMPI_Wtime() - begin) * 1e6;
        double slowest = 0;
        PMPI_Allreduce(&mine, &slowest, 1, MPI_DOUBLE, MPI_MAX, comm_);
        return slowest;
    }

  private:
    MPI_Comm comm_ = MPI_COMM_NULL;
    int rank_ = 0, size_ = 0;
};

// ---- Latency and overhead ----

// Between two ranks, in microseconds: the message's way and the overheads of both sides.
double half_round_trip_us(const Team& team) {
    constexpr int warmup = 10, round_trips = 100;
    std::array<std::byte, small_bytes> bytes{};
    const auto go = [&](int times) {
        for (int i = 0; i < 2 * times; ++i)
            if (i % 2 == team.rank())
                PMPI_Send(bytes.data(), small_bytes, MPI_BYTE, 1 - team.rank(), 0, team.comm());
            else
                PMPI_Recv(bytes.data(), small_bytes, MPI_BYTE, 1 - team.rank(), 0, team.comm(),
                          MPI_STATUS_IGNORE);
    };
    go(warmup);
    return team.slowest_us([&] { go(round_trips); }) / (2 * round_trips);
}

// The first rank sends `messages_each` messages to each other rank and gets as many, all under way at once.
void exchange_with_first(const Team& team, int messages_each) {
    std::vector<int> peers(team.rank() == 0 ? static_cast<std::size_t>(team.size() - 1) : 1);
    std::iota(peers.begin(), peers.end(), team.rank() == 0 ? 1 : 0);
    const std::size_t messages = peers.size() * static_cast<std::size_t>(messages_each);
    std::vector<std::array<std::byte, small_bytes>> received(messages), sent(messages);
    std::vector<MPI_Request> requests(2 * messages);
    for (std::size_t i = 0; i < messages; ++i)
        PMPI_Irecv(received[i].data(), small_bytes, MPI_BYTE, peers[i % peers.size()], 0, team.comm(),
                   &requests[i]);
    for (std::size_t i = 0; i < messages; ++i)
        PMPI_Isend(sent[i].data(), small_bytes, MPI_BYTE, peers[i % peers.size()], 0, team.comm(),
                   &requests[messages + i]);
    PMPI_Waitall(static_cast<int>(requests.size()), requests.data(), MPI_STATUSES_IGNORE);
}

// Microseconds. The first rank is busy with the messages of all other ranks. In a longer exchange it sends
// and receives more messages, each at the cost of one overhead; latency and barrier take as long as in a
// shorter exchange.
double overhead_us(const Team& team) {
    constexpr int exchanges = 15, few = 32, many = few + 256;
    const int partners = team.size() - 1, few_each = std::max(1, few / partners),
              many_each = std::max(few_each + 1, many / partners);
    exchange_with_first(team, many_each);
    std::vector<double> short_us, long_us;
    for (int i = 0; i < exchanges; ++i) {
        short_us.push_back(team.slowest_us([&] { exchange_with_first(team, few_each); }));
        long_us.push_back(team.slowest_us([&] { exchange_with_first(team, many_each); }));
    }
    const double longer_us = median(std::move(long_us)) - median(std::move(short_us));
    return std::max(0.0, longer_us / (2 * partners * (many_each - few_each)));
}

// ---- Bandwidth ----

// What a rank of a team does with large messages.
struct Traffic {
    std::vector<int> to, from; // its peers, in turn: ranks of the team
    std::size_t bytes;         // of a message
    std::size_t at_once;       // messages under way in each direction
};

// The first half of the team sends to the second half, over a network: as many messages at
// once as fit into the memory.
Traffic to_other_half(const Team& team, std::size_t bytes) {
    const int half = team.size() / 2;
    const std::size_t at_once = bytes_under_way / bytes;
    if (team.rank() < half) return {{team.rank() + half}, {}, bytes, at_once};
    return {{}, {team.rank() - half}, bytes, at_once};
}

// The same between two ranks of a node. A core moves one message after the other, so one at a time is enough.
// SimGrid would give each of several messages the bandwidth of the pair: its ranks of a node share nothing.
Traffic to_neighbour(const Team& team, std::size_t bytes) {
    Traffic traffic = to_other_half(team, bytes);
    traffic.at_once = 1;
    return traffic;
}

// Everybody sends to everybody, one message to each at once.
Traffic to_all(const Team& team, std::size_t bytes) {
    Traffic traffic;
    for (int distance = 1; distance < team.size(); ++distance) {
        traffic.to.push_back((team.rank() + distance) % team.size());
        traffic.from.push_back((team.rank() + team.size() - distance) % team.size());
    }
    traffic.at_once = traffic.to.size();
    traffic.bytes = std::min(bytes, bytes_under_way / traffic.at_once);
    return traffic;
}

// Memory of one rank's large messages. It is allocated at the first use, and kept: a NIC
// may have to register it.
class LargeMessages {
  public:
    // The rate of all messages of the team together.
    double bytes_per_us(const Team& team, const Traffic& traffic) {
        constexpr double wanted_us = 10000;
        constexpr int fewest = 4;
        pass(team, traffic, 1); // makes the connections
        const double once_us = team.slowest_us([&] { pass(team, traffic, 1); });
        const double most = std::max(fewest, static_cast<int>(4 * bytes_under_way / traffic.bytes));
        const int times = static_cast<int>(std::clamp<double>(wanted_us / once_us, fewest, most));
        const double us = team.slowest_us([&] { pass(team, traffic, times); });
        const double mine = static_cast<double>(traffic.to.size() * traffic.bytes) * times;
        double all = 0;
        PMPI_Allreduce(&mine, &all, 1, MPI_DOUBLE, MPI_SUM, team.comm());
        return all / us;
    }

  private:
    // Sends `times` messages to each peer in `traffic.to`, and receives as many from each in `traffic.from`.
    void pass(const Team& team, const Traffic& traffic, int times) {
        sent_.resize(bytes_under_way);
        received_.resize(bytes_under_way);
        const int count = static_cast<int>(traffic.bytes);
        const std::size_t peers = std::max(traffic.to.size(), traffic.from.size());
        std::vector<MPI_Request> sends(traffic.at_once, MPI_REQUEST_NULL), receives = sends;
        for (std::size_t i = 0; i < peers * static_cast<std::size_t>(times); ++i) {
            const std::size_t slot = i % traffic.at_once, at = slot * traffic.bytes;
            PMPI_Wait(&receives[slot], MPI_STATUS_IGNORE);
            if (!traffic.from.empty())
                PMPI_Irecv(received_.data() + at, count, MPI_BYTE, traffic.from[i % peers], 0, team.comm(),
                           &receives[slot]);
            PMPI_Wait(&sends[slot], MPI_STATUS_IGNORE);
            if (!traffic.to.empty())
                PMPI_Isend(sent_.data() + at, count, MPI_BYTE, traffic.to[i % peers], 0, team.comm(),
                           &sends[slot]);
        }
        PMPI_Waitall(static_cast<int>(receives.size()), receives.data(), MPI_STATUSES_IGNORE);
        PMPI_Waitall(static_cast<int>(sends.size()), sends.data(), MPI_STATUSES_IGNORE);
    }

    std::vector<std::byte> sent_, received_;
};

// ---- Packing ----

// Microseconds to copy one block, when blocks at random places are packed one behind the other. Both sides
// together fit into a second-level cache.
double copied_block_us(std::size_t bytes) {
    constexpr std::size_t all_bytes = std::size_t{1} << 18;
    constexpr int passes = 20;
    std::vector<algorithms::Block> blocks(all_bytes / bytes);
    for (std::size_t i = 0; i < blocks.size(); ++i) blocks[i] = {i * bytes, bytes};
    std::ranges::shuffle(blocks, std::mt19937_64(1));
    std::vector<std::byte> from(all_bytes), to(all_bytes);
    const auto pack = [&] {
        std::byte* end = to.data();
        for (const algorithms::Block& block : blocks) {
            algorithms::copy_bytes(end, from.data() + block.offset, block.size);
            end += block.size;
        }
        const volatile std::byte& last = to.back(); // else the compiler leaves the loop out
        [[maybe_unused]] const std::byte kept = last;
    };
    pack();
    algorithms::simulation::OwnTime simulated;
    simulated.pass();
    const double begin = PMPI_Wtime();
    for (int i = 0; i < passes; ++i) pack();
    simulated.pass();
    return (PMPI_Wtime() - begin) * 1e6 / (passes * static_cast<double>(blocks.size()));
}

// ---- All together ----

// The one of several equal choices that this repetition takes. So all repetitions together see many choices.
int choice_of(int repetition, int choices) {
    return choices <= repetitions ? repetition % choices : repetition * choices / repetitions;
}

// 1, 2, 4, ... and the largest.
std::vector<int> growing(int largest) {
    std::vector<int> numbers;
    for (int number = 1; number < largest; number *= 2) numbers.push_back(number);
    numbers.push_back(largest);
    return numbers;
}

const Estimate& larger(const Estimate& one, const Estimate& other) {
    return std::isnan(one.value) || other.value > one.value ? other : one;
}

class Calibration {
  public:
    Calibration(const Group& group, bool simulated)
        : group_(group), map_(*group.node_map), simulated_(simulated), pairs_(growing(map_.smallest())),
          progress_(group.rank == 0,
                    repetitions * static_cast<int>(2 * (2 + large_bytes.size()) + pairs_.size() + 2)) {}

    MachineFile measured() {
        MachineFile machine;
        machine.network = network();
        machine.node = node();
        machine.packing = packing();
        return machine;
    }

  private:
    using TrafficOf = Traffic (*)(const Team&, std::size_t bytes);

    // The first ranks of a node.
    Members some_of(int node, int count) const {
        const auto ranks = map_.ranks_of(node).first(static_cast<std::size_t>(count));
        return {ranks.begin(), ranks.end()};
    }
    Members with_first(Members others) const {
        others.insert(others.begin(), 0);
        return others;
    }
    int other_node(int repetition) const { return 1 + choice_of(repetition, map_.nodes() - 1); }

    // Calls `measure(team)` for each repetition, on a team with the members `members_of(repetition)`. The
    // other ranks sleep. The values are on rank 0.
    template <typename MembersOf, typename Measure>
    std::vector<double> repeated(const std::string& what, MembersOf&& members_of, Measure&& measure) {
        std::vector<double> values;
        for (int repetition = 0; repetition < repetitions; ++repetition) {
            progress_.step(what);
            {
                const Team team(group_, members_of(repetition));
                if (team.has_me()) values.push_back(measure(team));
            }
            sleep_until_all_come(mpi_of(group_.comm), simulated_);
        }
        return values;
    }

    // The costs between two ranks with this traffic, and the overhead of a first rank with many partners.
    template <typename PairOf, typename PartnersOf>
    Link link(const std::string& where, PairOf&& pair_of, TrafficOf traffic_of, PartnersOf&& partners_of) {
        Link link;
        link.overhead_us = estimate_of(repeated(where + ", overhead", partners_of, overhead_us));
        auto ways_us = repeated(where + ", latency", pair_of, half_round_trip_us);
        for (double& way_us : ways_us) way_us = std::max(0.0, way_us - 2 * link.overhead_us.value);
        link.latency_us = estimate_of(ways_us);
        for (const std::size_t bytes : large_bytes)
            link.pair_bytes_per_us =
                larger(link.pair_bytes_per_us, bandwidth(where + ", a pair", pair_of, traffic_of, bytes));
        return link;
    }

    template <typename MembersOf>
    Estimate bandwidth(const std::string& what, MembersOf&& members_of, TrafficOf traffic_of,
                       std::size_t bytes) {
        return estimate_of(repeated(what, members_of, [&](const Team& team) {
            return messages_.bytes_per_us(team, traffic_of(team, bytes));
        }));
    }

    // Between rank 0's node and other nodes in turn.
    Link network() {
        const auto pair_of = [&](int repetition) { return with_first(some_of(other_node(repetition), 1)); };
        const auto partners_of = [&](int repetition) {
            const int node = other_node(repetition);
            return with_first(some_of(node, std::min(map_.size_of(node), most_partners)));
        };
        Link network = link("network", pair_of, to_other_half, partners_of);
        network.total_bytes_per_us = network.pair_bytes_per_us;
        for (const int pairs : pairs_)
            network.total_bytes_per_us = larger(network.total_bytes_per_us, nic(pairs));
        return network;
    }

    Estimate nic(int pairs) {
        const auto members_of = [&](int repetition) {
            Members members = some_of(0, pairs);
            for (const int rank : some_of(other_node(repetition), pairs)) members.push_back(rank);
            return members;
        };
        return bandwidth("network, " + std::to_string(pairs) + " pairs", members_of, to_other_half,
                         usual_large_bytes);
    }

    // Among the ranks of rank 0's node.
    Link node() {
        const int ranks = map_.size_of(0);
        const auto pair_of = [&](int repetition) {
            return Members{0, map_.rank_of(0, 1 + choice_of(repetition, ranks - 1))};
        };
        const auto partners_of = [&](int) { return some_of(0, std::min(ranks, 1 + most_partners)); };
        const auto all = [&](int) { return some_of(0, ranks); };
        Link node = link("node", pair_of, to_neighbour, partners_of);
        node.total_bytes_per_us = bandwidth("node, all ranks", all, to_all, usual_large_bytes);
        return node;
    }

    // Only rank 0 measures. A block takes a time of its own and a time for each of its bytes; blocks of two
    // sizes tell both.
    Packing packing() {
        constexpr std::size_t small = 16, medium = 4096;
        std::vector<double> blocks_us;
        const auto rates = repeated(
            "packing", [](int) { return Members{0}; },
            [&](const Team&) {
                const double small_us = copied_block_us(small), medium_us = copied_block_us(medium);
                const double us_per_byte = (medium_us - small_us) / (medium - small);
                blocks_us.push_back(std::max(0.0, small_us - small * us_per_byte));
                return us_per_byte > 0 ? 1 / us_per_byte : std::numeric_limits<double>::infinity();
            });
        return {estimate_of(blocks_us), estimate_of(rates)};
    }

    const Group& group_;
    const NodeMap& map_;
    const bool simulated_;
    const std::vector<int> pairs_;
    Progress progress_;
    LargeMessages messages_;
};

} // namespace

std::string why_not_calibrated(const NodeMap& map) {
    if (map.nodes() < 2)
        return "all ranks are on one node, so there is no network to measure: start on two nodes or more, or "
               "choose --ranks-per-node, and ranks of one host stand for several nodes";
    if (map.size_of(0) < 2)
        return "the first node has one rank, which shows nothing of the node's memory: start two ranks or "
               "more there";
    return "";
}

MachineFile calibrate(const Group& group, bool simulated) {
    return Calibration(group, simulated).measured();
}

} // namespace switchyard::bench
