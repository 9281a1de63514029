#include "formulas.hpp"

#include "algorithms/forwarding/node_aware_scratch.hpp"

#include <algorithm>
#include <vector>

namespace switchyard::tests {

using namespace algorithms;

namespace {

Traffic traffic(std::int64_t messages, std::uint64_t bytes, std::int64_t rounds) {
    return {static_cast<std::uint64_t>(messages), bytes, static_cast<std::uint32_t>(rounds)};
}

// The papers' counts of a Bruck exchange in base r: K rounds, D blocks, and the number of
// rounds with a single block.
struct Counts {
    std::int64_t rounds = 0, blocks = 0, single = 0;
};

// The digits that write the numbers below `numbers`, the lowest first.
struct Digit {
    std::int64_t weight, radix;
};

std::vector<Digit> digits_of(std::int64_t numbers, patterns::Radices radices) {
    std::vector<Digit> digits;
    for (std::int64_t weight = 1; weight < numbers; weight *= digits.back().radix)
        digits.push_back({weight, radices.at(digits.size())});
    return digits;
}

Counts counts_of(std::int64_t ranks, patterns::Radices radices) {
    Counts counts;
    for (const auto [weight, radix] : digits_of(ranks, radices)) {
        for (std::int64_t z = 1; z < radix && z * weight < ranks; ++z) {
            std::int64_t n = 0;
            for (std::int64_t i = 1; i < ranks; ++i) {
                n += i / weight % radix == z ? 1 : 0;
            }
            ++counts.rounds;
            counts.blocks += n;
            counts.single += n == 1 ? 1 : 0;
        }
    }
    return counts;
}

// The waits of a rank in one phase, where `in_flight` rounds of a digit share a wait.
std::int64_t waits(std::int64_t ranks, patterns::Radices radices, std::int64_t in_flight) {
    std::int64_t count = 0;
    for (const auto [weight, radix] : digits_of(ranks, radices)) {
        const std::int64_t rounds = std::min(radix - 1, (ranks - 1) / weight);
        count += (rounds + in_flight - 1) / in_flight;
    }
    return count;
}

std::uint64_t width_of(std::uint64_t value) {
    return value < 256 ? 1 : value < 65536 ? 2 : 4;
}

// What travels of a block among the forwarded ones.
struct Forwarded {
    std::uint64_t bytes; // with direct_from, none of a direct block
    std::uint64_t bound; // of any block
    bool is_sized;       // its size travels even where both ends know it
    bool is_alone;       // no size ever travels

    Forwarded(Collective collective, std::uint64_t block, const Parameters& parameters)
        : bytes(block), bound(block), is_sized(false), is_alone(collective == Collective::alltoall) {
        const std::int64_t direct_from = parameters[Parameter::direct_from];
        if (direct_from == absent) return;
        is_sized = true;
        bound = static_cast<std::uint64_t>(direct_from);
        if (block >= bound) bytes = 0;
    }
    std::uint64_t size_bytes() const { return is_alone ? 0 : width_of(bound); }
    std::uint64_t with_size(std::uint64_t of) const { return size_bytes() + of; }
    std::uint64_t to_its_end() const { return is_sized ? with_size(bytes) : bytes; }
};

Traffic tuna_traffic(int ranks, const Forwarded& block, const Parameters& parameters) {
    const patterns::Radices radices = parameters[Parameter::radix];
    const Counts counts = counts_of(ranks, radices);
    const std::int64_t phase =
        waits(ranks, radices, std::min<std::int64_t>(parameters[Parameter::in_flight], 512));
    const auto data = static_cast<std::uint64_t>(counts.blocks) * block.bytes;
    if (!block.is_alone && parameters[Parameter::metadata] == static_cast<std::int64_t>(Metadata::separate)) {
        const int messages = data > 0 ? 2 : 1; // of no bytes, none
        return traffic(messages * counts.rounds, data + static_cast<std::uint64_t>(counts.blocks) * 4,
                       messages * phase);
    }
    const auto with_sizes = static_cast<std::uint64_t>(counts.blocks - (block.is_sized ? 0 : counts.single));
    return traffic(counts.rounds, data + with_sizes * block.size_bytes(), phase);
}

// The shape of one exchange.
struct Shape {
    int ranks, rank;
    std::uint64_t block;
    const Parameters& parameters;

    std::int64_t others() const { return ranks - 1; }
    std::uint64_t direct() const { return static_cast<std::uint64_t>(others()) * block; } // each block once
    std::int64_t batches(std::int64_t size) const { return (others() + size - 1) / size; }
    std::int64_t stride() const {
        return std::min<std::int64_t>(parameters[Parameter::stride], Wire::largest_batch);
    }

    // Each block once, in that many rounds, with at most `pairs` pairs of a send and a receive at once.
    Traffic linear(std::int64_t rounds, std::int64_t pairs) const {
        Traffic result = traffic(others(), direct(), rounds);
        result.most_under_way = static_cast<std::uint32_t>(2 * std::min(pairs, others()));
        return result;
    }
};

// ---- Algorithms that know nodes, on any placement -------------------------------------------------------

// TuNA inside a node of q ranks, with bundles: each local rank gets one bundle from each other. The bundle
// for local rank c has the blocks for local ranks i of all nodes where i modulo q is c.
struct InNode {
    const NodeMap& map;
    int node, self, q;
    std::vector<Digit> digits;
    Forwarded block;
    bool near_by_copy; // no message inside the node

    InNode(const NodeMap& m, int rank, const Forwarded& b, const Parameters& parameters, bool by_copy)
        : map(m), node(m.node_of(rank)), self(m.local_rank(rank)), q(m.size_of(node)),
          digits(digits_of(q, parameters[Parameter::radix])), block(b), near_by_copy(by_copy) {}

    std::int64_t carried_on(int other, int carrier) const {
        return (map.size_of(other) - carrier + q - 1) / q;
    }
    std::int64_t carried(int carrier) const {
        std::int64_t count = 0;
        for (int other = 0; other < map.nodes(); ++other) count += carried_on(other, carrier);
        return count;
    }
    std::uint64_t bundle(std::int64_t blocks) const {
        return static_cast<std::uint64_t>(blocks) * block.with_size(block.bytes);
    }

    Traffic traffic_in_node() const {
        if (near_by_copy) return {};
        const auto most = static_cast<std::uint64_t>(map.nodes() * ((map.largest() + q - 1) / q));
        const std::uint64_t largest = most * block.with_size(block.bound);
        std::uint64_t bytes = 0;
        std::int64_t messages = 0, rounds = 0;
        for (const auto [weight, radix] : digits) {
            ++rounds; // the rounds of a digit are under way together
            for (std::int64_t z = 1; z < radix && z * weight < q; ++z) {
                ++messages;
                std::uint64_t moved = 0;
                for (std::int64_t offset = 1; offset < q; ++offset) {
                    if (offset / weight % radix != z) continue;
                    ++moved; // the bundle has already come down by its lower digits
                    const auto left = offset - offset % weight;
                    bytes += bundle(carried(static_cast<int>((self - left % q + q) % q)));
                }
                if (moved > 1) bytes += moved * width_of(largest);
            }
        }
        return traffic(messages, bytes, rounds);
    }

    // The ranks of that node that are destinations of this carrier, and all ranks of the node down the ring.
    std::int64_t destinations_at(int distance) const {
        return std::max<std::int64_t>(0, carried_on((node + distance) % map.nodes(), self));
    }
    std::int64_t sources_at(int distance) const {
        return map.size_of((node - distance + map.nodes()) % map.nodes());
    }
};

Traffic coalesced_traffic(const InNode& in_node, const Parameters& parameters) {
    Traffic all = in_node.traffic_in_node();
    const std::int64_t batch = std::min<std::int64_t>(parameters[Parameter::block_count], 512);
    const std::int64_t others = in_node.map.nodes() - 1;
    for (int distance = 1; distance <= others; ++distance)
        all.messages_inter += static_cast<std::uint64_t>(in_node.destinations_at(distance));
    all.bytes_inter = all.messages_inter * static_cast<std::uint64_t>(in_node.q) * in_node.block.to_its_end();
    all.messages += all.messages_inter;
    all.bytes += all.bytes_inter;
    all.rounds += static_cast<std::uint32_t>((others + batch - 1) / batch);
    return all;
}

Traffic staggered_traffic(const InNode& in_node, const Parameters& parameters) {
    Traffic all = in_node.traffic_in_node();
    const std::int64_t batch = std::min<std::int64_t>(parameters[Parameter::block_count], 512);
    const std::int64_t largest = in_node.map.largest();
    std::int64_t last_batch = -1;
    for (std::int64_t i = 0; i < (in_node.map.nodes() - 1) * largest; ++i) {
        const int distance = static_cast<int>(i / largest) + 1;
        const std::int64_t local = i % largest;
        const std::int64_t out = local < in_node.q ? in_node.destinations_at(distance) : 0;
        const bool waits = out > 0 || local < in_node.sources_at(distance);
        all.messages_inter += static_cast<std::uint64_t>(out);
        if (waits && i / batch != last_batch) ++all.rounds;
        if (waits) last_batch = i / batch;
    }
    all.bytes_inter = all.messages_inter * in_node.block.to_its_end();
    all.messages += all.messages_inter;
    all.bytes += all.bytes_inter;
    return all;
}

// Adds the messages of local rank `self` of q ranks while TuNA, with all rounds of a digit under way,
// exchanges bundles of size(source, destination) bytes. `most` is the declared largest size. A direct bundle
// of no bytes is no message.
template <typename Size>
void add_inner_tuna(Traffic& all, int q, int self, patterns::Radices radices, std::uint64_t most,
                    Size&& size) {
    for (const auto [weight, radix] : digits_of(q, radices)) {
        bool waits = false;
        for (std::int64_t z = 1; z < radix && z * weight < q; ++z) {
            std::uint64_t bytes = 0, moved = 0, arriving = 0;
            for (std::int64_t offset = 1; offset < q; ++offset) {
                if (offset / weight % radix != z) continue;
                ++moved;
                const auto source = static_cast<int>((self + offset % weight) % q);
                bytes += size(source, static_cast<int>((source - offset % q + q) % q));
                arriving += size(static_cast<int>((self + offset) % q), self);
            }
            if (moved > 1) bytes += moved * width_of(most);
            all.messages += bytes > 0 ? 1 : 0;
            all.bytes += bytes;
            waits = waits || bytes > 0 || moved > 1 || arriving > 0;
        }
        all.rounds += waits ? 1 : 0;
    }
}

// One message for each hop and lane between two nodes.
class NodeAwareFormula {
  public:
    NodeAwareFormula(const Group& group, const Forwarded& block, const Parameters& parameters,
                     bool near_by_copy)
        : map_(*group.node_map), nodes_(map_.nodes()), node_(map_.node_of(group.rank)),
          self_(map_.local_rank(group.rank)), q_(map_.size_of(node_)),
          digits_(digits_of(nodes_, parameters[Parameter::radix])),
          lanes_(static_cast<int>(std::clamp<std::int64_t>(
              parameters[Parameter::lanes] == 0 ? few_lanes_or_all() : parameters[Parameter::lanes], 1,
              map_.largest()))),
          unit_(block.with_size(block.bytes)), block_(block.to_its_end()),
          layout_(forwarding::NodeAwareShape({q_, nodes_, map_.largest()}, parameters),
                  {block.bound, block.size_bytes()}),
          parameters_(parameters), near_by_copy_(near_by_copy) {}

    // As many as ranks, unless few blocks for each message would be saved from being handed on.
    std::int64_t few_lanes_or_all() const {
        const int q = map_.largest();
        std::int64_t most = 1; // the most hops of one weight
        for (const auto [weight, radix] : digits_)
            most = std::max(most, std::min<std::int64_t>(radix, nodes_) - 1);
        return most <= 16 + nodes_ * q / 32 ? q : 16 * q / most;
    }

    Traffic traffic() const {
        Traffic all;
        add_inner(all, q_, self_, layout_.first_bytes, [&](int source, int destination) {
            std::uint64_t units = source != destination ? 1 : 0;
            for (int offset = 1; offset < nodes_; ++offset)
                for (int lane = 0; lane < lanes_; ++lane)
                    if (holder(offset, lane, 0) == destination) units += ranks_in(lane, node_ + offset);
            return units * unit_;
        });
        for (std::size_t x = 0; x < digits_.size(); ++x) {
            const auto [weight, radix] = digits_[x];
            bool hops = false;
            // With a lane for each rank the last hop ends at the destination, which knows the sizes.
            const bool is_last = x + 1 == digits_.size() && lanes_ >= map_.largest();
            for (std::int64_t z = 1; z < radix && z * weight < nodes_; ++z)
                for (int lane = 0; lane < lanes_; ++lane) {
                    if (charge_of(z, lane) != self_) continue;
                    std::uint64_t sent = 0, received = 0;
                    for (std::int64_t offset = 1; offset < nodes_; ++offset)
                        if (offset / weight % radix == z) {
                            sent += blocks(node_ - offset % weight, offset, lane);
                            received += blocks(node_ - z * weight - offset % weight, offset, lane);
                        }
                    all.messages_inter += sent > 0 ? 1 : 0;
                    all.bytes_inter += sent * (is_last ? block_ : unit_);
                    hops = hops || sent + received > 0;
                }
            all.rounds += hops ? 1 : 0;
            const int lane = self_ % lanes_;
            add_inner(all, static_cast<int>(ranks_in(lane, node_)), self_ / lanes_, layout_.arrived_bytes,
                      [&](int source, int destination) {
                          return arrived(x, lane + source * lanes_, lane + destination * lanes_) * unit_;
                      });
        }
        all.messages += all.messages_inter;
        all.bytes += all.bytes_inter;
        return all;
    }

  private:
    std::uint64_t ranks(std::int64_t node) const {
        return static_cast<std::uint64_t>(map_.size_of(static_cast<int>((node + 2 * nodes_) % nodes_)));
    }
    // The room for a bundle, and the radix that follows from it, are the algorithm's choice.
    template <typename Size>
    void add_inner(Traffic& all, int ranks, int self, std::uint64_t most, Size&& size) const {
        if (near_by_copy_) return;
        const auto inner = forwarding::node_aware_inner_parameters(
            ranks, forwarding::node_aware_inner(most, parameters_), parameters_);
        add_inner_tuna(all, ranks, self, inner[Parameter::radix], most, size);
    }
    // The ranks of that node in lane j of l: ranks whose local rank leaves j when divided by l.
    std::uint64_t ranks_in(int lane, std::int64_t node) const {
        std::uint64_t count = 0;
        for (std::uint64_t local = 0; local < ranks(node); ++local)
            count += static_cast<std::int64_t>(local) % lanes_ == lane ? 1 : 0;
        return count;
    }
    std::uint64_t blocks(std::int64_t source, std::int64_t offset, int lane) const {
        return ranks(source + nodes_) * ranks_in(lane, source + nodes_ + offset);
    }
    // The ranks of a lane take digits in turn. Where the node has no rank in the lane,
    // one rank takes all digits.
    std::int64_t charge_of(std::int64_t z, int lane) const {
        const auto in_lane = static_cast<std::int64_t>(ranks_in(lane, node_));
        return in_lane == 0 ? lane % q_ : lane + (z - 1) % in_lane * lanes_;
    }
    // The local rank in charge of the lowest digit from x up that is not 0. -1: all digits are 0.
    std::int64_t holder(std::int64_t offset, int lane, std::size_t x) const {
        for (; x < digits_.size(); ++x)
            if (const auto z = offset / digits_[x].weight % digits_[x].radix; z > 0)
                return charge_of(z, lane);
        return -1;
    }
    // The blocks that arrived at `source` with the hops of digit x and go on to `destination`.
    std::uint64_t arrived(std::size_t x, int source, int destination) const {
        const auto [weight, radix] = digits_[x];
        std::uint64_t all = 0;
        for (std::int64_t offset = 1; offset < nodes_; ++offset)
            for (int lane = 0; lane < lanes_; ++lane) {
                const std::int64_t z = offset / weight % radix;
                if (z == 0 || charge_of(z, lane) != source) continue;
                const std::int64_t from = node_ - z * weight - offset % weight;
                const std::int64_t next = holder(offset, lane, x + 1);
                if (next < 0 && destination % lanes_ == lane) all += ranks(from + nodes_);
                if (next == destination) all += blocks(from, offset, lane);
            }
        return all;
    }

    const NodeMap& map_;
    int nodes_, node_, self_, q_;
    std::vector<Digit> digits_;
    int lanes_;
    std::uint64_t unit_, block_;
    forwarding::NodeAwareLayout layout_;
    const Parameters& parameters_;
    bool near_by_copy_;
};

// ---- Allgather, on any placement ------------------------------------------------------------------------

class GatherFormula {
  public:
    GatherFormula(const Group& group, std::uint64_t block, bool near_by_copy)
        : map_(*group.node_map), nodes_(map_.nodes()), node_(map_.node_of(group.rank)),
          self_(map_.local_rank(group.rank)), q_(map_.size_of(node_)), block_(block),
          near_by_copy_(near_by_copy), regions_(group.region_map) {}

    // All blocks to local rank 0, log2(nodes) exchanges among these ranks, and back along a binomial tree.
    Traffic hierarchical() {
        const int gathered = near_by_copy_ ? 1 : q_; // by messages
        all_.rounds += gathered > 1 ? 1 : 0;
        if (self_ != 0 && gathered > 1) near(1);
        for (int distance = 1; self_ == 0 && distance < nodes_; distance *= 2) {
            far(ranks(0, std::min(distance, nodes_ - distance)));
            ++all_.rounds;
        }
        for (int distance = 1; distance < gathered; distance *= 2) {
            const bool sends = self_ < distance && self_ + distance < q_;
            const bool receives = self_ >= distance && self_ < 2 * distance;
            if (sends) near(static_cast<std::uint64_t>(map_.ranks()));
            all_.rounds += sends || receives ? 1 : 0;
        }
        return all_;
    }

    // log2(nodes) exchanges in each lane. Then the node shares the blocks of its lanes.
    Traffic multi_lane() {
        for (int distance = 1; distance < nodes_; distance *= 2) {
            const int count = std::min(distance, nodes_ - distance);
            bool waits = false;
            for (int lane = self_; lane < map_.largest(); lane += q_) {
                const std::uint64_t out = in_lane(lane, 0, count);
                if (out > 0) far(out);
                waits = waits || out > 0 || in_lane(lane, distance, distance + count) > 0;
            }
            all_.rounds += waits ? 1 : 0;
        }
        share([&](int local) {
            std::uint64_t blocks = 0;
            for (int lane = local; lane < map_.largest(); lane += q_) blocks += in_lane(lane, 0, nodes_);
            return blocks;
        });
        return all_;
    }

    // A block to the next node, N - 1 times. The node shares the blocks of one node after the other, by messages
    // around the ring of its ranks.
    Traffic multi_lane_ring() {
        for (int distance = 0; distance < nodes_; ++distance) {
            const int sent = distance + 1 < nodes_ ? lanes_of(self_, distance) : 0;
            const int received = distance + 1 < nodes_ ? lanes_of(self_, distance + 1) : 0;
            for (int lane = 0; lane < sent; ++lane) far(1);
            all_.rounds += sent > 0 || received > 0 ? 1 : 0;
            for (int round = 0; round + 1 < q_ && !near_by_copy_; ++round) {
                const int out = lanes_of((self_ + round) % q_, distance);
                for (int lane = 0; lane < out; ++lane) near(1);
                all_.rounds += out > 0 || lanes_of((self_ + round + 1) % q_, distance) > 0 ? 1 : 0;
            }
        }
        return all_;
    }

    // The node shares its own blocks. Then, in base Q, it shares the blocks that each local rank but the
    // first has fetched.
    Traffic locality_aware_bruck(std::int64_t levels) {
        const auto share_out = [&](auto&& blocks_of) {
            if (levels == 2 && regions_ != nullptr && !near_by_copy_)
                share_between_regions(blocks_of);
            else
                share(blocks_of);
        };
        share_out([](int) { return std::uint64_t{1}; });
        const int base = base_for(nodes_, map_.largest());
        for (int group = 1; group < nodes_; group *= base) {
            bool waits = false;
            for (int digit = 1; digit < base && digit * group < nodes_; ++digit) {
                if (digit % q_ != self_) continue;
                far(ranks(0, std::min(group, nodes_ - digit * group)));
                waits = true;
            }
            all_.rounds += waits ? 1 : 0;
            share_out([&](int local) {
                std::uint64_t blocks = 0;
                for (int digit = 1; digit < base && digit * group < nodes_; ++digit)
                    if (digit % q_ == local)
                        blocks += ranks(digit * group, std::min((digit + 1) * group, nodes_));
                return blocks;
            });
        }
        return all_;
    }

  private:
    // The smallest base that reaches that many nodes in as few steps as the largest base.
    static int base_for(int nodes, int largest) {
        int steps = 0;
        for (std::int64_t reached = 1; reached < nodes; reached *= std::max(largest, 2)) ++steps;
        for (int base = 2;; ++base) {
            std::int64_t reached = 1;
            for (int step = 0; step < steps; ++step) reached *= base;
            if (reached >= nodes) return base;
        }
    }
    std::uint64_t ranks(int first, int last) const {
        std::uint64_t count = 0;
        for (int distance = first; distance < last; ++distance)
            count += static_cast<std::uint64_t>(map_.size_of((node_ + distance) % nodes_));
        return count;
    }
    std::uint64_t in_lane(int lane, int first, int last) const {
        std::uint64_t count = 0;
        for (int distance = first; distance < last; ++distance)
            count += lane < map_.size_of((node_ + distance) % nodes_) ? 1 : 0;
        return count;
    }
    // The lanes of a local rank that have a block of the node at that distance.
    int lanes_of(int local, int distance) const {
        int count = 0;
        for (int lane = local; lane < map_.size_of((node_ + distance) % nodes_); lane += q_) ++count;
        return count;
    }
    void near(std::uint64_t blocks) {
        ++all_.messages;
        all_.bytes += blocks * block_;
    }
    void far(std::uint64_t blocks) {
        near(blocks);
        ++all_.messages_inter;
        all_.bytes_inter += blocks * block_;
    }
    template <typename Blocks>
    void share(Blocks&& blocks_of) {
        if (near_by_copy_) return;
        share_among(q_, self_, blocks_of);
    }
    // The same exchange inside the node, with regions for nodes and local ranks for ranks.
    template <typename Blocks>
    void share_between_regions(Blocks&& blocks_of) {
        const int count = regions_->nodes(), home = regions_->node_of(self_);
        const int size = regions_->size_of(home), self = regions_->local_rank(self_);
        const auto regions = [&](int first, int last) { // the blocks of all their ranks
            std::uint64_t blocks = 0;
            for (int distance = first; distance < last; ++distance)
                for (const int local : regions_->ranks_of((home + distance) % count))
                    blocks += blocks_of(local);
            return blocks;
        };
        share_among(size, self, [&](int i) { return blocks_of(regions_->rank_of(home, i)); });
        int most = 2;
        for (int r = 0; r < count; ++r) most = std::max(most, regions_->size_of(r));
        const int base = base_for(count, most);
        for (int group = 1; group < count; group *= base) {
            bool waits = false;
            for (int digit = 1; digit < base && digit * group < count; ++digit) {
                if (digit % size != self) continue;
                const std::uint64_t out = regions(0, std::min(group, count - digit * group));
                const std::uint64_t in = regions(digit * group, std::min((digit + 1) * group, count));
                if (out > 0) near(out);
                waits = waits || out > 0 || in > 0;
            }
            all_.rounds += waits ? 1 : 0;
            share_among(size, self, [&](int i) {
                std::uint64_t blocks = 0;
                for (int digit = 1; digit < base && digit * group < count; ++digit)
                    if (digit % size == i)
                        blocks += regions(digit * group, std::min((digit + 1) * group, count));
                return blocks;
            });
        }
    }
    // log2(q) steps. In each of them all gathered blocks go on.
    template <typename Blocks>
    void share_among(int q, int self, Blocks&& blocks_of) {
        for (int distance = 1; distance < q; distance *= 2) {
            std::uint64_t out = 0, in = 0;
            for (int i = 0; i < std::min(distance, q - distance); ++i) {
                out += blocks_of((self + i) % q);
                in += blocks_of((self + distance + i) % q);
            }
            if (out > 0) near(out);
            all_.rounds += out > 0 || in > 0 ? 1 : 0;
        }
    }

    const NodeMap& map_;
    int nodes_, node_, self_, q_;
    std::uint64_t block_;
    bool near_by_copy_;
    const NodeMap* regions_; // of the own node, by local rank
    Traffic all_;
};

std::optional<Traffic> node_aware_traffic(std::string_view algorithm, const Group& group, std::uint64_t block,
                                          const Forwarded& forwarded, const Parameters& parameters,
                                          bool near_by_copy) {
    const InNode in_node(*group.node_map, group.rank, forwarded, parameters, near_by_copy);
    if (algorithm == "tuna_coalesced") return coalesced_traffic(in_node, parameters);
    if (algorithm == "tuna_staggered") return staggered_traffic(in_node, parameters);
    if (algorithm == "hierarchical") return GatherFormula(group, block, near_by_copy).hierarchical();
    if (algorithm == "multi_lane") return GatherFormula(group, block, near_by_copy).multi_lane();
    if (algorithm == "multi_lane_ring") return GatherFormula(group, block, near_by_copy).multi_lane_ring();
    if (algorithm == "locality_aware_bruck")
        return GatherFormula(group, block, near_by_copy).locality_aware_bruck(parameters[Parameter::levels]);
    if (algorithm == "node_aware")
        return NodeAwareFormula(group, forwarded, parameters, near_by_copy).traffic();
    return std::nullopt;
}

// Algorithms that send each block directly, of alltoallv and of alltoall.
std::optional<Traffic> linear_traffic(std::string_view algorithm, const Shape& shape) {
    constexpr std::int64_t limit = Wire::largest_batch;
    if (algorithm == "linear") {
        return shape.linear(std::min<std::int64_t>(shape.others(), 1), shape.others());
    }
    if (algorithm == "spread_out") {
        return shape.linear(shape.batches(limit), limit);
    }
    if (algorithm == "pairwise" || algorithm == "exclusive_or") {
        return shape.linear(shape.others(), 1);
    }
    if (algorithm == "scattered") {
        const std::int64_t pairs = std::min(shape.parameters[Parameter::block_count], limit);
        return shape.linear(shape.batches(pairs), pairs);
    }
    if (algorithm == "stride_waitall") {
        return shape.linear(shape.batches(shape.stride()), shape.stride());
    }
    if (algorithm == "stride_waitany" || algorithm == "stride_testany") {
        return shape.linear(2 * shape.others(), shape.stride());
    }
    return std::nullopt;
}

std::optional<Traffic> alltoallv_traffic(std::string_view algorithm, const Shape& shape,
                                         const Forwarded& forwarded) {
    if (algorithm == "padded_alltoall") { // one call of the MPI library
        return traffic(shape.others(), shape.direct(), std::min<std::int64_t>(shape.others(), 1));
    }
    const Counts binary = counts_of(shape.ranks, 2);
    if (algorithm == "padded_bruck") {
        const std::uint64_t slot = forwarded.is_sized ? forwarded.with_size(forwarded.bound) : shape.block;
        return traffic(binary.rounds, static_cast<std::uint64_t>(binary.blocks) * slot, binary.rounds);
    }
    if (algorithm == "two_phase_bruck") {
        constexpr std::uint64_t size_bytes = 4;
        const int messages = forwarded.bytes > 0 ? 2 : 1; // of no bytes, none
        return traffic(messages * binary.rounds,
                       static_cast<std::uint64_t>(binary.blocks) * (size_bytes + forwarded.bytes),
                       messages * binary.rounds);
    }
    if (algorithm == "in_place") { // separate buffers: all space is free, so there is one phase
        constexpr std::uint64_t request_bytes = 8;
        const auto requests = static_cast<std::uint64_t>(shape.others()) * request_bytes;
        return traffic(2 * shape.others(), requests + shape.direct(), shape.ranks > 1 ? 2 : 0);
    }
    return std::nullopt;
}

std::optional<Traffic> alltoall_traffic(std::string_view algorithm, const Shape& shape) {
    // All variants of Bruck's exchange: rotations, copies and datatypes do not change the messages.
    if (algorithm.find("bruck") != algorithm.npos) {
        const auto radix = algorithm == "parameterized_bruck" ? shape.parameters[Parameter::radix] : 2;
        const Counts counts = counts_of(shape.ranks, radix);
        return traffic(counts.rounds, static_cast<std::uint64_t>(counts.blocks) * shape.block, counts.rounds);
    }
    return std::nullopt;
}

// Where P is a power of two: log2 P exchanges of 1, 2, 4 .. P / 2 blocks. Else the ranks above the power of
// two below P make that many pairs of the first ranks. The odd rank of a pair sends its block to the even
// rank and gets all others at the end.
Traffic recursive_doubling_traffic(const Shape& shape) {
    int teams = 1;
    while (2 * teams <= shape.ranks) {
        teams *= 2;
    }
    const int paired = 2 * (shape.ranks - teams);
    if (shape.rank < paired && shape.rank % 2 == 1) {
        return traffic(1, shape.block, 2);
    }
    auto team_of = [&](int rank) { return rank < paired ? rank / 2 : rank - paired / 2; };
    std::int64_t messages = 0, rounds = 0;
    std::uint64_t blocks = 0;
    for (int distance = 1; distance < teams; distance *= 2) {
        ++messages;
        ++rounds;
        for (int rank = 0; rank < shape.ranks; ++rank) {
            blocks += team_of(rank) / distance == team_of(shape.rank) / distance ? 1 : 0;
        }
    }
    if (shape.rank < paired) {
        messages += 1;
        rounds += 2;
        blocks += static_cast<std::uint64_t>(shape.others());
    }
    return traffic(messages, blocks * shape.block, rounds);
}

std::optional<Traffic> allgather_traffic(std::string_view algorithm, const Shape& shape) {
    const Counts binary = counts_of(shape.ranks, 2);
    if (algorithm == "ring") {
        return traffic(shape.others(), shape.direct(), shape.others());
    }
    if (algorithm == "recursive_doubling") {
        return recursive_doubling_traffic(shape);
    }
    if (algorithm == "bruck") {
        const patterns::Radices radices = shape.parameters[Parameter::radix];
        return traffic(counts_of(shape.ranks, radices).rounds, shape.direct(),
                       waits(shape.ranks, radices, Wire::largest_batch));
    }
    if (algorithm == "dissemination") {
        return traffic(binary.rounds, shape.direct(), binary.rounds);
    }
    return std::nullopt;
}

std::optional<Traffic> traffic_of(Collective collective, std::string_view algorithm, const Group& group,
                                  std::size_t block, const Parameters& parameters, bool window) {
    const Shape shape{group.size, group.rank, block, parameters};
    if (algorithm == "shared") return Traffic{}; // it sends no message
    const bool near_by_copy =
        window && parameters[Parameter::intra] == static_cast<std::int64_t>(Intra::shared);
    const Forwarded forwarded(collective, block, parameters);
    if (const auto traffic = node_aware_traffic(algorithm, group, block, forwarded, parameters, near_by_copy))
        return traffic;
    if (const auto traffic = linear_traffic(algorithm, shape)) return traffic;
    if (algorithm == "tuna") return tuna_traffic(group.size, forwarded, parameters);
    switch (traits_of(collective).algorithms) {
    case Collective::alltoallv: return alltoallv_traffic(algorithm, shape, forwarded);
    case Collective::alltoall: return alltoall_traffic(algorithm, shape);
    case Collective::allgather: return allgather_traffic(algorithm, shape);
    default: return std::nullopt;
    }
}

// Nothing travels, but for requests that go to all ranks whether there is anything to ask for or not.
Traffic traffic_of_empty_blocks(std::string_view algorithm, const Group& group,
                                const Parameters& parameters) {
    const auto way = static_cast<Requests>(parameters[Parameter::requests]);
    const bool asks_all = way == Requests::alltoall || way == Requests::alltoallv;
    if (algorithm != "in_place" || !asks_all || group.size == 1) return {};
    const std::int64_t others = group.size - 1;
    constexpr std::uint64_t request_bytes = 8;
    return traffic(others, static_cast<std::uint64_t>(others) * request_bytes, 1);
}

// The direct blocks: each once, as many at a time as block_count says.
void add_direct_blocks(Traffic& all, const Group& group, std::uint64_t block, const Parameters& parameters) {
    for (int peer = 0; peer < group.size; ++peer) {
        if (peer == group.rank) continue;
        ++all.messages;
        all.bytes += block;
        if (group.is_near(peer)) continue;
        ++all.messages_inter;
        all.bytes_inter += block;
    }
    const std::int64_t at_once = std::min<std::int64_t>(parameters[Parameter::block_count], 512);
    all.rounds += static_cast<std::uint32_t>((group.size - 1 + at_once - 1) / at_once);
}

} // namespace

std::optional<Traffic> expected_traffic(Collective collective, std::string_view algorithm, const Group& group,
                                        std::size_t block, const Parameters& parameters, bool window) {
    const std::int64_t direct_from = parameters[Parameter::direct_from];
    if (block == 0 && direct_from == absent) return traffic_of_empty_blocks(algorithm, group, parameters);
    auto all = traffic_of(collective, algorithm, group, block, parameters, window);
    if (all && direct_from != absent && block >= static_cast<std::uint64_t>(direct_from))
        add_direct_blocks(*all, group, block, parameters);
    return all;
}

} // namespace switchyard::tests
