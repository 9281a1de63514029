/* Calls in the forms that the memory of a node takes without a list of blocks, and in forms that it does not take so: every call
 * beside its PMPI_ twin, gaps and the bytes around the buffers included.
 *   c_node KIND:TURNS:LARGEST ...   KIND: plain, in_place, mixed; LARGEST: items of a block
 * plain: MPI's own types, int counts, displacements in any order, also below the buffer. mixed: now and then, on some of the
 * ranks, a type that is not MPI's own, or types that differ between the two sides. */
#include "client.h"

enum { gap = 3, most_items = 1 << 16 };

static int rank, ranks, turn, largest;
static MPI_Comm comm;
static MPI_Datatype pair; /* two ints, one after the other: the bytes of two of MPI's own */

static unsigned dice(int source, int destination) {
    const int numbers[] = {turn, source, destination};
    return (unsigned)(client_hash(7, numbers, sizeof numbers) >> 32);
}

/* Items of the block between two ranks: none, a few, or, in three turns of four, up to the largest. Even, so that pairs have them,
 * too. */
static int items(int source, int destination) {
    unsigned number = dice(source, destination);
    if (number % 4 == 0) return 0;
    const int most = number % 4 == 1 || turn % 4 == 0 ? 16 : largest;
    return 2 * (int)(number / 4 % (unsigned)(most / 2 + 1));
}

/* Places in a region of ints: by rising ranks, falling, or from the middle on; with gaps. Returns the end. */
static int lay_out(const int* counts, int* places, int order) {
    int end = gap;
    for (int i = 0; i < ranks; ++i) {
        int peer = order == 0 ? i : order == 1 ? ranks - 1 - i : (i + ranks / 2) % ranks;
        places[peer] = end;
        end += counts[peer] + gap;
    }
    return end;
}

static int* region;
static size_t region_bytes;

static int* region_of(size_t numbers) {
    region_bytes = numbers * sizeof *region;
    region = realloc(region, region_bytes + 1);
    if (!region) client_fail("no memory");
    client_fill(region, region_bytes, rank, (unsigned)turn);
    return region;
}

/* Open MPI 4.1 takes another algorithm on each rank where the types that ranks send with have different sizes, and hangs. So the
 * bare call sends the same ints as ints. */
static int run(const void* pointer, int bare) {
    struct client_arguments call = *(const struct client_arguments*)pointer;
    if (bare && call.which == client_allgatherv && call.sendtype == pair)
        call.sendtype = MPI_INT, call.sendcount *= 2;
    return client_run(&call, bare);
}

static void check(const struct client_arguments* call, const char* what) {
    client_check(run, call, comm, rank, region, region_bytes, what);
}

static int is_odd_one(const char* kind) {
    return strcmp(kind, "mixed") == 0 && (turn + rank) % 3 == 0;
}

static void exchange_blocks(const char* kind) {
    int out[client_max_ranks], in[client_max_ranks], out_at[client_max_ranks], in_at[client_max_ranks];
    int in_place = strcmp(kind, "in_place") == 0;
    for (int peer = 0; peer < ranks; ++peer) {
        int low = rank < peer ? rank : peer, high = rank < peer ? peer : rank;
        out[peer] = in_place ? items(low, high) : items(rank, peer); /* in place both sides are one */
        in[peer] = in_place ? out[peer] : items(peer, rank);
    }
    int out_end = lay_out(out, out_at, turn % 3), in_end = lay_out(in, in_at, (turn + 1) % 3);
    int* ints = region_of((size_t)out_end + (size_t)in_end);
    int *send = ints, *receive = ints + (in_place ? 0 : out_end);
    /* Displacements count from anywhere. */
    int from = turn % 2 ? out_end / 2 : 0, to = turn % 2 ? in_end / 2 : 0;
    for (int peer = 0; peer < ranks; ++peer) out_at[peer] -= from, in_at[peer] -= to;
    struct client_arguments call = {.which = client_alltoallv,
                                    .send = in_place ? MPI_IN_PLACE : (void*)(send + from),
                                    .sendcounts = out,
                                    .sdispls = out_at,
                                    .sendtype = MPI_INT,
                                    .recv = receive + to,
                                    .recvcounts = in,
                                    .rdispls = in_at,
                                    .recvtype =
                                        turn % 5 == 0 && strcmp(kind, "mixed") == 0 ? MPI_FLOAT : MPI_INT,
                                    .comm = comm};
    if (call.recvtype == MPI_FLOAT) call.sendtype = MPI_FLOAT;
    int halves[client_max_ranks], half_at[client_max_ranks], can_halve = is_odd_one(kind);
    for (int peer = 0; peer < ranks; ++peer) {
        halves[peer] = out[peer] / 2, half_at[peer] = out_at[peer] / 2;
        can_halve = can_halve && out_at[peer] % 2 == 0;
    }
    if (can_halve && call.sendtype == MPI_INT)
        call.sendtype = pair, call.sendcounts = halves, call.sdispls = half_at;
    check(&call, kind);
}

/* Every rank sends its one block to all, and each rank places the blocks as it likes. */
static void gather_blocks(const char* kind) {
    int counts[client_max_ranks], places[client_max_ranks], in_place = strcmp(kind, "in_place") == 0;
    for (int peer = 0; peer < ranks; ++peer) counts[peer] = items(peer, ranks);
    int sent = counts[rank], end = lay_out(counts, places, (turn + rank) % 3);
    int* ints = region_of((size_t)(sent + gap + end));
    int from = turn % 2 ? end / 2 : 0;
    for (int peer = 0; peer < ranks; ++peer) places[peer] -= from;
    struct client_arguments call = {.which = client_allgatherv,
                                    .send = in_place ? MPI_IN_PLACE : ints,
                                    .sendcount = in_place ? -1 : sent,
                                    .sendtype = MPI_INT,
                                    .recv = ints + sent + gap + from,
                                    .recvcounts = counts,
                                    .rdispls = places,
                                    .recvtype = MPI_INT,
                                    .comm = comm};
    if (is_odd_one(kind)) call.sendtype = pair, call.sendcount = sent / 2;
    check(&call, kind);
}

static void exchange_equal(const char* kind, int gathers) {
    int count = items(ranks, ranks), in_place = strcmp(kind, "in_place") == 0;
    size_t sent = (size_t)count * (size_t)(gathers ? 1 : ranks), received = (size_t)count * (size_t)ranks;
    int* ints = region_of(2 * gap + sent + received);
    struct client_arguments call = {.which = gathers ? client_allgather : client_alltoall,
                                    .send = in_place ? MPI_IN_PLACE : ints + gap,
                                    .sendcount = count,
                                    .sendtype = MPI_INT,
                                    .recv = ints + gap + sent + gap,
                                    .recvcount = count,
                                    .recvtype = MPI_INT,
                                    .comm = comm};
    if (is_odd_one(kind)) call.sendtype = pair, call.sendcount = count / 2;
    region_bytes -= in_place ? 0 : gap * sizeof *ints;
    check(&call, kind);
}

int main(int argc, char** argv) {
    MPI_Init(&argc, &argv);
    MPI_Comm reversed;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_split(MPI_COMM_WORLD, 0, -rank, &reversed);
    MPI_Type_contiguous(2, MPI_INT, &pair);
    MPI_Type_commit(&pair);
    for (int word = 1; word < argc; ++word) {
        char kind[32];
        int turns;
        if (sscanf(argv[word], "%31[a-z_]:%d:%d", kind, &turns, &largest) != 3 || largest > most_items)
            client_fail("%s is no KIND:TURNS:LARGEST", argv[word]);
        for (turn = 0; turn < turns; ++turn) {
            comm = turn % 7 == 6 ? reversed : MPI_COMM_WORLD;
            MPI_Comm_rank(comm, &rank);
            MPI_Comm_size(comm, &ranks);
            if (ranks > client_max_ranks) client_fail("too many ranks");
            exchange_blocks(kind);
            exchange_equal(kind, 0);
            exchange_equal(kind, 1);
            gather_blocks(kind);
        }
    }
    client_finish();
    free(region);
    MPI_Type_free(&pair);
    MPI_Comm_free(&reversed);
    MPI_Finalize();
    return 0;
}
