// What an intercepted call costs over the bare library call: MPI_X through the shim and the library's own
// PMPI_X, in turn, in one process, on a duplicate of MPI_COMM_SELF. Prints one row; `overhead` beside this
// file runs it in every mode and prints the table. Arguments: the row's label, and the function: Alltoallv (the
// default), which is routed, Barrier or Allreduce, which are only counted.

#define _GNU_SOURCE
#include <dlfcn.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

typedef void any_t(void); // a function of MPI
typedef int alltoallv_t(const void*, const int*, const int*, MPI_Datatype, void*, const int*, const int*,
                        MPI_Datatype, MPI_Comm);
typedef int barrier_t(MPI_Comm);
typedef int allreduce_t(const void*, void*, int, MPI_Datatype, MPI_Op, MPI_Comm);

enum { rounds = 401, calls = 1000 };

// The library's own function. The linked one would be the shim's, which forwards to it. The shim has no
// MPI_Get_version, so that function's library is the MPI.
static any_t* bare_function(const char* name) {
    Dl_info mpi = {0};
    void* version = dlsym(RTLD_DEFAULT, "MPI_Get_version");
    if (!version || !dladdr(version, &mpi)) return NULL;
    void* library = dlopen(mpi.dli_fname, RTLD_LAZY | RTLD_NOLOAD);
    void* symbol = library ? dlsym(library, name) : NULL;
    any_t* function = NULL;
    memcpy(&function, &symbol, sizeof function); // ISO C has no cast for it
    return function;
}

static double now_ns(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec * 1e9 + (double)time.tv_nsec;
}

static void call_alltoallv(any_t* any, MPI_Comm comm) {
    alltoallv_t* function = (alltoallv_t*)any;
    int count = 1, displacement = 0, out = 7, in = 0;
    for (int i = 0; i < calls; ++i)
        function(&out, &count, &displacement, MPI_INT, &in, &count, &displacement, MPI_INT, comm);
}

static void call_barrier(any_t* any, MPI_Comm comm) {
    barrier_t* function = (barrier_t*)any;
    for (int i = 0; i < calls; ++i) function(comm);
}

static void call_allreduce(any_t* any, MPI_Comm comm) {
    allreduce_t* function = (allreduce_t*)any;
    int out = 7, in = 0;
    for (int i = 0; i < calls; ++i) function(&out, &in, 1, MPI_INT, MPI_SUM, comm);
}

static const struct probe {
    const char* name; // of the bare function
    any_t* function;
    void (*call)(any_t*, MPI_Comm);
} probes[] = {{"PMPI_Alltoallv", (any_t*)MPI_Alltoallv, call_alltoallv},
              {"PMPI_Barrier", (any_t*)MPI_Barrier, call_barrier},
              {"PMPI_Allreduce", (any_t*)MPI_Allreduce, call_allreduce}};

static const struct probe* probe_named(const char* name) {
    for (size_t i = 0; i < sizeof probes / sizeof *probes; ++i)
        if (!strcmp(probes[i].name + strlen("PMPI_"), name)) return &probes[i];
    return NULL;
}

static double time_calls(const struct probe* probe, any_t* function, MPI_Comm comm) {
    double start = now_ns();
    probe->call(function, comm);
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
    const struct probe* probe = probe_named(argc > 2 ? argv[2] : "Alltoallv");
    any_t* bare = probe ? bare_function(probe->name) : NULL;
    if (!bare) {
        fprintf(stderr, "no such function, or no MPI library is loaded\n");
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
    MPI_Comm comm;
    MPI_Comm_dup(MPI_COMM_SELF, &comm);
    static double through[rounds], direct[rounds], extra[rounds];
    for (int i = 0; i < rounds; ++i) {
        through[i] = time_calls(probe, probe->function, comm);
        direct[i] = time_calls(probe, bare, comm);
        extra[i] = through[i] - direct[i];
    }
    printf("%-34s %10.1f %10.1f %10.1f\n", argc > 1 ? argv[1] : "", median(through), median(direct),
           median(extra));
    MPI_Comm_free(&comm);
    MPI_Finalize();
    return 0;
}
