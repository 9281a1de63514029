// The ranks of the world that take part in a measurement. The other ranks wait for them.
#pragma once

#include "algorithms/group.hpp"
#include "options.hpp"

#include <mpi.h>
#include <string>

namespace switchyard::bench {

class Participants {
  public:
    // Collective over MPI_COMM_WORLD.
    Participants(const Options& options, bool simulated);
    ~Participants();
    Participants(const Participants&) = delete;
    Participants& operator=(const Participants&) = delete;

    // "", or why there is no such communicator. The same on all ranks.
    const std::string& problem() const { return problem_; }
    bool takes_part() const { return comm_ != MPI_COMM_NULL; }
    int ranks() const { return node_map_.ranks(); }
    const algorithms::NodeMap& node_map() const { return node_map_; }
    const algorithms::Group& group() const { return group_; } // only on a rank that takes part

    // Collective over the world. Here the ranks that do not take part wait for the end of the measurement.
    // They sleep as below.
    void rejoin();

  private:
    bool simulated_;
    std::string problem_;
    algorithms::NodeMap node_map_;
    MPI_Comm comm_ = MPI_COMM_NULL;
    algorithms::Group group_;
};

// A barrier in which ranks sleep, so that others can use their cores.
void sleep_until_all_come(MPI_Comm comm, bool simulated);

} // namespace switchyard::bench
