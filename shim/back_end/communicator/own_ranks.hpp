// The ranks of a communicator that belong to our job, in one intracommunicator, where they talk to each other
// about the communicator. Usually it is the communicator itself. An intercommunicator needs a separate one,
// and so does a communicator with processes of another job: they may run without us and would not answer.
//
// Threads may make intracommunicators of the same ranks at the same time; MPI tells these apart by their
// tags. The groups of an intercommunicator agree on a tag. With strangers nobody can agree on anything: if
// threads may call at the same time, there is no intracommunicator for such a communicator.
#pragma once

#include <mpi.h>
#include <vector>

namespace switchyard::shim {

struct Process;

class OwnRanks {
  public:
    // Collective over the ranks that it will hold.
    OwnRanks(MPI_Comm comm, Process& self);
    ~OwnRanks();
    OwnRanks(const OwnRanks&) = delete;
    OwnRanks& operator=(const OwnRanks&) = delete;

    MPI_Comm comm() const { return comm_; } // MPI_COMM_NULL on all its ranks if there is none
    bool is_inter() const { return is_inter_; }
    bool has_strangers() const { return has_strangers_; }
    int ranks() const { return ranks_; } // of the communicator, both groups

  private:
    MPI_Comm made_of(std::vector<int> members, MPI_Group world, MPI_Comm comm, Process& self) const;

    MPI_Comm comm_;
    bool is_inter_ = false, has_strangers_ = false, is_ours_ = false;
    int ranks_ = 0;
};

} // namespace switchyard::shim
