/* Every collective that is only counted, with MPI 4 in all its forms: on several communicators, in place with garbage in what is not significant, on
 * intercommunicators and on topologies; with `refused` also with arguments that MPI refuses (Debian's MPICH checks none); with
 * `kill` the ranks end as a scheduler ends them. Prints how many calls of each it made, and the bytes that the ranks sent,
 * counted here from what each call means. */
#include "client.h"

#include <signal.h>

enum { most_kinds = 160, items = 3, garbage = -77 };

static struct kind {
    const char* name;
    unsigned long long calls, bytes;
} kinds[most_kinds];
static int kind_count;
static int world_rank, world_ranks;

static int send[8 * client_max_ranks], recv[8 * client_max_ranks];
static int counts[client_max_ranks], places[client_max_ranks], byte_places[client_max_ranks];
static MPI_Aint address_places[client_max_ranks];
static MPI_Datatype types[client_max_ranks];
static int junk[client_max_ranks];

/* The call has been made; this rank sent so many ints. */
static void note(const char* name, long long ints) {
    int i = 0;
    while (i < kind_count && strcmp(kinds[i].name, name)) ++i;
    if (i == kind_count) kinds[kind_count++].name = name;
    ++kinds[i].calls;
    kinds[i].bytes += (unsigned long long)ints * sizeof(int);
    client_digest_add(name, world_rank, recv, sizeof recv);
}

static void fill(void) {
    for (size_t i = 0; i < sizeof send / sizeof *send; ++i) {
        send[i] = world_rank * 1000 + (int)i;
        recv[i] = 7 * world_rank - (int)i;
    }
}

static void must(int code, const char* name) {
    if (code != MPI_SUCCESS) client_fail("%s: error %d on rank %d", name, code, world_rank);
}

#define CALL(name, ints, function, ...)                                                                      \
    do {                                                                                                     \
        fill();                                                                                              \
        must(function(__VA_ARGS__), name);                                                                   \
        note(name, ints);                                                                                    \
    } while (0)
#define START(name, ints, function, ...)                                                                     \
    do {                                                                                                     \
        MPI_Request request;                                                                                 \
        fill();                                                                                              \
        must(function(__VA_ARGS__, &request), name);                                                         \
        must(MPI_Wait(&request, MPI_STATUS_IGNORE), name);                                                   \
        note(name, ints);                                                                                    \
    } while (0)
/* `MPI_I` and the name in lower case is the nonblocking function; the blocking one begins with a capital. */
#define blocking_barrier MPI_Barrier
#define blocking_bcast MPI_Bcast
#define blocking_reduce MPI_Reduce
#define blocking_allreduce MPI_Allreduce
#define blocking_scan MPI_Scan
#define blocking_exscan MPI_Exscan
#define blocking_gather MPI_Gather
#define blocking_scatter MPI_Scatter
#define blocking_reduce_scatter_block MPI_Reduce_scatter_block
#define blocking_gatherv MPI_Gatherv
#define blocking_scatterv MPI_Scatterv
#define blocking_reduce_scatter MPI_Reduce_scatter
#define blocking_neighbor_allgather MPI_Neighbor_allgather
#define blocking_neighbor_alltoall MPI_Neighbor_alltoall
#define blocking_neighbor_allgatherv MPI_Neighbor_allgatherv
#define blocking_neighbor_alltoallv MPI_Neighbor_alltoallv
#define blocking_neighbor_alltoallw MPI_Neighbor_alltoallw
#define blocking_alltoall MPI_Alltoall
#define blocking_alltoallv MPI_Alltoallv
#define blocking_alltoallw MPI_Alltoallw
#define blocking_allgather MPI_Allgather
#define blocking_allgatherv MPI_Allgatherv
#if MPI_VERSION >= 4
static MPI_Count wide_counts[client_max_ranks], wide_junk[client_max_ranks];
static MPI_Aint wide_places[client_max_ranks];
#define JOINED(function, end) JOINED_(function, end)
#define JOINED_(function, end) function##end
/* Counts and places of a function for large counts have the names of the others. */
#define WIDE                                                                                                 \
    const MPI_Count *const counts = wide_counts, *const junk = wide_junk;                                    \
    const MPI_Aint *const places = wide_places, *const byte_places = address_places;                         \
    (void)counts, (void)junk, (void)places, (void)byte_places
/* MPICH 4.0's persistent scatter fails on three ranks at its second start. */
#define PERSISTENT(name, ints, function, ...)                                                                \
    do {                                                                                                     \
        if (world_ranks > 2 && !strcmp(name, "scatter")) break;                                              \
        MPI_Request request;                                                                                 \
        must(function(__VA_ARGS__, MPI_INFO_NULL, &request), name "_init");                                  \
        note(name "_init", 0);                                                                               \
        fill();                                                                                              \
        must(MPI_Start(&request), name "_start");                                                            \
        must(MPI_Wait(&request, MPI_STATUS_IGNORE), name);                                                   \
        note(name "_start", ints);                                                                           \
        fill();                                                                                              \
        must(MPI_Startall(1, &request), name "_start");                                                      \
        must(MPI_Wait(&request, MPI_STATUS_IGNORE), name);                                                   \
        note(name "_start", ints);                                                                           \
        must(MPI_Request_free(&request), name);                                                              \
    } while (0)
#define MPI_4(name, ints, function, ...)                                                                     \
    PERSISTENT(name, ints, JOINED(blocking_##function, _init), __VA_ARGS__);                                 \
    do {                                                                                                     \
        WIDE;                                                                                                \
        LARGE_##function(name, ints, function, __VA_ARGS__);                                                 \
    } while (0)
#define LARGE(name, ints, function, ...)                                                                     \
    START("i" name, ints, MPI_I##function##_c, __VA_ARGS__);                                                 \
    PERSISTENT(name, ints, JOINED(blocking_##function, _init_c), __VA_ARGS__)
#define LARGE_AND_BLOCKING(name, ints, function, ...)                                                        \
    CALL(name, ints, JOINED(blocking_##function, _c), __VA_ARGS__);                                          \
    LARGE(name, ints, function, __VA_ARGS__)
/* A barrier has no counts; the blocking functions of the last five are routed. */
#define LARGE_barrier(...)
#define LARGE_bcast LARGE_AND_BLOCKING
#define LARGE_reduce LARGE_AND_BLOCKING
#define LARGE_allreduce LARGE_AND_BLOCKING
#define LARGE_scan LARGE_AND_BLOCKING
#define LARGE_exscan LARGE_AND_BLOCKING
#define LARGE_gather LARGE_AND_BLOCKING
#define LARGE_scatter LARGE_AND_BLOCKING
#define LARGE_reduce_scatter_block LARGE_AND_BLOCKING
#define LARGE_gatherv LARGE_AND_BLOCKING
#define LARGE_scatterv LARGE_AND_BLOCKING
#define LARGE_reduce_scatter LARGE_AND_BLOCKING
#define LARGE_neighbor_allgather LARGE_AND_BLOCKING
#define LARGE_neighbor_alltoall LARGE_AND_BLOCKING
#define LARGE_neighbor_allgatherv LARGE_AND_BLOCKING
#define LARGE_neighbor_alltoallv LARGE_AND_BLOCKING
#define LARGE_neighbor_alltoallw LARGE_AND_BLOCKING
#define LARGE_alltoall LARGE
#define LARGE_alltoallv LARGE
#define LARGE_alltoallw LARGE
#define LARGE_allgather LARGE
#define LARGE_allgatherv LARGE
#else
#define MPI_4(...) (void)0
#endif
/* A call, and its nonblocking form; where the MPI has them, the persistent form and the three for large counts. */
#define ALL(name, ints, function, ...)                                                                       \
    CALL(name, ints, blocking_##function, __VA_ARGS__);                                                      \
    START("i" name, ints, MPI_I##function, __VA_ARGS__);                                                     \
    MPI_4(name, ints, function, __VA_ARGS__)
/* The same without the blocking forms, which are routed. */
#define NOT_BLOCKING(name, ints, function, ...)                                                              \
    START("i" name, ints, MPI_I##function, __VA_ARGS__);                                                     \
    MPI_4(name, ints, function, __VA_ARGS__)

/* Blocks of `items` or, in the arrays, of 1 + rank % items. */
static int block_of(int rank) {
    return 1 + rank % items;
}
static int lay_out(int ranks, int counted) {
    int sum = 0;
    for (int i = 0; i < ranks; ++i) {
        counts[i] = counted < 0 ? block_of(i) : counted;
        places[i] = sum;
        byte_places[i] = sum * (int)sizeof(int);
        address_places[i] = byte_places[i];
        types[i] = MPI_INT;
        junk[i] = garbage;
#if MPI_VERSION >= 4
        wide_counts[i] = counts[i];
        wide_places[i] = places[i];
        wide_junk[i] = junk[i];
#endif
        sum += counts[i];
    }
    return sum;
}

#define AT_ROOT(counts) (is_root ? (counts) : junk)

static void plain(MPI_Comm comm) {
    int rank, ranks;
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &ranks);
    const int root = ranks - 1, is_root = rank == root, own = block_of(rank);
    ALL("barrier", 0, barrier, comm);
    ALL("bcast", is_root ? items : 0, bcast, send, items, MPI_INT, root, comm);
    ALL("reduce", items, reduce, send, recv, items, MPI_INT, MPI_SUM, root, comm);
    ALL("allreduce", items, allreduce, send, recv, items, MPI_INT, MPI_SUM, comm);
    ALL("scan", items, scan, send, recv, items, MPI_INT, MPI_SUM, comm);
    ALL("exscan", items, exscan, send, recv, items, MPI_INT, MPI_SUM, comm);
    ALL("gather", items, gather, send, items, MPI_INT, recv, is_root ? items : garbage, MPI_INT, root, comm);
    ALL("scatter", is_root ? items * ranks : 0, scatter, send, is_root ? items : garbage, MPI_INT, recv,
        items, MPI_INT, root, comm);
    ALL("reduce_scatter_block", items * ranks, reduce_scatter_block, send, recv, items, MPI_INT, MPI_SUM,
        comm);
    const int all = lay_out(ranks, -1);
    ALL("gatherv", own, gatherv, send, own, MPI_INT, recv, AT_ROOT(counts), is_root ? places : NULL, MPI_INT,
        root, comm);
    ALL("scatterv", is_root ? all : 0, scatterv, send, AT_ROOT(counts), is_root ? places : NULL, MPI_INT,
        recv, own, MPI_INT, root, comm);
    NOT_BLOCKING("allgatherv", own, allgatherv, send, own, MPI_INT, recv, counts, places, MPI_INT, comm);
    ALL("reduce_scatter", all, reduce_scatter, send, recv, counts, MPI_INT, MPI_SUM, comm);
    lay_out(ranks, items);
    NOT_BLOCKING("alltoallw", items * ranks, alltoallw, send, counts, byte_places, types, recv, counts,
                 byte_places, types, comm);
    NOT_BLOCKING("allgather", items, allgather, send, items, MPI_INT, recv, items, MPI_INT, comm);
    NOT_BLOCKING("alltoall", items * ranks, alltoall, send, items, MPI_INT, recv, items, MPI_INT, comm);
    NOT_BLOCKING("alltoallv", items * ranks, alltoallv, send, counts, places, MPI_INT, recv, counts, places,
                 MPI_INT, comm);
}

static void in_place(MPI_Comm comm) {
    int rank, ranks;
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &ranks);
    const int root = 0, is_root = rank == root, own = block_of(rank);
    const void* at_root = is_root ? MPI_IN_PLACE : send;
    void* in_root = is_root ? MPI_IN_PLACE : (void*)recv;
    const MPI_Datatype nothing = is_root ? MPI_DATATYPE_NULL : MPI_INT;
    ALL("allreduce", items, allreduce, MPI_IN_PLACE, recv, items, MPI_INT, MPI_SUM, comm);
    ALL("reduce", items, reduce, at_root, recv, items, MPI_INT, MPI_SUM, root, comm);
    ALL("gather", items, gather, at_root, is_root ? garbage : items, nothing, recv, items, MPI_INT, root,
        comm);
    ALL("scatter", is_root ? items * ranks : 0, scatter, send, items, MPI_INT, in_root,
        is_root ? garbage : items, nothing, root, comm);
    const int all = lay_out(ranks, -1);
    ALL("gatherv", own, gatherv, at_root, is_root ? garbage : own, nothing, recv, counts, places, MPI_INT,
        root, comm);
    ALL("scatterv", is_root ? all : 0, scatterv, send, counts, places, MPI_INT, in_root,
        is_root ? garbage : own, nothing, root, comm);
    NOT_BLOCKING("allgatherv", own, allgatherv, MPI_IN_PLACE, garbage, MPI_DATATYPE_NULL, recv, counts,
                 places, MPI_INT, comm);
    ALL("reduce_scatter", all, reduce_scatter, MPI_IN_PLACE, recv, counts, MPI_INT, MPI_SUM, comm);
    lay_out(ranks, items);
    NOT_BLOCKING("alltoallw", items * ranks, alltoallw, MPI_IN_PLACE, NULL, NULL, NULL, recv, counts,
                 byte_places, types, comm);
    NOT_BLOCKING("alltoall", items * ranks, alltoall, MPI_IN_PLACE, garbage, MPI_DATATYPE_NULL, recv, items,
                 MPI_INT, comm);
    NOT_BLOCKING("alltoallv", items * ranks, alltoallv, MPI_IN_PLACE, NULL, NULL, MPI_DATATYPE_NULL, recv,
                 counts, places, MPI_INT, comm);
}

/* Every rank of a topology has so many neighbours on either side. */
static void neighbours(MPI_Comm comm, int number) {
    lay_out(number, items);
    ALL("neighbor_allgather", items, neighbor_allgather, send, items, MPI_INT, recv, items, MPI_INT, comm);
    ALL("neighbor_alltoall", items * number, neighbor_alltoall, send, items, MPI_INT, recv, items, MPI_INT,
        comm);
    ALL("neighbor_allgatherv", items, neighbor_allgatherv, send, items, MPI_INT, recv, counts, places,
        MPI_INT, comm);
    ALL("neighbor_alltoallv", items * number, neighbor_alltoallv, send, counts, places, MPI_INT, recv, counts,
        places, MPI_INT, comm);
    ALL("neighbor_alltoallw", items * number, neighbor_alltoallw, send, counts, address_places, types, recv,
        counts, address_places, types, comm);
}

static void topologies(void) {
    int ranks, periodic = 1;
    MPI_Comm cart, graph;
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    MPI_Cart_create(MPI_COMM_WORLD, 1, &ranks, &periodic, 0, &cart);
    neighbours(cart, 2);
    MPI_Comm_free(&cart);
    const int weight = 1, next = (world_rank + 1) % ranks, last = (world_rank + ranks - 1) % ranks;
    MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 1, &last, &weight, 1, &next, &weight, MPI_INFO_NULL, 0,
                                   &graph);
    neighbours(graph, 1);
    MPI_Comm_free(&graph);
}

/* The ranks of one side, with rank 0 of that side as root, and the ranks of the other. */
static void between_groups(void) {
    int ranks, rank, remote;
    MPI_Comm half, inter;
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    if (ranks < 2) return;
    const int side = world_rank % 2;
    MPI_Comm_split(MPI_COMM_WORLD, side, world_rank, &half);
    MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, 1 - side, 1, &inter);
    MPI_Comm_rank(inter, &rank);
    MPI_Comm_remote_size(inter, &remote);
    const int root = side ? 0 : rank ? MPI_PROC_NULL : MPI_ROOT;
    const int is_root = root == MPI_ROOT, gives = side == 1;
    const MPI_Datatype given = gives ? MPI_INT : MPI_DATATYPE_NULL;
    lay_out(remote, items);
    CALL("barrier", 0, MPI_Barrier, inter);
    CALL("bcast", is_root ? items : 0, MPI_Bcast, recv, items, MPI_INT, root, inter);
    CALL("allreduce", items, MPI_Allreduce, send, recv, items, MPI_INT, MPI_SUM, inter);
    CALL("gather", gives ? items : 0, MPI_Gather, send, gives ? items : garbage, given, recv, items, MPI_INT,
         root, inter);
    CALL("scatter", is_root ? items * remote : 0, MPI_Scatter, send, items, MPI_INT, recv, items, MPI_INT,
         root, inter);
    MPI_Comm_free(&inter);
    MPI_Comm_free(&half);
}

static int class_of(int code) {
    int class = MPI_SUCCESS;
    MPI_Error_class(code, &class);
    return class;
}

#define REFUSED(name, function, ...)                                                                         \
    do {                                                                                                     \
        fill();                                                                                              \
        const int bare = class_of(PMPI_##function(__VA_ARGS__));                                             \
        const int code = class_of(MPI_##function(__VA_ARGS__));                                              \
        if (code == MPI_SUCCESS || code != bare)                                                             \
            client_fail("%s: error class %d, not %d", name, code, bare);                                     \
        note(name, 0);                                                                                       \
    } while (0)

/* MPI's own errors, on a communicator with MPI_ERRORS_RETURN. The world's handler is fatal: nobody may ask MPI about these
 * arguments on its behalf. */
static void refused(void) {
    MPI_Comm comm;
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
    MPI_Request request;
    REFUSED("allreduce", Allreduce, send, recv, garbage, MPI_INT, MPI_SUM, comm);
    REFUSED("allreduce", Allreduce, send, recv, items, MPI_DATATYPE_NULL, MPI_SUM, comm);
    REFUSED("iallreduce", Iallreduce, send, recv, garbage, MPI_INT, MPI_SUM, comm, &request);
    REFUSED("bcast", Bcast, send, items, MPI_INT, client_max_ranks + 1000, comm);
    REFUSED("scatter", Scatter, send, items, MPI_INT, recv, items, MPI_INT, -1000, comm);
    MPI_Comm_free(&comm);
}

static void print_counts(void) {
    for (int i = 0; i < kind_count; ++i) {
        unsigned long long mine[2] = {kinds[i].calls, kinds[i].bytes}, all[2];
        PMPI_Reduce(mine, all, 2, MPI_UNSIGNED_LONG_LONG, MPI_SUM, 0, MPI_COMM_WORLD);
        if (world_rank == 0) printf("seen %s calls=%llu bytes=%llu\n", kinds[i].name, all[0], all[1]);
    }
}

int main(int argument_count, char** words) {
    MPI_Init(&argument_count, &words);
    MPI_Comm_rank(MPI_COMM_WORLD, &world_rank);
    MPI_Comm_size(MPI_COMM_WORLD, &world_ranks);
    MPI_Comm half;
    MPI_Comm_split(MPI_COMM_WORLD, world_rank % 2, -world_rank, &half);
    plain(MPI_COMM_WORLD);
    plain(half);
    plain(MPI_COMM_SELF);
    in_place(MPI_COMM_WORLD);
    in_place(half);
    topologies();
    between_groups();
    if (argument_count > 1 && !strcmp(words[1], "refused")) refused();
    MPI_Comm_free(&half);
    if (argument_count > 1 && !strcmp(words[1], "kill")) {
        PMPI_Barrier(MPI_COMM_WORLD); /* all ranks are here */
        raise(SIGKILL);               /* as a scheduler does */
    }
    print_counts();
    client_finish();
    MPI_Finalize();
    return 0;
}
