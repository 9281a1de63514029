// Algorithms of allgather that do not know nodes. A block is one rank's, for everybody.
#include "plans.hpp"

#include "algorithms/patterns/batches.hpp"
#include "algorithms/patterns/radix.hpp"

#include <algorithm>
#include <bit>

namespace switchyard::shim::predict {

namespace patterns = algorithms::patterns;
using algorithms::Parameter;

namespace allgather {

namespace {

double block_of(const Situation& situation) {
    return situation.blocks.all().mean;
}

void copy(double count, double bytes_each, Sink& sink) {
    Round round;
    round.copy_before(count, bytes_each);
    sink.round(round);
}

// In each step a rank passes on all blocks that it has, or those that its partner lacks.
void double_blocks(const Situation& situation, Sink& sink) {
    const Ring ring(situation.shape);
    for (int distance = 1; distance < ring.ranks(); distance *= 2) {
        const int blocks = std::min(distance, ring.ranks() - distance);
        Round round;
        ring.exchange(round, distance, 1, blocks * block_of(situation));
        sink.round(round);
    }
}

// Pairs of ranks, or of teams, swap all blocks that they have. If the number of ranks is no power of two, the
// first ranks are in teams of two. The second rank of a team hands its block over before the swaps, and gets
// all blocks after them. Then nodes differ, so messages are counted for each rank.
class Doubling {
  public:
    Doubling(const Situation& situation, Sink& sink)
        : sink_(sink), ranks_(situation.shape.ranks), per_node_(situation.shape.ranks_per_node),
          teams_(static_cast<int>(std::bit_floor(static_cast<unsigned>(ranks_)))), pairs_(ranks_ - teams_),
          block_(block_of(situation)) {}

    void run() {
        if (pairs_ > 0) in_pairs([this](Round& round, int team) { send(round, 2 * team + 1, 2 * team, 1); });
        for (int distance = 1; distance < teams_; distance *= 2) step(distance);
        if (pairs_ > 0)
            in_pairs([this](Round& round, int team) { send(round, 2 * team, 2 * team + 1, ranks_ - 1); });
    }

  private:
    int first_of(int team) const { return team < pairs_ ? 2 * team : team + pairs_; }

    // `destination` is the neighbour of `source` in its team, or in another team.
    void send(Round& round, int source, int destination, int blocks) const {
        const bool is_near = source / per_node_ == destination / per_node_;
        Load &out = round.load(source), &in = round.load(destination);
        (is_near ? out.near_out : out.far_out).add(1, blocks * block_);
        (is_near ? in.near_in : in.far_in).add(1, blocks * block_);
    }
    void step(int distance) {
        Round round;
        round.spread_to(ranks_);
        for (int team = 0; team < teams_; ++team) {
            const int lowest = team & -distance;
            send(round, first_of(team), first_of(team ^ distance),
                 first_of(lowest + distance) - first_of(lowest));
        }
        take(round);
    }
    template <typename Send>
    void in_pairs(Send&& send_in) {
        Round round;
        round.spread_to(ranks_);
        for (int team = 0; team < pairs_; ++team) send_in(round, team);
        take(round);
    }
    // The ranks of the first node have the most to do.
    void take(Round& round) {
        round.matters = Round::Matters::count;
        sink_.round(round);
        round.loads.resize(static_cast<std::size_t>(std::min(per_node_, ranks_)));
        round.matters = Round::Matters::time;
        sink_.round(round);
    }

    Sink& sink_;
    const int ranks_, per_node_, teams_, pairs_;
    const double block_;
};

} // namespace

void ring(const Situation& situation, Sink& sink) {
    const Ring around(situation.shape);
    copy(1, block_of(situation), sink);
    if (block_of(situation) <= 0) return;
    Round round;
    around.exchange(round, 1, 1, block_of(situation));
    round.times = around.ranks() - 1;
    sink.round(round);
}

// The messages of a digit are under way together.
void bruck(const Situation& situation, Sink& sink) {
    const Ring around(situation.shape);
    copy(2, block_of(situation), sink);
    if (block_of(situation) <= 0) return;
    for (patterns::Round step(around.ranks(), situation.parameters[Parameter::radix]); step.valid();) {
        Round round;
        for (int left = std::min(step.left_in_digit(), patterns::largest_batch); left > 0;
             --left, step.advance()) {
            const int blocks = std::min(step.weight(), around.ranks() - step.distance());
            around.exchange(round, step.distance(), 1, blocks * block_of(situation));
        }
        sink.round(round);
    }
    copy(situation.shape.ranks - 1, block_of(situation), sink);
}

void dissemination(const Situation& situation, Sink& sink) {
    copy(1, block_of(situation), sink);
    if (block_of(situation) > 0) double_blocks(situation, sink);
}

void recursive_doubling(const Situation& situation, Sink& sink) {
    copy(1, block_of(situation), sink);
    if (block_of(situation) > 0) Doubling(situation, sink).run();
}

} // namespace allgather

} // namespace switchyard::shim::predict
