// What an intercepted call costs over the bare library call: MPI_X through the shim and the library's own
// PMPI_X, in turn, in one process, on a duplicate of MPI_COMM_SELF. Prints one row; `overhead` beside this
// file runs it in every mode and prints the table.

#define _GNU_SOURCE
#include <dlfcn.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

typedef int alltoallv_t(const void*, const int*, const int*, MPI_Datatype, void*, const int*, const int*,
                        MPI_Datatype, MPI_Comm);

enum { rounds = 401, calls = 1000 };

// The library's own function. The linked one would be the shim's, which forwards to it. The shim has no
// MPI_Get_version, so that function's library is the MPI.
static alltoallv_t* bare_function(void) {
    Dl_info mpi = {0};
    void* version = dlsym(RTLD_DEFAULT, "MPI_Get_version");
    if (!version || !dladdr(version, &mpi)) return NULL;
    void* library = dlopen(mpi.dli_fname, RTLD_LAZY | RTLD_NOLOAD);
    void* symbol = library ? dlsym(library, "PMPI_Alltoallv") : NULL;
    alltoallv_t* function = NULL;
    memcpy(&function, &symbol, sizeof function); // ISO C has no cast for it
    return function;
}

static double now_ns(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec * 1e9 + (double)time.tv_nsec;
}

static double time_calls(alltoallv_t* function, MPI_Comm comm) {
    int count = 1, displacement = 0, out = 7, in = 0;
    double start = now_ns();
    for (int i = 0; i < calls; ++i)
        function(&out, &count, &displacement, MPI_INT, &in, &count, &displacement, MPI_INT, comm);
    return (now_ns() - start) / calls;
}

static int compare(const void* left, const void* right) {
    double a = *(const double*)left, b = *(const double*)right;
    return (a > b) - (a < b);
}

static double median(double* values) {
    qsort(values, rounds, sizeof *values, compare);
    return values[rounds / 2];
}

int main(int argc, char** argv) {
    MPI_Init(&argc, &argv);
    alltoallv_t* bare = bare_function();
    if (!bare) {
        fprintf(stderr, "no MPI library is loaded\n");
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
    MPI_Comm comm;
    MPI_Comm_dup(MPI_COMM_SELF, &comm);
    static double through[rounds], direct[rounds], extra[rounds];
    for (int i = 0; i < rounds; ++i) {
        through[i] = time_calls(MPI_Alltoallv, comm);
        direct[i] = time_calls(bare, comm);
        extra[i] = through[i] - direct[i];
    }
    printf("%-34s %10.1f %10.1f %10.1f\n", argc > 1 ? argv[1] : "", median(through), median(direct),
           median(extra));
    MPI_Comm_free(&comm);
    MPI_Finalize();
    return 0;
}
