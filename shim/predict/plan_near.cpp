#include "plan_near.hpp"

#include "algorithms/patterns/packed_sizes.hpp"
#include "algorithms/patterns/radix.hpp"

#include <utility>

namespace switchyard::shim::predict {

namespace patterns = algorithms::patterns;

namespace {

// What one rank of a group of `ranks` does in a round of TuNA.
class Member {
  public:
    Member(int ranks, int self, double size_bytes, const BundleBytes& bytes)
        : ranks_(ranks), self_(self), size_bytes_(size_bytes), bytes_(bytes) {}

    void add(const patterns::Round& round, Load& load) const {
        const int weight = round.weight();
        double out = 0, in = 0;
        round.for_each_range([&](const patterns::OffsetRange& range) {
            for (int offset = range.begin; offset < range.end; ++offset) {
                const int come = offset % weight; // the distance that the bundle has come
                out += bundle(self_ + come, offset);
                in += bundle(self_ + come + round.distance(), offset);
            }
        });
        const auto blocks = static_cast<double>(round.blocks());
        if (round.blocks() > 1) {
            load.before.count += blocks;
            load.before.bytes += out;
            load.after.count += blocks;
            load.after.bytes += in;
            out += blocks * size_bytes_;
            in += blocks * size_bytes_;
        }
        if (out > 0) load.near_out.add(1, out);
        if (in > 0) load.near_in.add(1, in);
    }

  private:
    // The bundle that a place sends that far down the ring.
    double bundle(int place, int offset) const {
        const int source = place % ranks_;
        return bytes_(source, (source - offset + ranks_) % ranks_);
    }

    const int ranks_, self_;
    const double size_bytes_;
    const BundleBytes& bytes_;
};

int ranks_of_group(const NearExchange& exchange, int group) {
    return (exchange.local_ranks - group + exchange.groups - 1) / exchange.groups;
}

} // namespace

void plan_near_exchange(const NearExchange& exchange, Sink& sink) {
    const int largest = ranks_of_group(exchange, 0);
    const auto size_bytes = static_cast<double>(patterns::narrowest(exchange.most_bytes));
    for (patterns::Round first(largest, exchange.radices); first.valid(); first = first.next_digit()) {
        Round together;
        together.spread_to(exchange.local_ranks);
        for (int group = 0; group < exchange.groups; ++group) {
            const BundleBytes bytes = exchange.bytes(group);
            const int ranks = ranks_of_group(exchange, group);
            for (int self = 0; self < ranks; ++self) {
                const Member member(ranks, self, size_bytes, bytes);
                patterns::Round round(ranks, exchange.radices);
                while (round.valid() && round.x() < first.x()) round = round.next_digit();
                for (; round.valid() && round.x() == first.x(); round.advance())
                    member.add(round, together.load(group + self * exchange.groups));
            }
        }
        sink.round(together);
    }
}

void plan_near_copies(const algorithms::GroupShape& shape, double bundles, double bytes, Sink& sink) {
    plan_epoch(shape, {bundles, bytes}, {bundles, bytes}, sink);
}

} // namespace switchyard::shim::predict
