// The ranks of a communicator that started with us, in one intracommunicator, so that they can talk to each
// other about it. Mostly the communicator itself; not for an intercommunicator, nor where processes of
// another job take part (they may not have us in front of them, and then they would not answer).
#pragma once

#include <mpi.h>

namespace switchyard::shim {

struct Process;

class Row {
  public:
    // Collective over the ranks that it will hold.
    Row(MPI_Comm comm, const Process& self);
    ~Row();
    Row(const Row&) = delete;
    Row& operator=(const Row&) = delete;

    MPI_Comm comm() const { return row_; } // MPI_COMM_NULL: cannot be had, on all of its ranks
    bool is_inter() const { return is_inter_; }
    bool has_strangers() const { return has_strangers_; }
    int ranks() const { return ranks_; } // of the communicator, both groups

  private:
    MPI_Comm row_;
    bool is_inter_ = false, has_strangers_ = false, is_ours_ = false;
    int ranks_ = 0;
};

} // namespace switchyard::shim
