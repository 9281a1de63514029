// A plan: what the ranks of an algorithm send and copy, round by round, without sending or copying it.
//
// All nodes do the same, so a plan says what the ranks of one node do. It is exact where all nodes are
// equal and blocks have one size. A node with fewer ranks counts as a full one, and blocks of several
// sizes count by their mean.
#pragma once

#include "blocks.hpp"

#include "algorithms/patterns/packed_sizes.hpp"
#include "algorithms/traits.hpp"

#include <vector>

namespace switchyard::shim::predict {

// What is asked about.
struct Situation {
    algorithms::Collective collective;
    algorithms::GroupShape shape; // ranks_per_node: at most `ranks`
    algorithms::Parameters parameters;
    const Blocks& blocks;
};

struct Amount {
    double count = 0, bytes = 0; // messages, or copies

    void add(double more, double of_bytes) {
        count += more;
        bytes += more * of_bytes;
    }
};

// One rank's part in a round.
struct Load {
    Amount far_out, near_out, far_in, near_in; // messages to and from other nodes and the own one
    Amount before, after;                      // copies: before its messages start, after they have arrived
    double parts = 0;                          // of the derived datatypes of its messages, both ways
    double neighbours = 0;                     // local ranks that it meets in shared memory

    Amount out() const { return {far_out.count + near_out.count, far_out.bytes + near_out.bytes}; }
    Amount in() const { return {far_in.count + near_in.count, far_in.bytes + near_in.bytes}; }
};

// From the start of some messages to the end of the wait for them.
struct Round {
    std::vector<Load> loads = {{}}; // by local rank; a single one: all ranks do the same
    double times = 1;               // how many rounds like this follow each other
    double waits = 1;               // as the benchmark counts them; none for a rank without messages
    double window = 0;              // messages under way at once in each direction; 0: all
    double tests = 0;               // how often the processor looks for the end of each message
    bool same_first = false;        // all ranks send to the same rank first
    bool early = false;             // what arrives is copied as it comes, while other messages are under way
    bool overlaps = false;          // the ranks of a node copy while the messages are under way
    // The benchmark does not count the messages of an agreement, nor those that the MPI library sends for us.
    enum class Matters { both, time, count };
    Matters matters = Matters::both;

    // The same copies for every rank.
    void copy_before(double count, double bytes_each);
    void copy_after(double count, double bytes_each);
    Load& load(int local_rank) { return loads[static_cast<std::size_t>(local_rank)]; }
    void spread_to(int local_ranks); // a load for each rank, if there is one for all
};

// Takes the rounds of a plan in their order.
class Sink {
  public:
    Sink() = default;
    Sink(const Sink&) = delete;
    Sink& operator=(const Sink&) = delete;
    virtual ~Sink() = default;
    virtual void round(const Round& round) = 0;
};

// Passes on rounds whose messages the benchmark does not count.
class Uncounted final : public Sink {
  public:
    explicit Uncounted(Sink& sink) : sink_(sink) {}
    void round(const Round& round) override {
        Round uncounted = round;
        uncounted.matters = Round::Matters::time;
        sink_.round(uncounted);
    }

  private:
    Sink& sink_;
};

// ---- Messages around the ring of ranks --------------------------------------------------------------------

// The ring of ranks, if nodes have consecutive ranks.
class Ring {
  public:
    explicit Ring(const algorithms::GroupShape& shape);

    int ranks() const { return ranks_; }
    int per_node() const { return per_node_; }
    // Each rank sends `count` messages of `bytes` bytes each to every rank at a distance in [first, last),
    // and receives as many.
    void exchange(Round& round, int first, int last, double count, double bytes) const;
    // The same with one distance.
    void exchange(Round& round, int distance, double count, double bytes) const {
        exchange(round, distance, distance + 1, count, bytes);
    }
    // The first distance at which all ranks have partners on other nodes, and the first one after
    // it at which they do not.
    int first_far() const { return per_node_; }
    int end_of_far() const { return ranks_ - per_node_ + 1; }

  private:
    int near_of(int local, int first, int last) const;

    int ranks_, per_node_;
    bool is_alone_; // all ranks are on one node
};

// Messages between ranks of a node, the same for every rank.
void exchange_near(Round& round, double count, double bytes);

// ---- What several plans do ------------------------------------------------------------------------------

// The blocks that an algorithm of alltoallv forwards: those under Parameter::direct_from, if that is given.
BlockFacts forwarded_blocks(const Situation& situation);
// Such a block in a message. In alltoall all ranks know its size, so it travels alone.
algorithms::patterns::FramedBlock framed_block(const Situation& situation);
// The direct blocks of such an algorithm.
void plan_direct_blocks(const Situation& situation, Sink& sink);
// The allreduce before a call where the largest block has to be agreed. The benchmark
// does not count its messages.
void plan_agreement(const Situation& situation, Sink& sink);
// The ranks of a node meet in the memory that they share: each copies that much before and after.
void plan_epoch(const algorithms::GroupShape& shape, const Amount& before, const Amount& after, Sink& sink);
// Whether the ranks of a node exchange through memory that they share, and not by messages.
bool shares_memory(const Situation& situation);

} // namespace switchyard::shim::predict
