/* What makes an MPI one that takes device buffers, those of the stand-in driver: preloaded below the shim, it hands
 * the MPI the addresses where the host can get at the bytes. With LIES it only says so. */
#include "support/stand_in_cuda.h"

#include <dlfcn.h>
#include <mpi.h>
#include <stddef.h>
#include <stdlib.h>

__attribute__((visibility("default"))) int MPIX_Query_cuda_support(void);
int MPIX_Query_cuda_support(void) {
    return 1;
}

#ifndef LIES

static void* host(const void* address) {
    static stand_in_host_address_function* translate;
    if (!translate) {
        const char* name = getenv("DRIVER");
        void* driver = dlopen(name ? name : "libcuda.so.1", RTLD_LAZY | RTLD_NOLOAD);
        if (driver) *(void**)&translate = dlsym(driver, "stand_in_host_address");
    }
    if (!translate || !address || address == MPI_IN_PLACE || address == MPI_BOTTOM) return (void*)address;
    return translate(address);
}

#define NEXT(name, ...)                                                                                      \
    static int (*next)(__VA_ARGS__);                                                                         \
    if (!next) *(void**)&next = dlsym(RTLD_NEXT, "PMPI_" #name)

int PMPI_Isend(const void* data, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm,
               MPI_Request* request) {
    NEXT(Isend, const void*, int, MPI_Datatype, int, int, MPI_Comm, MPI_Request*);
    return next(host(data), count, type, to, tag, comm, request);
}

int PMPI_Irecv(void* data, int count, MPI_Datatype type, int from, int tag, MPI_Comm comm,
               MPI_Request* request) {
    NEXT(Irecv, void*, int, MPI_Datatype, int, int, MPI_Comm, MPI_Request*);
    return next(host(data), count, type, from, tag, comm, request);
}

int PMPI_Sendrecv(const void* out, int out_count, MPI_Datatype out_type, int to, int out_tag, void* in,
                  int in_count, MPI_Datatype in_type, int from, int in_tag, MPI_Comm comm,
                  MPI_Status* status) {
    NEXT(Sendrecv, const void*, int, MPI_Datatype, int, int, void*, int, MPI_Datatype, int, int, MPI_Comm,
         MPI_Status*);
    return next(host(out), out_count, out_type, to, out_tag, host(in), in_count, in_type, from, in_tag, comm,
                status);
}

int MPI_Alltoallv(const void* out, const int* out_counts, const int* out_at, MPI_Datatype out_type, void* in,
                  const int* in_counts, const int* in_at, MPI_Datatype in_type, MPI_Comm comm) {
    NEXT(Alltoallv, const void*, const int*, const int*, MPI_Datatype, void*, const int*, const int*,
         MPI_Datatype, MPI_Comm);
    return next(host(out), out_counts, out_at, out_type, host(in), in_counts, in_at, in_type, comm);
}

int MPI_Alltoallw(const void* out, const int* out_counts, const int* out_at, const MPI_Datatype* out_types,
                  void* in, const int* in_counts, const int* in_at, const MPI_Datatype* in_types,
                  MPI_Comm comm) {
    NEXT(Alltoallw, const void*, const int*, const int*, const MPI_Datatype*, void*, const int*, const int*,
         const MPI_Datatype*, MPI_Comm);
    return next(host(out), out_counts, out_at, out_types, host(in), in_counts, in_at, in_types, comm);
}

int MPI_Alltoall(const void* out, int out_count, MPI_Datatype out_type, void* in, int in_count,
                 MPI_Datatype in_type, MPI_Comm comm) {
    NEXT(Alltoall, const void*, int, MPI_Datatype, void*, int, MPI_Datatype, MPI_Comm);
    return next(host(out), out_count, out_type, host(in), in_count, in_type, comm);
}

int MPI_Allgather(const void* out, int out_count, MPI_Datatype out_type, void* in, int in_count,
                  MPI_Datatype in_type, MPI_Comm comm) {
    NEXT(Allgather, const void*, int, MPI_Datatype, void*, int, MPI_Datatype, MPI_Comm);
    return next(host(out), out_count, out_type, host(in), in_count, in_type, comm);
}

int MPI_Allgatherv(const void* out, int out_count, MPI_Datatype out_type, void* in, const int* in_counts,
                   const int* in_at, MPI_Datatype in_type, MPI_Comm comm) {
    NEXT(Allgatherv, const void*, int, MPI_Datatype, void*, const int*, const int*, MPI_Datatype, MPI_Comm);
    return next(host(out), out_count, out_type, host(in), in_counts, in_at, in_type, comm);
}

#endif
