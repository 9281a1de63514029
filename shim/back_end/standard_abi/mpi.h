// The mpi.h that libswitchyard-abi.so is compiled with: of the standard ABI of MPI, version 1.0, what our
// code uses. It is the same for every MPI that has this ABI, so it needs none of them.
//
// Source: MPI: A Message-Passing Interface Standard, version 5.0. The chapter "Application Binary Interface
//   (ABI)" gives the
// types, MPI_Status and the constants' values; the annex "Language Bindings Summary" gives the functions.
// tests/preload/test_standard_abi.py compares it with the mpi.h of an installed MPI.
#pragma once

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define MPI_VERSION 5
#define MPI_SUBVERSION 0
#define MPI_ABI_VERSION 1
#define MPI_ABI_SUBVERSION 0

// ---- Types ----------------------------------------------------------------------------------------------

typedef intptr_t MPI_Aint;
typedef int64_t MPI_Count;

// A handle is a pointer to nothing that a program could look at.
typedef struct MPI_ABI_Comm* MPI_Comm;
typedef struct MPI_ABI_Datatype* MPI_Datatype;
typedef struct MPI_ABI_Errhandler* MPI_Errhandler;
typedef struct MPI_ABI_Group* MPI_Group;
typedef struct MPI_ABI_Info* MPI_Info;
typedef struct MPI_ABI_Op* MPI_Op;
typedef struct MPI_ABI_Request* MPI_Request;

typedef struct MPI_Status {
    int MPI_SOURCE;
    int MPI_TAG;
    int MPI_ERROR;
    int MPI_internal[5];
} MPI_Status;

typedef int MPI_Comm_copy_attr_function(MPI_Comm, int, void*, void*, void*, int*);
typedef int MPI_Comm_delete_attr_function(MPI_Comm, int, void*, void*);
typedef int MPI_Type_copy_attr_function(MPI_Datatype, int, void*, void*, void*, int*);
typedef int MPI_Type_delete_attr_function(MPI_Datatype, int, void*, void*);

// ---- Handles --------------------------------------------------------------------------------------------

#define MPI_MIN ((MPI_Op)0x22)
#define MPI_SUM ((MPI_Op)0x21)
#define MPI_MAX ((MPI_Op)0x23)
#define MPI_BAND ((MPI_Op)0x28)
#define MPI_BOR ((MPI_Op)0x29)

#define MPI_COMM_NULL ((MPI_Comm)0x100)
#define MPI_COMM_WORLD ((MPI_Comm)0x101)
#define MPI_COMM_SELF ((MPI_Comm)0x102)
#define MPI_GROUP_NULL ((MPI_Group)0x108)
#define MPI_INFO_NULL ((MPI_Info)0x130)
#define MPI_ERRORS_RETURN ((MPI_Errhandler)0x143)
#define MPI_REQUEST_NULL ((MPI_Request)0x180)

#define MPI_DATATYPE_NULL ((MPI_Datatype)0x200)
#define MPI_INT ((MPI_Datatype)0x209)
#define MPI_UNSIGNED ((MPI_Datatype)0x20d)
#define MPI_UNSIGNED_LONG_LONG ((MPI_Datatype)0x20f)
#define MPI_CHAR ((MPI_Datatype)0x243)
#define MPI_BYTE ((MPI_Datatype)0x247)
#define MPI_UINT64_T ((MPI_Datatype)0x259)

// ---- Addresses ------------------------------------------------------------------------------------------

#define MPI_BOTTOM ((void*)0)
#define MPI_IN_PLACE ((void*)1)
#define MPI_STATUS_IGNORE ((MPI_Status*)0)
#define MPI_COMM_NULL_COPY_FN ((MPI_Comm_copy_attr_function*)0)
#define MPI_TYPE_NULL_COPY_FN ((MPI_Type_copy_attr_function*)0)
#define MPI_TYPE_NULL_DELETE_FN ((MPI_Type_delete_attr_function*)0)

// ---- Numbers --------------------------------------------------------------------------------------------

enum {
    MPI_SUCCESS = 0,
    MPI_ERR_BUFFER = 1,
    MPI_ERR_COUNT = 2,
    MPI_ERR_TRUNCATE = 15,
    MPI_ERR_OTHER = 16,
    MPI_ERR_INTERN = 17,
    MPI_ERR_IN_STATUS = 19,
    MPI_ERR_NO_MEM = 39
};

enum { MPI_ANY_SOURCE = -1, MPI_ANY_TAG = -2, MPI_PROC_NULL = -3, MPI_ROOT = -4, MPI_UNDEFINED = -32766 };
enum { MPI_THREAD_SINGLE = 0, MPI_THREAD_MULTIPLE = 4096 };
enum { MPI_COMBINER_NAMED = 101, MPI_COMBINER_DUP = 102, MPI_COMBINER_CONTIGUOUS = 103 };
enum { MPI_COMBINER_F90_REAL = 113, MPI_COMBINER_F90_COMPLEX = 114, MPI_COMBINER_F90_INTEGER = 115 };
enum { MPI_CART = 211, MPI_GRAPH = 212, MPI_DIST_GRAPH = 213 };
enum { MPI_KEYVAL_INVALID = 0, MPI_TAG_UB = 501 };
enum { MPI_MAX_PROCESSOR_NAME = 256 };

// ---- Functions ------------------------------------------------------------------------------------------

// The process
int PMPI_Initialized(int* flag);
int PMPI_Finalized(int* flag);
int PMPI_Query_thread(int* provided);
int PMPI_Get_processor_name(char* name, int* length);
int PMPI_Error_class(int code, int* error_class);

// Communicators, groups, attributes
int PMPI_Comm_rank(MPI_Comm, int* rank);
int PMPI_Comm_size(MPI_Comm, int* size);
int PMPI_Comm_remote_size(MPI_Comm, int* size);
int PMPI_Comm_test_inter(MPI_Comm, int* flag);
int PMPI_Comm_group(MPI_Comm, MPI_Group*);
int PMPI_Comm_remote_group(MPI_Comm, MPI_Group*);
int PMPI_Comm_create(MPI_Comm, MPI_Group, MPI_Comm* created);
int PMPI_Comm_create_group(MPI_Comm, MPI_Group, int tag, MPI_Comm* created);
int PMPI_Comm_free(MPI_Comm*);
int PMPI_Comm_get_errhandler(MPI_Comm, MPI_Errhandler*);
int PMPI_Comm_set_errhandler(MPI_Comm, MPI_Errhandler);
int PMPI_Errhandler_free(MPI_Errhandler*);
int PMPI_Comm_call_errhandler(MPI_Comm, int code);
int PMPI_Comm_create_keyval(MPI_Comm_copy_attr_function*, MPI_Comm_delete_attr_function*, int* keyval,
                            void* extra);
int PMPI_Comm_free_keyval(int* keyval);
int PMPI_Comm_get_attr(MPI_Comm, int keyval, void* value, int* flag);
int PMPI_Comm_set_attr(MPI_Comm, int keyval, void* value);
int PMPI_Comm_delete_attr(MPI_Comm, int keyval);
int PMPI_Topo_test(MPI_Comm, int* kind);
int PMPI_Cartdim_get(MPI_Comm, int* dimensions);
int PMPI_Cart_shift(MPI_Comm, int dimension, int distance, int* source, int* destination);
int PMPI_Graph_neighbors_count(MPI_Comm, int rank, int* count);
int PMPI_Graph_neighbors(MPI_Comm, int rank, int most, int neighbors[]);
int PMPI_Dist_graph_neighbors_count(MPI_Comm, int* sources, int* destinations, int* weighted);
int PMPI_Dist_graph_neighbors(MPI_Comm, int most_sources, int sources[], int source_weights[],
                              int most_destinations, int destinations[], int destination_weights[]);
int PMPI_Group_size(MPI_Group, int* size);
int PMPI_Group_incl(MPI_Group, int count, const int ranks[], MPI_Group* created);
int PMPI_Group_translate_ranks(MPI_Group, int count, const int ranks[], MPI_Group other, int translated[]);
int PMPI_Group_free(MPI_Group*);

// Messages
int PMPI_Send(const void* buffer, int count, MPI_Datatype, int to, int tag, MPI_Comm);
int PMPI_Isend(const void* buffer, int count, MPI_Datatype, int to, int tag, MPI_Comm, MPI_Request*);
int PMPI_Irecv(void* buffer, int count, MPI_Datatype, int from, int tag, MPI_Comm, MPI_Request*);
int PMPI_Sendrecv(const void* send, int send_count, MPI_Datatype send_type, int to, int send_tag, void* recv,
                  int recv_count, MPI_Datatype recv_type, int from, int recv_tag, MPI_Comm, MPI_Status*);
int PMPI_Iprobe(int from, int tag, MPI_Comm, int* flag, MPI_Status*);
int PMPI_Get_count(const MPI_Status*, MPI_Datatype, int* count);
int PMPI_Test(MPI_Request*, int* flag, MPI_Status*);
int PMPI_Testany(int count, MPI_Request[], int* index, int* flag, MPI_Status*);
int PMPI_Cancel(MPI_Request*);
int PMPI_Wait(MPI_Request*, MPI_Status*);
int PMPI_Waitany(int count, MPI_Request[], int* index, MPI_Status*);
int PMPI_Waitsome(int count, MPI_Request[], int* completed, int indices[], MPI_Status[]);

// Collectives
int PMPI_Bcast(void* buffer, int count, MPI_Datatype, int root, MPI_Comm);
int PMPI_Barrier(MPI_Comm comm);
int PMPI_Gather(const void* send, int send_count, MPI_Datatype send_type, void* recv, int recv_count,
                MPI_Datatype recv_type, int root, MPI_Comm);
int PMPI_Allgather(const void* send, int send_count, MPI_Datatype send_type, void* recv, int recv_count,
                   MPI_Datatype recv_type, MPI_Comm);
int PMPI_Allgatherv(const void* send, int send_count, MPI_Datatype send_type, void* recv,
                    const int recv_counts[], const int places[], MPI_Datatype recv_type, MPI_Comm);
int PMPI_Neighbor_alltoall(const void* send, int send_count, MPI_Datatype send_type, void* recv,
                           int recv_count, MPI_Datatype recv_type, MPI_Comm);
int PMPI_Neighbor_alltoallv(const void* send, const int send_counts[], const int send_places[],
                            MPI_Datatype send_type, void* recv, const int recv_counts[],
                            const int recv_places[], MPI_Datatype recv_type, MPI_Comm);
int PMPI_Alltoall(const void* send, int send_count, MPI_Datatype send_type, void* recv, int recv_count,
                  MPI_Datatype recv_type, MPI_Comm);
int PMPI_Alltoallv(const void* send, const int send_counts[], const int send_places[], MPI_Datatype send_type,
                   void* recv, const int recv_counts[], const int recv_places[], MPI_Datatype recv_type,
                   MPI_Comm);
int PMPI_Reduce(const void* send, void* recv, int count, MPI_Datatype, MPI_Op, int root, MPI_Comm);
int PMPI_Allreduce(const void* send, void* recv, int count, MPI_Datatype, MPI_Op, MPI_Comm);

// Datatypes
int PMPI_Type_contiguous(int count, MPI_Datatype, MPI_Datatype* created);
int PMPI_Type_create_hindexed(int count, const int lengths[], const MPI_Aint offsets[], MPI_Datatype,
                              MPI_Datatype* created);
int PMPI_Type_create_struct(int count, const int lengths[], const MPI_Aint offsets[],
                            const MPI_Datatype types[], MPI_Datatype* created);
int PMPI_Type_commit(MPI_Datatype*);
int PMPI_Type_free(MPI_Datatype*);
int PMPI_Type_size(MPI_Datatype, int* size);
int PMPI_Type_size_x(MPI_Datatype, MPI_Count* size);
int PMPI_Type_get_extent_x(MPI_Datatype, MPI_Count* lower_bound, MPI_Count* extent);
int PMPI_Type_get_true_extent(MPI_Datatype, MPI_Aint* lower_bound, MPI_Aint* extent);
int PMPI_Type_get_envelope(MPI_Datatype, int* integers, int* addresses, int* types, int* combiner);
int PMPI_Type_get_envelope_c(MPI_Datatype, MPI_Count* integers, MPI_Count* addresses, MPI_Count* counts,
                             MPI_Count* types, int* combiner);
int PMPI_Type_get_contents(MPI_Datatype, int max_integers, int max_addresses, int max_types, int integers[],
                           MPI_Aint addresses[], MPI_Datatype types[]);
int PMPI_Type_create_keyval(MPI_Type_copy_attr_function*, MPI_Type_delete_attr_function*, int* keyval,
                            void* extra);
int PMPI_Type_get_attr(MPI_Datatype, int keyval, void* value, int* flag);
int PMPI_Type_set_attr(MPI_Datatype, int keyval, void* value);
int PMPI_Get_address(const void* location, MPI_Aint* address);
int PMPI_Pack(const void* from, int count, MPI_Datatype, void* to, int size, int* position, MPI_Comm);
int PMPI_Unpack(const void* from, int size, int* position, void* to, int count, MPI_Datatype, MPI_Comm);

#ifdef __cplusplus
}
#endif
