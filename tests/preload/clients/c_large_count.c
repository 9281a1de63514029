/* The large-count bindings of MPI 4: MPI_Count counts, MPI_Aint displacements, in place and not, derived
 * types too. */
#include "client.h"

enum { rounds = 5 };

struct large_arguments {
    enum { large_alltoallv, large_alltoall, large_allgather, large_allgatherv, large_alltoallw } which;
    const void* send;
    const MPI_Count* sendcounts;
    const MPI_Aint* sdispls;
    MPI_Count sendcount;
    MPI_Datatype sendtype;
    const MPI_Datatype* sendtypes;
    void* recv;
    const MPI_Count* recvcounts;
    const MPI_Aint* rdispls;
    MPI_Count recvcount;
    MPI_Datatype recvtype;
    const MPI_Datatype* recvtypes;
    MPI_Comm comm;
};

static int run(const void* pointer, int bare) {
    const struct large_arguments* a = pointer;
    switch (a->which) {
    case large_alltoallv:
        return (bare ? PMPI_Alltoallv_c : MPI_Alltoallv_c)(a->send, a->sendcounts, a->sdispls, a->sendtype,
                                                           a->recv, a->recvcounts, a->rdispls, a->recvtype,
                                                           a->comm);
    case large_alltoall:
        return (bare ? PMPI_Alltoall_c : MPI_Alltoall_c)(a->send, a->sendcount, a->sendtype, a->recv,
                                                         a->recvcount, a->recvtype, a->comm);
    case large_allgather:
        return (bare ? PMPI_Allgather_c : MPI_Allgather_c)(a->send, a->sendcount, a->sendtype, a->recv,
                                                           a->recvcount, a->recvtype, a->comm);
    case large_allgatherv:
        return (bare ? PMPI_Allgatherv_c : MPI_Allgatherv_c)(a->send, a->sendcount, a->sendtype, a->recv,
                                                             a->recvcounts, a->rdispls, a->recvtype, a->comm);
    case large_alltoallw:
        return (bare ? PMPI_Alltoallw_c : MPI_Alltoallw_c)(a->send, a->sendcounts, a->sdispls, a->sendtypes,
                                                           a->recv, a->recvcounts, a->rdispls, a->recvtypes,
                                                           a->comm);
    }
    return MPI_ERR_ARG;
}

static void check(struct large_arguments* call, int in_place, size_t items, int round, const char* what) {
    int rank, size;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Type_size(call->recvtype, &size);
    size_t bytes = (items + 4) * (size_t)size;
    unsigned char *send = malloc(bytes), *recv = malloc(bytes);
    client_fill(send, bytes, rank, (unsigned)round);
    client_fill(recv, bytes, rank, 1000u + (unsigned)round);
    call->send = in_place ? MPI_IN_PLACE : send;
    call->recv = recv;
    if (in_place) {
        call->sendcounts = NULL;
        call->sdispls = NULL;
        call->sendcount = 0;
        call->sendtype = MPI_DATATYPE_NULL;
        call->sendtypes = NULL;
    }
    client_check(run, call, call->comm, rank, recv, bytes, what);
    free(send);
    free(recv);
}

static void check_alltoallv(MPI_Comm comm, MPI_Datatype type, int round, int in_place) {
    int rank, ranks;
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &ranks);
    MPI_Count sendcounts[client_max_ranks], recvcounts[client_max_ranks];
    MPI_Aint sdispls[client_max_ranks], rdispls[client_max_ranks], sent = 0, received = 0;
    for (int peer = ranks - 1; peer >= 0; --peer) {
        sendcounts[peer] = in_place ? (rank + peer + round) % 5 : (rank * 3 + peer + round) % 5;
        recvcounts[peer] = in_place ? (rank + peer + round) % 5 : (peer * 3 + rank + round) % 5;
        sdispls[peer] = sent;
        rdispls[peer] = received;
        sent += sendcounts[peer];
        received += recvcounts[peer] + 1;
    }
    struct large_arguments call = {.which = large_alltoallv,
                                   .sendcounts = sendcounts,
                                   .sdispls = sdispls,
                                   .sendtype = type,
                                   .recvcounts = recvcounts,
                                   .rdispls = rdispls,
                                   .recvtype = type,
                                   .comm = comm};
    check(&call, in_place, (size_t)(sent > received ? sent : received), round, "large alltoallv");
    MPI_Datatype types[client_max_ranks];
    MPI_Aint lower, extent;
    MPI_Type_get_extent(type, &lower, &extent);
    for (int peer = 0; peer < ranks; ++peer) {
        types[peer] = type;
        sdispls[peer] *= extent;
        rdispls[peer] *= extent;
    }
    call.which = large_alltoallw;
    call.sendcounts = sendcounts;
    call.sdispls = sdispls;
    call.sendtypes = call.recvtypes = types;
    check(&call, in_place, (size_t)(sent > received ? sent : received), round, "large alltoallw");
}

static void check_allgatherv(MPI_Comm comm, MPI_Datatype type, int round, int in_place) {
    int rank, ranks;
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &ranks);
    MPI_Count counts[client_max_ranks];
    MPI_Aint displs[client_max_ranks], received = 0;
    for (int peer = ranks - 1; peer >= 0; --peer) {
        counts[peer] = (3 * peer + round) % 5;
        displs[peer] = received;
        received += counts[peer] + rank % 2;
    }
    struct large_arguments call = {.which = large_allgatherv,
                                   .sendcount = counts[rank],
                                   .sendtype = type,
                                   .recvcounts = counts,
                                   .rdispls = displs,
                                   .recvtype = type,
                                   .comm = comm};
    check(&call, in_place, (size_t)received + 5, round, "large allgatherv");
}

static void check_fixed(MPI_Comm comm, MPI_Datatype type, int round, int in_place) {
    int ranks;
    MPI_Comm_size(comm, &ranks);
    struct large_arguments call = {.which = large_alltoall,
                                   .sendcount = round,
                                   .sendtype = type,
                                   .recvcount = round,
                                   .recvtype = type,
                                   .comm = comm};
    check(&call, in_place, (size_t)(round * ranks), round, "large alltoall");
    struct large_arguments gather = {.which = large_allgather,
                                     .sendcount = round,
                                     .sendtype = type,
                                     .recvcount = round,
                                     .recvtype = type,
                                     .comm = comm};
    check(&gather, in_place, (size_t)(round * ranks), round, "large allgather");
}

int main(int argc, char** argv) {
    MPI_Init(&argc, &argv);
    int rank;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm half;
    MPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank, &half);
    MPI_Datatype swapped, types[3] = {MPI_INT, MPI_DOUBLE, MPI_DATATYPE_NULL};
    int backwards[] = {1, 0};
    MPI_Type_create_indexed_block(2, 1, backwards, MPI_INT, &swapped);
    MPI_Type_commit(&swapped);
    types[2] = swapped;
    for (int round = 0; round < rounds; ++round)
        for (int in_place = 0; in_place < 2; ++in_place) {
            check_alltoallv(MPI_COMM_WORLD, types[round % 3], round, in_place);
            check_alltoallv(half, types[(round + 1) % 3], round, in_place);
            check_fixed(MPI_COMM_WORLD, types[round % 3], round, in_place);
            check_fixed(half, types[(round + 1) % 3], round, in_place);
            check_allgatherv(MPI_COMM_WORLD, types[round % 3], round, in_place);
            check_allgatherv(half, types[(round + 1) % 3], round, in_place);
        }
    MPI_Type_free(&swapped);
    MPI_Comm_free(&half);
    client_finish();
    MPI_Finalize();
    return 0;
}
