// The ranks of the world that take part in a measurement, and the others, which wait for them.
#pragma once

#include "algorithms/group.hpp"
#include "options.hpp"

#include <string>

namespace switchyard::bench {

class Participants {
  public:
    // Collective over MPI_COMM_WORLD.
    Participants(const Options& options, bool simulated);
    ~Participants();
    Participants(const Participants&) = delete;
    Participants& operator=(const Participants&) = delete;

    const std::string& problem() const { return problem_; } // "", or why it cannot be; the same on all ranks
    bool takes_part() const { return group_.comm != MPI_COMM_NULL; }
    int ranks() const { return node_map_.ranks(); }
    const algorithms::NodeMap& node_map() const { return node_map_; }
    const algorithms::Group& group() const { return group_; } // where this rank takes part

    // Collective over the world: until here those wait that do not take part, asleep where their core may be
    // wanted by others.
    void rejoin();

  private:
    bool simulated_;
    std::string problem_;
    algorithms::NodeMap node_map_;
    algorithms::Group group_;
};

} // namespace switchyard::bench
