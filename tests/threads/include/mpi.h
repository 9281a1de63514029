// The mpi.h of MPI programs whose ranks are threads (tests/threads): that of the standard ABI, and what tests
// use besides.
#pragma once

#include "shim/back_end/standard_abi/mpi.h"

#ifdef __cplusplus
extern "C" {
#endif

#define MPI_ERRORS_ARE_FATAL ((MPI_Errhandler)0x141)
#define MPI_LONG ((MPI_Datatype)0x20a)

int MPI_Init(int* argc, char*** argv);
int MPI_Finalize(void);
int PMPI_Alltoallv(const void* send, const int send_counts[], const int send_offsets[],
                   MPI_Datatype send_type, void* recv, const int recv_counts[], const int recv_offsets[],
                   MPI_Datatype recv_type, MPI_Comm);
int PMPI_Barrier(MPI_Comm);
int PMPI_Comm_dup(MPI_Comm, MPI_Comm* created);
int PMPI_Comm_split(MPI_Comm, int color, int key, MPI_Comm* created);
int PMPI_Recv(void* buffer, int count, MPI_Datatype, int from, int tag, MPI_Comm, MPI_Status*);

#ifdef __cplusplus
}
#endif
