/* What every C client program shares: the count of the calls it makes, a digest of all data it received, and a
 * check of one call against its PMPI_ twin. From a C program the preloaded shim takes only the MPI_ name, so
 * PMPI_ is the bare library: each client program carries its own oracle. */
#ifndef SWITCHYARD_TESTS_PRELOAD_HOST_H
#define SWITCHYARD_TESTS_PRELOAD_HOST_H

#include <mpi.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { client_max_ranks = 64 };

static atomic_ullong
    client_calls; /* collective calls, counted where this rank is rank 0 of the communicator */
static atomic_ullong
    client_digest; /* sum of the hashes of everything received: threads may add in any order */

#define CLIENT_UNUSED __attribute__((unused))

CLIENT_UNUSED __attribute__((format(printf, 1, 2))) static void client_fail(const char* format, ...) {
    va_list arguments;
    va_start(arguments, format);
    fputs("FAILED: ", stdout);
    vprintf(format, arguments);
    putchar('\n');
    va_end(arguments);
    fflush(stdout);
    PMPI_Abort(MPI_COMM_WORLD, 1);
}

/* One log line stands for one call of a whole communicator, so only its rank 0 counts; on MPI_COMM_NULL
 * nobody does. */
CLIENT_UNUSED static void client_count(MPI_Comm comm) {
    int rank = 1;
    if (comm != MPI_COMM_NULL) PMPI_Comm_rank(comm, &rank);
    if (rank == 0) atomic_fetch_add(&client_calls, 1);
}

/* Eight bytes a step. Byte by byte, hashes and comparisons were a sixth of a job. */
CLIENT_UNUSED static uint64_t client_hash(uint64_t seed, const void* data, size_t bytes) {
    const unsigned char* byte = data;
    uint64_t hash = seed ^ 1469598103934665603u;
    for (size_t left = bytes; left > 0;) {
        const size_t step = left < sizeof hash ? left : sizeof hash;
        uint64_t word = 0;
        memcpy(&word, byte, step);
        hash = (hash ^ word) * 1099511628211u;
        hash ^= hash >> 32;
        byte += step;
        left -= step;
    }
    return hash;
}

/* `what` and the rank in the world go into the hash: equal data in the wrong place must not cancel out. */
CLIENT_UNUSED static void client_digest_add(const char* what, int rank, const void* data, size_t bytes) {
    uint64_t seed = client_hash((uint64_t)rank + 1, what, strlen(what));
    atomic_fetch_add(&client_digest, client_hash(seed, data, bytes));
}

/* Runs one call, by its MPI_ name or (bare) by its PMPI_ name. */
typedef int (*client_call)(const void* arguments, int bare);

/* The call writes into [region, region + bytes). It is made bare first, then again from the same starting
 * bytes through MPI_; the whole region, gaps included, must come out the same. Working on one region keeps
 * absolute addresses (MPI_BOTTOM) valid for both. */
CLIENT_UNUSED static void client_check(client_call call, const void* arguments, MPI_Comm comm, int rank,
                                       void* region, size_t bytes, const char* what) {
    unsigned char* before = malloc(bytes + 1);
    unsigned char* expected = malloc(bytes + 1);
    memcpy(before, region, bytes);
    if (call(arguments, 1) != MPI_SUCCESS) client_fail("%s: the bare call failed on rank %d", what, rank);
    memcpy(expected, region, bytes);
    memcpy(region, before, bytes);
    client_count(comm);
    if (call(arguments, 0) != MPI_SUCCESS) client_fail("%s: the call failed on rank %d", what, rank);
    if (memcmp(region, expected, bytes) != 0) {
        size_t i = 0;
        while (((unsigned char*)region)[i] == expected[i]) ++i;
        client_fail("%s: rank %d differs from PMPI_ at byte %zu of %zu", what, rank, i, bytes);
    }
    client_digest_add(what, rank, region, bytes);
    free(before);
    free(expected);
}

/* One call of any collective, in the arguments of the C binding; alltoall and allgather use the single counts,
 * and so does the send side of allgatherv. alltoallw uses the arrays of types, and its displacements are bytes. */
struct client_arguments {
    enum client_collective {
        client_alltoallv,
        client_alltoall,
        client_allgather,
        client_allgatherv,
        client_alltoallw
    } which;
    const void* send;
    const int* sendcounts;
    const int* sdispls;
    int sendcount;
    MPI_Datatype sendtype;
    const MPI_Datatype* sendtypes;
    void* recv;
    const int* recvcounts;
    const int* rdispls;
    int recvcount;
    MPI_Datatype recvtype;
    const MPI_Datatype* recvtypes;
    MPI_Comm comm;
};

CLIENT_UNUSED static int client_run(const void* pointer, int bare) {
    const struct client_arguments* a = pointer;
    switch (a->which) {
    case client_alltoallv:
        return (bare ? PMPI_Alltoallv : MPI_Alltoallv)(a->send, a->sendcounts, a->sdispls, a->sendtype,
                                                       a->recv, a->recvcounts, a->rdispls, a->recvtype,
                                                       a->comm);
    case client_alltoall:
        return (bare ? PMPI_Alltoall : MPI_Alltoall)(a->send, a->sendcount, a->sendtype, a->recv,
                                                     a->recvcount, a->recvtype, a->comm);
    case client_allgather:
        return (bare ? PMPI_Allgather : MPI_Allgather)(a->send, a->sendcount, a->sendtype, a->recv,
                                                       a->recvcount, a->recvtype, a->comm);
    case client_allgatherv:
        return (bare ? PMPI_Allgatherv : MPI_Allgatherv)(a->send, a->sendcount, a->sendtype, a->recv,
                                                         a->recvcounts, a->rdispls, a->recvtype, a->comm);
    case client_alltoallw:
        return (bare ? PMPI_Alltoallw : MPI_Alltoallw)(a->send, a->sendcounts, a->sdispls, a->sendtypes,
                                                       a->recv, a->recvcounts, a->rdispls, a->recvtypes,
                                                       a->comm);
    }
    return MPI_ERR_ARG;
}

/* Sums calls and digests over `comm`, which must hold every rank of the job, and prints the one line of
 * success. */
CLIENT_UNUSED static void client_finish_on(MPI_Comm comm) {
    unsigned long long mine[2] = {atomic_load(&client_calls), atomic_load(&client_digest)};
    unsigned long long all[2] = {0, 0};
    int rank = 0;
    PMPI_Comm_rank(comm, &rank);
    PMPI_Reduce(mine, all, 2, MPI_UNSIGNED_LONG_LONG, MPI_SUM, 0, comm);
    if (rank == 0) {
        printf("ok calls=%llu digest=%016llx\n", all[0], all[1]);
        fflush(stdout);
    }
}

CLIENT_UNUSED static void client_finish(void) {
    client_finish_on(MPI_COMM_WORLD);
}

/* Bytes that depend on who wrote them and where: a block in the wrong place shows. */
CLIENT_UNUSED static void client_fill(void* data, size_t bytes, int rank, unsigned salt) {
    unsigned char* byte = data;
    uint64_t state = (uint64_t)(unsigned)rank * 0x9E3779B97F4A7C15u + salt + 1;
    for (size_t i = 0; i < bytes; ++i) {
        state = state * 6364136223846793005u + 1442695040888963407u;
        byte[i] = (unsigned char)(state >> 56);
    }
}

#endif
