/* A preloaded library that does to one call what the random oracle must notice: to the first one of MPI_Alltoall, MPI_Alltoallv
 * or MPI_Allgather on rank 1 of the world that has room for it. HARM in the environment says what:
 * byte    the first byte of a received block is another one
 * swap    two received blocks have changed places
 * stale   a received block is as it was before the call
 * before  the byte before the received blocks is another one
 * hole    a byte between the items of a received block is another one
 * sent    a byte of the send buffer is another one
 * hang    the call does not end
 * crash   the call ends with a signal */
#include <mpi.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define EXPORTED __attribute__((visibility("default")))

/* What a call received. One count, or one for each block. */
struct received {
    char* buffer;
    int count;
    const int *counts, *displacements;
    MPI_Datatype type;
    const void* send;
    int blocks;
};

struct block {
    char* begin; /* of its first byte */
    MPI_Aint bytes;
    int count;
};

static int done;

static int is(const char* harm) {
    const char* wanted = getenv("HARM");
    return wanted && strcmp(wanted, harm) == 0;
}

static int is_victim(void) {
    int rank;
    PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
    return rank == 1 && !done;
}

static struct block block_of(const struct received* call, int i) {
    MPI_Aint lower, extent, true_lower, true_extent;
    PMPI_Type_get_extent(call->type, &lower, &extent);
    PMPI_Type_get_true_extent(call->type, &true_lower, &true_extent);
    const int count = call->counts ? call->counts[i] : call->count;
    const MPI_Aint items = call->counts ? call->displacements[i] : (MPI_Aint)i * call->count;
    return (struct block){call->buffer + items * extent + true_lower,
                          count ? (count - 1) * extent + true_extent : 0, count};
}

static int is_plain(MPI_Datatype type) {
    MPI_Aint lower, extent;
    int size;
    PMPI_Type_get_extent(type, &lower, &extent);
    PMPI_Type_size(type, &size);
    int integers, addresses, types, combiner;
    PMPI_Type_get_envelope(type, &integers, &addresses, &types, &combiner);
    return combiner == MPI_COMBINER_NAMED && lower == 0 && size == extent;
}

/* A byte that belongs to no item, or null. */
static char* hole_in(const struct received* call, const struct block* block) {
    MPI_Aint lower, extent, true_lower, true_extent;
    PMPI_Type_get_extent(call->type, &lower, &extent);
    PMPI_Type_get_true_extent(call->type, &true_lower, &true_extent);
    return block->count > 1 && true_extent > 0 && extent > true_extent ? block->begin + true_extent : NULL;
}

static void change(char* byte) {
    if (!byte) return;
    *byte ^= 1;
    done = 1;
}

static void swap(struct block one, struct block other) {
    if (one.bytes != other.bytes || memcmp(one.begin, other.begin, (size_t)one.bytes) == 0) return;
    for (MPI_Aint i = 0; i < one.bytes; ++i) {
        const char kept = one.begin[i];
        one.begin[i] = other.begin[i];
        other.begin[i] = kept;
    }
    done = 1;
}

static void harm(const struct received* call) {
    char* lowest = NULL;
    for (int i = 0; i < call->blocks && !done; ++i) {
        struct block block = block_of(call, i);
        if (block.bytes <= 0) continue;
        if (!lowest || block.begin < lowest) lowest = block.begin;
        if (is("byte")) change(block.begin);
        if (is("hole")) change(hole_in(call, &block));
        if (is("swap") && i > 0 && is_plain(call->type)) swap(block_of(call, i - 1), block);
    }
    if (is("before") && !done && lowest) change(lowest - 1);
    if (is("sent") && !done && lowest && call->send && call->send != MPI_IN_PLACE && is_plain(call->type))
        change((char*)call->send);
    if (is("hang"))
        for (;;) pause();
    if (is("crash")) raise(SIGSEGV);
}

/* A block's bytes before the call; they are put back afterwards. */
static char* kept_of(const struct received* call, struct block* block) {
    if (!is_victim() || !is("stale") || !is_plain(call->type)) return NULL;
    *block = block_of(call, 0);
    char* kept = malloc((size_t)block->bytes + 1);
    memcpy(kept, block->begin, (size_t)block->bytes);
    return kept;
}

static void put_back(char* kept, const struct block* block) {
    if (!kept) return;
    done = memcmp(kept, block->begin, (size_t)block->bytes) != 0;
    memcpy(block->begin, kept, (size_t)block->bytes);
    free(kept);
}

static int blocks_of(MPI_Comm comm) {
    int is_inter, blocks;
    PMPI_Comm_test_inter(comm, &is_inter);
    (is_inter ? PMPI_Comm_remote_size : PMPI_Comm_size)(comm, &blocks);
    return blocks;
}

EXPORTED int MPI_Alltoall(const void* send, int sendcount, MPI_Datatype sendtype, void* recv, int recvcount,
                          MPI_Datatype recvtype, MPI_Comm comm) {
    struct received call = {
        .buffer = recv, .count = recvcount, .type = recvtype, .send = send, .blocks = blocks_of(comm)};
    struct block block = {0};
    char* kept = kept_of(&call, &block);
    const int code = PMPI_Alltoall(send, sendcount, sendtype, recv, recvcount, recvtype, comm);
    put_back(kept, &block);
    if (is_victim()) harm(&call);
    return code;
}

EXPORTED int MPI_Allgather(const void* send, int sendcount, MPI_Datatype sendtype, void* recv, int recvcount,
                           MPI_Datatype recvtype, MPI_Comm comm) {
    struct received call = {
        .buffer = recv, .count = recvcount, .type = recvtype, .send = send, .blocks = blocks_of(comm)};
    struct block block = {0};
    char* kept = kept_of(&call, &block);
    const int code = PMPI_Allgather(send, sendcount, sendtype, recv, recvcount, recvtype, comm);
    put_back(kept, &block);
    if (is_victim()) harm(&call);
    return code;
}

EXPORTED int MPI_Alltoallv(const void* send, const int* sendcounts, const int* sdispls, MPI_Datatype sendtype,
                           void* recv, const int* recvcounts, const int* rdispls, MPI_Datatype recvtype,
                           MPI_Comm comm) {
    struct received call = {.buffer = recv,
                            .counts = recvcounts,
                            .displacements = rdispls,
                            .type = recvtype,
                            .blocks = blocks_of(comm)};
    struct block block = {0};
    char* kept = kept_of(&call, &block);
    const int code =
        PMPI_Alltoallv(send, sendcounts, sdispls, sendtype, recv, recvcounts, rdispls, recvtype, comm);
    put_back(kept, &block);
    if (is_victim()) harm(&call);
    return code;
}
