// A communicator while MPI frees it. MPI calls the delete functions of the program's attributes then, and
// these may call collectives on the communicator. Our state, also an attribute, is deleted before that.
// Otherwise MPI would delete it before or after the program's attributes, depending on the order in which
// each rank set them, and MPICH would return our function's success instead of another function's error. No
// new state may be made: MPI would never delete it, and the next communicator may have the same handle. So
// these calls are forwarded.
#pragma once

#include <mpi.h>

namespace switchyard::shim {

class Communicators;

class Freeing {
  public:
    // This thread is about to free the communicator. Without memory for the note, it is
    // freed as if nobody knew.
    Freeing(MPI_Comm comm, Communicators& home) noexcept;
    // MPI is done. Not a destructor, for the same reason as with InsideCall: an exception of the program may
    // pass through here.
    void end() const noexcept;

    // Whether this thread is inside MPI's function that frees the communicator: MPI calls delete functions on
    // the thread that frees.
    static bool is_under_way(MPI_Comm comm) noexcept;

  private:
    struct Note {
        MPI_Comm comm;
        const void* frame; // of the function that frees
        Note* outer;       // a delete function may free other communicators
    };
    static void drop_left(const void* frame) noexcept;

    Note* note_;
    __attribute__((tls_model("initial-exec"))) static thread_local Note* innermost_;
};

} // namespace switchyard::shim
