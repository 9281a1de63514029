/* The library of c_loader_lock. It refers to a function of MPI-4 that nobody has asked for before, and to MPI's Fortran layer
 * where there is one. */
#include <mpi.h>

extern int MPI_Bcast_c(void*, MPI_Count, MPI_Datatype, int, MPI_Comm) __attribute__((weak));
void wait_in_constructor(void);

__attribute__((visibility("default"))) int waiting_has_bcast(void) {
    return MPI_Bcast_c != 0;
}

__attribute__((constructor)) static void wait(void) {
    wait_in_constructor();
}
