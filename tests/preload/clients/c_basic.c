/* All collectives with plain datatypes: uniform, ragged, sparse and scattered layouts, in place and
 * not, on the world, a dup, rows and columns (as a two-dimensional FFT makes them), a reversed world and
 * self. */
#include "client.h"

enum { canary = 16 };

struct layout {
    int sendcounts[client_max_ranks], sdispls[client_max_ranks], recvcounts[client_max_ranks],
        rdispls[client_max_ranks];
    int send_items, recv_items;
};

typedef int (*count_of)(int source, int destination, int ranks);

static int uniform(int source, int destination, int ranks) {
    return (void)source, (void)destination, (void)ranks, 3;
}
static int ragged(int source, int destination, int ranks) {
    return (void)ranks, (source * 7 + destination * 3) % 5;
}
static int half_silent(int source, int destination, int ranks) {
    return (void)ranks, source % 2 ? 0 : destination + 1;
}
static int one_hot(int source, int destination, int ranks) {
    return source == 0 && destination == ranks - 1 ? 9 : 0;
}
static int self_only(int source, int destination, int ranks) {
    return (void)ranks, source == destination ? 4 : 0;
}
static int empty(int source, int destination, int ranks) {
    return (void)source, (void)destination, (void)ranks, 0;
}
static int symmetric(int source, int destination, int ranks) {
    return (void)ranks, (source + destination) % 4;
}
static int large(int source, int destination, int ranks) {
    return (void)ranks, 3000 + 1000 * ((source + destination) % 3);
}

static const struct {
    const char* name;
    count_of count;
} patterns[] = {{"uniform", uniform},     {"ragged", ragged}, {"half silent", half_silent},
                {"one hot", one_hot},     {"empty", empty},   {"self only", self_only},
                {"symmetric", symmetric}, {"large", large}};
enum { pattern_count = sizeof patterns / sizeof *patterns };

/* order: 0 ascending and dense, 1 backwards with gaps, 2 a stride through the ranks with gaps. */
static int place(const int* counts, int* displs, int ranks, int order) {
    int at = order ? 2 : 0;
    for (int k = 0; k < ranks; ++k) {
        int peer = order == 1 ? ranks - 1 - k : order == 2 && ranks % 3 ? k * 3 % ranks : k;
        displs[peer] = at;
        at += counts[peer] + (order ? 1 + peer % 3 : 0);
    }
    return at;
}

static void lay_out(struct layout* layout, count_of count, int rank, int ranks, int send_order,
                    int recv_order) {
    for (int peer = 0; peer < ranks; ++peer) {
        layout->sendcounts[peer] = count(rank, peer, ranks);
        layout->recvcounts[peer] = count(peer, rank, ranks);
    }
    layout->send_items = place(layout->sendcounts, layout->sdispls, ranks, send_order);
    layout->recv_items = place(layout->recvcounts, layout->rdispls, ranks, recv_order);
}

/* An in-place call keeps its data in the receive buffer, so that starts with the rank's own bytes, too. */
static void check(struct client_arguments* call, size_t send_bytes, size_t recv_bytes, const char* what) {
    int rank = 0;
    PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
    unsigned char* send = malloc(send_bytes + 1);
    unsigned char* region = malloc(recv_bytes + 2 * canary);
    client_fill(send, send_bytes, rank, 17);
    client_fill(region, recv_bytes + 2 * canary, rank, 99);
    if (call->send != MPI_IN_PLACE) call->send = send;
    call->recv = region + canary;
    client_check(client_run, call, call->comm, rank, region, recv_bytes + 2 * canary, what);
    free(send);
    free(region);
}

static void check_alltoallv(MPI_Comm comm, int rank, int ranks) {
    static const MPI_Datatype types[] = {MPI_INT, MPI_DOUBLE, MPI_CHAR, MPI_SHORT};
    for (int p = 0; p < pattern_count; ++p)
        for (int order = 0; order < 3; ++order) {
            struct layout l;
            int size = 0;
            MPI_Datatype type = types[(p + order) % 4];
            PMPI_Type_size(type, &size);
            lay_out(&l, patterns[p].count, rank, ranks, order, (order + p) % 3);
            struct client_arguments call = {.which = client_alltoallv,
                                            .sendcounts = l.sendcounts,
                                            .sdispls = l.sdispls,
                                            .sendtype = type,
                                            .recvcounts = l.recvcounts,
                                            .rdispls = l.rdispls,
                                            .recvtype = type,
                                            .comm = comm};
            char what[64];
            snprintf(what, sizeof what, "alltoallv, %s, order %d", patterns[p].name, order);
            check(&call, (size_t)l.send_items * (size_t)size, (size_t)l.recv_items * (size_t)size, what);
        }
}

/* The type of a block without items. Open MPI's refuses the null type. */
#ifdef MPICH_VERSION
#define NO_TYPE MPI_DATATYPE_NULL
#else
#define NO_TYPE MPI_BYTE
#endif

/* Every block has a type of its own, which its two ranks agree on, and lies at any byte. An empty block has no type and
 * no place. Open MPI 4.1's multiplies displacements by extents on one rank. */
static void lay_out_types(struct layout* l, MPI_Datatype* sendtypes, MPI_Datatype* recvtypes, count_of count,
                          int rank, int ranks, int order) {
    static const MPI_Datatype types[] = {MPI_INT, MPI_DOUBLE, MPI_CHAR, MPI_SHORT};
    static const int sizes[] = {sizeof(int), sizeof(double), 1, sizeof(short)};
    int sent[client_max_ranks], received[client_max_ranks];
    for (int peer = 0; peer < ranks; ++peer) {
        int type = (rank + peer) % 4;
        l->sendcounts[peer] = count(rank, peer, ranks);
        l->recvcounts[peer] = count(peer, rank, ranks);
        sendtypes[peer] = l->sendcounts[peer] ? types[type] : NO_TYPE;
        recvtypes[peer] = l->recvcounts[peer] ? types[type] : NO_TYPE;
        sent[peer] = l->sendcounts[peer] * sizes[type];
        received[peer] = l->recvcounts[peer] * sizes[type];
    }
    l->send_items = place(sent, l->sdispls, ranks, ranks > 1 ? order : 0);
    l->recv_items = place(received, l->rdispls, ranks, ranks > 1 ? (order + 1) % 3 : 0);
    for (int peer = 0; peer < ranks; ++peer) {
        if (!sent[peer]) l->sdispls[peer] = 1 << 28;
        if (!received[peer]) l->rdispls[peer] = 1 << 28;
    }
}

static void check_alltoallw(MPI_Comm comm, int rank, int ranks) {
    for (int p = 0; p < pattern_count; ++p)
        for (int order = 0; order < 3; ++order)
            for (int in_place = 0; in_place < (patterns[p].count == symmetric ? 2 : 1); ++in_place) {
                struct layout l;
                MPI_Datatype sendtypes[client_max_ranks], recvtypes[client_max_ranks];
                lay_out_types(&l, sendtypes, recvtypes, patterns[p].count, rank, ranks, order);
                struct client_arguments call = {.which = client_alltoallw,
                                                .send = in_place ? MPI_IN_PLACE : NULL,
                                                .sendcounts = in_place ? NULL : l.sendcounts,
                                                .sdispls = in_place ? NULL : l.sdispls,
                                                .sendtypes = in_place ? NULL : sendtypes,
                                                .recvcounts = l.recvcounts,
                                                .rdispls = l.rdispls,
                                                .recvtypes = recvtypes,
                                                .comm = comm};
                char what[64];
                snprintf(what, sizeof what, "alltoallw%s, %s, order %d", in_place ? " in place" : "",
                         patterns[p].name, order);
                check(&call, (size_t)l.send_items, (size_t)l.recv_items, what);
            }
}

/* Blocks of the same sizes on every rank; each rank places them as it likes. MPICH 4.0.2's ignores the
 * displacement on one rank. */
static void check_allgatherv(MPI_Comm comm, int rank, int ranks) {
    static const MPI_Datatype types[] = {MPI_INT, MPI_DOUBLE, MPI_CHAR, MPI_SHORT};
    for (int p = 0; p < pattern_count; ++p)
        for (int order = 0; order < 3; ++order)
            for (int in_place = 0; in_place < 2; ++in_place) {
                int counts[client_max_ranks], displs[client_max_ranks], size = 0;
                MPI_Datatype type = types[(p + order) % 4];
                PMPI_Type_size(type, &size);
                for (int peer = 0; peer < ranks; ++peer)
                    counts[peer] =
                        patterns[p].count(peer, patterns[p].count == one_hot ? ranks - 1 : peer / 2, ranks);
                int items = place(counts, displs, ranks, ranks > 1 ? (order + rank) % 3 : 0);
                struct client_arguments call = {.which = client_allgatherv,
                                                .send = in_place ? MPI_IN_PLACE : NULL,
                                                .sendcount = in_place ? -5 : counts[rank],
                                                .sendtype = in_place ? MPI_DATATYPE_NULL : type,
                                                .recvcounts = counts,
                                                .rdispls = displs,
                                                .recvtype = type,
                                                .comm = comm};
                char what[64];
                snprintf(what, sizeof what, "allgatherv%s, %s, order %d", in_place ? " in place" : "",
                         patterns[p].name, order);
                check(&call, (size_t)counts[rank] * (size_t)size, (size_t)items * (size_t)size, what);
            }
}

/* Programs pass anything for the send arguments of an in-place call: NULL and the null type, or a live type.
 */
static void check_in_place(MPI_Comm comm, int rank, int ranks) {
    static const int nonsense[client_max_ranks] = {-5};
    struct layout l;
    lay_out(&l, symmetric, rank, ranks, 0, 2);
    for (int live = 0; live < 2; ++live) {
        MPI_Datatype sendtype = live ? MPI_DOUBLE : MPI_DATATYPE_NULL;
        const int* unread = live ? nonsense : NULL;
        struct client_arguments v = {.which = client_alltoallv,
                                     .send = MPI_IN_PLACE,
                                     .sendcounts = unread,
                                     .sdispls = unread,
                                     .sendtype = sendtype,
                                     .recvcounts = l.recvcounts,
                                     .rdispls = l.rdispls,
                                     .recvtype = MPI_INT,
                                     .comm = comm};
        check(&v, 0, (size_t)l.recv_items * sizeof(int), "alltoallv in place");
        struct client_arguments a = {.which = client_alltoall,
                                     .send = MPI_IN_PLACE,
                                     .sendcount = live,
                                     .sendtype = sendtype,
                                     .recvcount = 3,
                                     .recvtype = MPI_INT,
                                     .comm = comm};
        check(&a, 0, 3 * sizeof(int) * (size_t)ranks, "alltoall in place");
        struct client_arguments g = {.which = client_allgather,
                                     .send = MPI_IN_PLACE,
                                     .sendcount = live,
                                     .sendtype = sendtype,
                                     .recvcount = 3,
                                     .recvtype = MPI_SHORT,
                                     .comm = comm};
        check(&g, 0, 3 * sizeof(short) * (size_t)ranks, "allgather in place");
    }
}

static void check_fixed(MPI_Comm comm, int ranks) {
    static const int counts[] = {0, 1, 5, 2500};
    for (int i = 0; i < 4; ++i) {
        size_t block = (size_t)counts[i] * sizeof(double);
        struct client_arguments a = {.which = client_alltoall,
                                     .sendcount = counts[i],
                                     .sendtype = MPI_DOUBLE,
                                     .recvcount = counts[i],
                                     .recvtype = MPI_DOUBLE,
                                     .comm = comm};
        check(&a, block * (size_t)ranks, block * (size_t)ranks, "alltoall");
        a.which = client_allgather;
        check(&a, block, block * (size_t)ranks, "allgather");
    }
}

static void check_all(MPI_Comm comm) {
    int rank = 0, ranks = 0;
    PMPI_Comm_rank(comm, &rank);
    PMPI_Comm_size(comm, &ranks);
    check_alltoallv(comm, rank, ranks);
    check_in_place(comm, rank, ranks);
    check_fixed(comm, ranks);
    check_allgatherv(comm, rank, ranks);
    check_alltoallw(comm, rank, ranks);
}

static void check_split(int color, int key) {
    MPI_Comm comm;
    MPI_Comm_split(MPI_COMM_WORLD, color, key, &comm);
    check_all(comm);
    MPI_Comm_free(&comm);
}

int main(int argc, char** argv) {
    MPI_Init(&argc, &argv);
    int rank = 0, ranks = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    int columns = ranks < 4 ? 1 : ranks < 9 ? 2 : 3;
    MPI_Comm dup;
    MPI_Comm_dup(MPI_COMM_WORLD, &dup);
    check_all(MPI_COMM_WORLD);
    check_all(dup);
    check_split(rank / columns, rank);
    check_split(rank % columns, rank);
    check_split(0, -rank);
    check_all(MPI_COMM_SELF);
    MPI_Comm_free(&dup);
    client_finish();
    MPI_Finalize();
    return 0;
}
