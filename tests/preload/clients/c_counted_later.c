/* A library that c_counted_lacking opens when MPI is up. Returns how many calls of MPI_Allreduce_c it made. */
#include <mpi.h>
#include <stddef.h>

extern int MPI_Allreduce_c(const void*, void*, MPI_Count, MPI_Datatype, MPI_Op, MPI_Comm)
    __attribute__((weak));
int counted_later(MPI_Comm comm);

__attribute__((visibility("default"))) int counted_later(MPI_Comm comm) {
    int one = 1, sum = 0;
    MPI_Barrier(comm);
    if (!MPI_Allreduce_c) return 0;
    MPI_Allreduce_c(&one, &sum, 1, MPI_INT, MPI_SUM, comm);
    MPI_Allreduce_c(&one, &sum, 1, MPI_INT, MPI_SUM, comm);
    return 2;
}
