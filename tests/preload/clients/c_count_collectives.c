// Preloaded, it counts the collective functions that are called through PMPI: those of a shim's own. What the MPI calls inside
// of itself does not come here.
#include <dlfcn.h>
#include <mpi.h>
#include <stddef.h>

static int counted;

int counted_collectives(void) {
    return counted;
}

#define COUNT(name, parameters, ...)                                                                         \
    int name parameters {                                                                                    \
        static int(*next) parameters;                                                                        \
        if (next == NULL) *(void**)&next = dlsym(RTLD_NEXT, #name);                                          \
        ++counted;                                                                                           \
        return next(__VA_ARGS__);                                                                            \
    }

COUNT(PMPI_Barrier, (MPI_Comm comm), comm)
COUNT(PMPI_Bcast, (void* data, int count, MPI_Datatype type, int root, MPI_Comm comm), data, count, type,
      root, comm)
COUNT(PMPI_Reduce,
      (const void* from, void* to, int count, MPI_Datatype type, MPI_Op op, int root, MPI_Comm comm), from,
      to, count, type, op, root, comm)
COUNT(PMPI_Allreduce, (const void* from, void* to, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm),
      from, to, count, type, op, comm)
COUNT(PMPI_Iallreduce,
      (const void* from, void* to, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm,
       MPI_Request* request),
      from, to, count, type, op, comm, request)
COUNT(PMPI_Ibcast, (void* data, int count, MPI_Datatype type, int root, MPI_Comm comm, MPI_Request* request),
      data, count, type, root, comm, request)
COUNT(PMPI_Gather,
      (const void* from, int count, MPI_Datatype type, void* to, int to_count, MPI_Datatype to_type, int root,
       MPI_Comm comm),
      from, count, type, to, to_count, to_type, root, comm)
COUNT(PMPI_Allgather,
      (const void* from, int count, MPI_Datatype type, void* to, int to_count, MPI_Datatype to_type,
       MPI_Comm comm),
      from, count, type, to, to_count, to_type, comm)
COUNT(PMPI_Alltoall,
      (const void* from, int count, MPI_Datatype type, void* to, int to_count, MPI_Datatype to_type,
       MPI_Comm comm),
      from, count, type, to, to_count, to_type, comm)
COUNT(PMPI_Comm_create, (MPI_Comm comm, MPI_Group group, MPI_Comm* made), comm, group, made)
COUNT(PMPI_Comm_create_group, (MPI_Comm comm, MPI_Group group, int tag, MPI_Comm* made), comm, group, tag,
      made)
COUNT(PMPI_Comm_dup, (MPI_Comm comm, MPI_Comm* made), comm, made)
COUNT(PMPI_Comm_split, (MPI_Comm comm, int color, int key, MPI_Comm* made), comm, color, key, made)
COUNT(PMPI_Comm_split_type, (MPI_Comm comm, int type, int key, MPI_Info info, MPI_Comm* made), comm, type,
      key, info, made)
