/* Derived datatypes of every kind that real programs use, on either side and in place, for all
 * collectives. Whole receive buffers, gaps included, are compared with PMPI_. */
#include "client.h"

enum { max_kinds = 32, margin = 256 };

/* `units`: how many 4-byte units of data one item holds; types with equal units and `basic` may meet in one
 * call. */
struct kind {
    const char* name;
    MPI_Datatype type;
    MPI_Datatype basic;
    int units;
    int overlapping; /* items overlap in memory: legal to send from, not to receive into */
};

static struct kind kinds[max_kinds];
static int kind_count;
static int world_rank;

static MPI_Datatype add(const char* name, MPI_Datatype type, MPI_Datatype basic, int units) {
    MPI_Type_commit(&type);
    kinds[kind_count++] = (struct kind){name, type, basic, units, 0};
    return type;
}

static void add_contiguous(void) {
    static const char* names[] = {"contiguous 2 int", "contiguous 4 int", "contiguous 8 int",
                                  "contiguous 12 int"};
    static const int lengths[] = {2, 4, 8, 12};
    for (int i = 0; i < 4; ++i) {
        MPI_Datatype type;
        MPI_Type_contiguous(lengths[i], MPI_INT, &type);
        add(names[i], type, MPI_INT, lengths[i]);
    }
    MPI_Datatype dup, of_dup, twice;
    MPI_Type_dup(MPI_INT, &dup);
    MPI_Type_contiguous(4, dup, &of_dup);
    add("contiguous of dup", of_dup, MPI_INT, 4);
    MPI_Type_dup(of_dup, &twice);
    add("dup of contiguous of dup", twice, MPI_INT, 4);
    MPI_Type_free(&dup);
}

static void add_strided(void) {
    MPI_Datatype type;
    MPI_Type_vector(2, 2, 3, MPI_INT, &type);
    add("vector", type, MPI_INT, 4);
    MPI_Type_create_hvector(4, 1, 12, MPI_INT, &type);
    add("hvector", type, MPI_INT, 4);
    MPI_Type_vector(2, 2, -3, MPI_INT, &type);
    add("vector, negative stride", type, MPI_INT, 4);
}

static void add_indexed(void) {
    /* Size equals extent, yet the items are permuted: taking such a block for bytes is the classic mistake.
     */
    int lengths[] = {1, 1, 2}, places[] = {3, 0, 1};
    MPI_Datatype type;
    MPI_Type_indexed(3, lengths, places, MPI_INT, &type);
    add("indexed, permuting", type, MPI_INT, 4);
    int backwards[] = {3, 2, 1, 0};
    MPI_Type_create_indexed_block(4, 1, backwards, MPI_INT, &type);
    add("indexed block, backwards", type, MPI_INT, 4);
    int negative[] = {-4, -2, 0, 1};
    MPI_Type_create_indexed_block(4, 1, negative, MPI_INT, &type);
    add("indexed block, negative lower bound", type, MPI_INT, 4);
}

static void add_resized(void) {
    MPI_Datatype four, type;
    MPI_Type_contiguous(4, MPI_INT, &four);
    MPI_Type_create_resized(four, 0, 28, &type);
    add("resized, larger", type, MPI_INT, 4);
    MPI_Type_create_resized(four, -8, 24, &type);
    add("resized, negative lower bound", type, MPI_INT, 4);
    MPI_Type_create_resized(four, 0, 4, &type);
    add("resized, overlapping", type, MPI_INT, 4);
    kinds[kind_count - 1].overlapping = 1;
    MPI_Type_free(&four);
    MPI_Datatype comb;
    MPI_Type_vector(4, 1, 2, MPI_INT, &comb);
    MPI_Type_create_resized(comb, 0, 4, &type);
    add("resized, interleaved", type, MPI_INT, 4);
    kinds[kind_count - 1].overlapping = 1;
    MPI_Type_free(&comb);
}

static void add_structs(void) {
    struct padded {
        double value;
        int index;
        char tag;
    };
    int lengths[] = {1, 1, 1};
    MPI_Aint places[] = {offsetof(struct padded, value), offsetof(struct padded, index),
                         offsetof(struct padded, tag)};
    MPI_Datatype types[] = {MPI_DOUBLE, MPI_INT, MPI_CHAR}, bare, type;
    MPI_Type_create_struct(3, lengths, places, types, &bare);
    MPI_Type_create_resized(bare, 0, sizeof(struct padded), &type);
    MPI_Type_free(&bare);
    add("padded struct", type, MPI_DATATYPE_NULL, 0);

    MPI_Type_contiguous(3, MPI_CHAR, &type);
    add("three bytes", type, MPI_DATATYPE_NULL, 0);
    MPI_Type_create_resized(MPI_SHORT, 0, 3, &bare);
    MPI_Type_contiguous(2, bare, &type);
    MPI_Type_free(&bare);
    add("odd extent", type, MPI_DATATYPE_NULL, 0);
    kinds[kind_count++] = (struct kind){"double and int", MPI_DOUBLE_INT, MPI_DATATYPE_NULL, 0, 0};
    kinds[kind_count++] = (struct kind){"short and int", MPI_SHORT_INT, MPI_DATATYPE_NULL, 0, 0};
    MPI_Type_contiguous(2, MPI_DOUBLE_INT, &type);
    add("contiguous of double and int", type, MPI_DATATYPE_NULL, 0);
    MPI_Type_contiguous(0, MPI_INT, &type);
    add("no bytes at all", type, MPI_DATATYPE_NULL, 0);
}

/* A buffer that holds `span` bytes on both sides of `origin`, so that negative bounds and displacements have
 * room. */
struct area {
    unsigned char* memory;
    size_t bytes;
    unsigned char* origin;
};

static struct area make_area(size_t span, unsigned salt) {
    struct area area;
    area.bytes = 2 * (span + margin);
    area.memory = malloc(area.bytes);
    area.origin = area.memory + (span + margin) / 16 * 16;
    client_fill(area.memory, area.bytes, world_rank, salt);
    return area;
}

static size_t span_of(MPI_Datatype type, size_t items) {
    MPI_Aint lower, extent, true_lower, true_extent;
    MPI_Type_get_extent(type, &lower, &extent);
    MPI_Type_get_true_extent(type, &true_lower, &true_extent);
    size_t stride = (size_t)(extent < 0 ? -extent : extent);
    return items * (stride + (size_t)true_extent) + (size_t)(true_lower < 0 ? -true_lower : true_lower);
}

static void run_in_areas(struct client_arguments* call, size_t send_span, size_t recv_span,
                         const char* what) {
    struct area send = make_area(send_span, 5), recv = make_area(recv_span, 77);
    if (call->send != MPI_IN_PLACE) call->send = send.origin;
    call->recv = recv.origin;
    client_check(client_run, call, call->comm, world_rank, recv.memory, recv.bytes, what);
    free(send.memory);
    free(recv.memory);
}

/* Counts for one item of `units`; a basic type on the other side takes as many times more. */
static int count_between(int source, int destination, int in_place) {
    return in_place ? (source + destination) % 3 : (source * 5 + destination * 3) % 4;
}

/* Displacements descend from above zero to below it, one item of gap between blocks; empty blocks get
 * garbage. */
static size_t place(const int* counts, int* displs, int ranks) {
    int total = 0, at = 0;
    for (int peer = 0; peer < ranks; ++peer) total += counts[peer] + 1;
    at = total / 2;
    for (int peer = 0; peer < ranks; ++peer) {
        at -= counts[peer] + 1;
        displs[peer] = counts[peer] ? at : 1 << 28;
    }
    return (size_t)total + 1;
}

static void check_alltoallv(MPI_Comm comm, const struct kind* sent, int send_factor,
                            const struct kind* received, int recv_factor, int in_place, const char* what) {
    int rank, ranks, sendcounts[client_max_ranks], sdispls[client_max_ranks], recvcounts[client_max_ranks],
        rdispls[client_max_ranks];
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &ranks);
    for (int peer = 0; peer < ranks; ++peer) {
        sendcounts[peer] = send_factor * count_between(rank, peer, in_place);
        recvcounts[peer] = recv_factor * count_between(peer, rank, in_place);
    }
    size_t send_items = place(sendcounts, sdispls, ranks), recv_items = place(recvcounts, rdispls, ranks);
    struct client_arguments call = {.which = client_alltoallv,
                                    .sendcounts = sendcounts,
                                    .sdispls = sdispls,
                                    .sendtype = sent->type,
                                    .recvcounts = recvcounts,
                                    .rdispls = rdispls,
                                    .recvtype = received->type,
                                    .comm = comm};
    if (in_place) {
        call.send = MPI_IN_PLACE;
        call.sendcounts = call.sdispls = NULL;
        call.sendtype = MPI_DATATYPE_NULL;
    }
    run_in_areas(&call, span_of(sent->type, send_items), span_of(received->type, recv_items), what);
}

/* Each block has a type of `kinds`, of which all have as many units. The receiver's type is another than the sender's. */
static void check_alltoallw(MPI_Comm comm, const struct kind* const* kinds_of, int number, int shift,
                            int in_place, const char* what) {
    int rank, ranks, counts[2][client_max_ranks], displs[2][client_max_ranks];
    MPI_Datatype types[2][client_max_ranks];
    size_t spans[2];
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &ranks);
    for (int side = 0; side < 2; ++side) {
        MPI_Aint at = 0;
        for (int peer = 0; peer < ranks; ++peer) {
            int count = side == 0 ? count_between(rank, peer, in_place) : count_between(peer, rank, in_place);
            const struct kind* kind = kinds_of[(shift + 3 * side + (in_place ? 0 : rank) + peer) % number];
            counts[side][peer] = count;
            types[side][peer] = count ? kind->type : MPI_BYTE;
            /* Downwards, each block above its span, with gaps. */
            at -= (MPI_Aint)(count ? 2 * span_of(kind->type, (size_t)count) / 8 * 8 + 16 : 0);
            displs[side][peer] = count ? (int)at : 1 << 28;
        }
        spans[side] = (size_t)-at + 16;
        for (int peer = 0; peer < ranks; ++peer)
            if (ranks == 1)
                displs[side][peer] = 0; /* Open MPI 4.1's multiplies it by an extent. */
            else if (counts[side][peer])
                displs[side][peer] += (int)(spans[side] / 2 / 8 * 8);
    }
    struct client_arguments call = {.which = client_alltoallw,
                                    .send = in_place ? MPI_IN_PLACE : NULL,
                                    .sendcounts = in_place ? NULL : counts[0],
                                    .sdispls = in_place ? NULL : displs[0],
                                    .sendtypes = in_place ? NULL : types[0],
                                    .recvcounts = counts[1],
                                    .rdispls = displs[1],
                                    .recvtypes = types[1],
                                    .comm = comm};
    run_in_areas(&call, spans[0], spans[1], what);
}

/* Block sizes are the same on every rank, types and places need not be. */
static void check_allgatherv(MPI_Comm comm, const struct kind* sent, int send_factor,
                             const struct kind* received, int recv_factor, int in_place, const char* what) {
    int rank, ranks, recvcounts[client_max_ranks], rdispls[client_max_ranks];
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &ranks);
    for (int peer = 0; peer < ranks; ++peer)
        recvcounts[peer] = recv_factor * count_between(peer, peer / 2, 0);
    size_t items = place(recvcounts, rdispls, ranks);
    if (ranks == 1) rdispls[0] = 0; /* MPICH 4.0.2's ignores the displacement on one rank. */
    struct client_arguments call = {.which = client_allgatherv,
                                    .sendcount = send_factor * count_between(rank, rank / 2, 0),
                                    .sendtype = sent->type,
                                    .recvcounts = recvcounts,
                                    .rdispls = rdispls,
                                    .recvtype = received->type,
                                    .comm = comm};
    size_t sent_items = (size_t)call.sendcount;
    if (in_place) {
        call.send = MPI_IN_PLACE;
        call.sendcount = -3;
        call.sendtype = MPI_DATATYPE_NULL;
    }
    run_in_areas(&call, span_of(sent->type, sent_items), span_of(received->type, items), what);
}

static void check_fixed(int which, MPI_Comm comm, const struct kind* sent, int sendcount,
                        const struct kind* received, int recvcount, int in_place, const char* what) {
    int ranks;
    MPI_Comm_size(comm, &ranks);
    struct client_arguments call = {.sendcount = sendcount,
                                    .sendtype = sent->type,
                                    .recvcount = recvcount,
                                    .recvtype = received->type,
                                    .comm = comm};
    call.which = which == client_alltoall ? client_alltoall : client_allgather;
    if (in_place) {
        call.send = MPI_IN_PLACE;
        call.sendtype = MPI_DATATYPE_NULL;
        call.sendcount = 0;
    }
    run_in_areas(&call, span_of(sent->type, (size_t)(sendcount * ranks)),
                 span_of(received->type, (size_t)(recvcount * ranks)), what);
}

static void check_pair(MPI_Comm comm, const struct kind* sent, int send_factor, const struct kind* received,
                       int recv_factor, int in_place) {
    char what[160];
    snprintf(what, sizeof what, "%s to %s%s", sent->name, received->name, in_place ? ", in place" : "");
    check_alltoallv(comm, sent, send_factor, received, recv_factor, in_place, what);
    check_fixed(client_alltoall, comm, sent, 2 * send_factor, received, 2 * recv_factor, in_place, what);
    check_fixed(client_allgather, comm, sent, 2 * send_factor, received, 2 * recv_factor, in_place, what);
    check_allgatherv(comm, sent, send_factor, received, recv_factor, in_place, what);
    if (send_factor == recv_factor && !received->overlapping) {
        const struct kind* both[] = {received};
        check_alltoallw(comm, both, 1, 0, in_place, what);
    }
}

/* Every kind against itself, in place, and against plain ints in either direction where its data is ints. */
static void check_kinds(MPI_Comm comm) {
    const struct kind ints = {"int", MPI_INT, MPI_INT, 1, 0};
    for (int k = 0; k < kind_count; ++k) {
        const struct kind* kind = &kinds[k];
        if (!kind->overlapping) {
            check_pair(comm, kind, 1, kind, 1, 0);
            check_pair(comm, kind, 1, kind, 1, 1);
        }
        if (kind->basic != MPI_INT) continue;
        check_pair(comm, kind, 1, &ints, kind->units, 0);
        if (!kind->overlapping) check_pair(comm, &ints, kind->units, kind, 1, 0);
    }
}

/* Four ints in one shape meet four ints in another; which shape a rank takes may differ from rank to rank. */
static void check_mixed(MPI_Comm comm) {
    const struct kind* fours[max_kinds];
    int count = 0;
    for (int k = 0; k < kind_count; ++k)
        if (kinds[k].units == 4 && !kinds[k].overlapping) fours[count++] = &kinds[k];
    for (int shift = 0; shift < count; ++shift)
        check_pair(comm, fours[(shift + world_rank) % count], 1, fours[(2 * shift + 1) % count], 1, 0);
    for (int shift = 0; shift < count; ++shift)
        check_allgatherv(comm, fours[(shift + 3 * world_rank) % count], 1,
                         fours[(shift + world_rank) % count], 1, 0, "each rank has types of its own");
    for (int shift = 0; shift < count; ++shift)
        check_alltoallw(comm, fours, count, shift, 0, "each block has a type of its own");
}

/* Types that live for one call: a handle may come back for another type, of another layout and another size. */
static void check_reused_handles(MPI_Comm comm) {
    int reused = 0;
    MPI_Datatype before = MPI_DATATYPE_NULL;
    for (int call = 0; call < 24; ++call) {
        struct kind kind = {"of one call", MPI_DATATYPE_NULL, MPI_DATATYPE_NULL, 0, 0};
        if (call % 3 == 0)
            MPI_Type_contiguous(1 + call % 5, MPI_INT, &kind.type);
        else if (call % 3 == 1)
            MPI_Type_vector(2 + call % 4, 1, 2, MPI_INT, &kind.type);
        else
            MPI_Type_vector(2, 1 + call % 4, 5, MPI_DOUBLE, &kind.type);
        MPI_Type_commit(&kind.type);
        const struct kind* one[] = {&kind};
        check_alltoallw(comm, one, 1, 0, call % 2, "types of one call");
        check_alltoallw(comm, one, 1, 0, call % 2, "types of one call, again");
        reused += kind.type == before;
        before = kind.type;
        MPI_Type_free(&kind.type);
    }
    /* Address sanitizer gives no address twice, and a handle may be one. */
    if (!reused && !getenv("ASAN_OPTIONS")) client_fail("no handle came back, so nothing was tried");
}

/* MPI_BOTTOM on both sides: the types carry absolute addresses, counts are one or none, displacements zero.
 */
static void check_bottom(MPI_Comm comm) {
    int rank, ranks, counts[client_max_ranks] = {0}, zeros[client_max_ranks] = {0},
                     recvcounts[client_max_ranks] = {0};
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &ranks);
    struct area send = make_area(64, 3), recv = make_area(64, 4);
    int lengths[] = {8, 4, 3};
    MPI_Aint send_at[3], recv_at[3];
    for (int i = 0; i < 3; ++i) {
        MPI_Get_address(send.origin + 16 * (2 - i), &send_at[i]);
        MPI_Get_address(recv.origin - 24 * (i + 1), &recv_at[i]);
    }
    MPI_Datatype bytes[] = {MPI_CHAR, MPI_CHAR, MPI_CHAR}, send_type, recv_type;
    MPI_Type_create_struct(3, lengths, send_at, bytes, &send_type);
    MPI_Type_create_hindexed(3, lengths, recv_at, MPI_CHAR, &recv_type);
    MPI_Type_commit(&send_type);
    MPI_Type_commit(&recv_type);
    counts[(rank + 1) % ranks] = 1;
    recvcounts[(rank + ranks - 1) % ranks] = 1;
    struct client_arguments call = {.which = client_alltoallv,
                                    .send = MPI_BOTTOM,
                                    .sendcounts = counts,
                                    .sdispls = zeros,
                                    .sendtype = send_type,
                                    .recv = MPI_BOTTOM,
                                    .recvcounts = recvcounts,
                                    .rdispls = zeros,
                                    .recvtype = recv_type,
                                    .comm = comm};
    client_check(client_run, &call, comm, world_rank, recv.memory, recv.bytes, "alltoallv at MPI_BOTTOM");
    MPI_Datatype send_types[client_max_ranks], recv_types[client_max_ranks];
    for (int peer = 0; peer < ranks; ++peer) {
        send_types[peer] = counts[peer] ? send_type : MPI_BYTE;
        recv_types[peer] = recvcounts[peer] ? recv_type : MPI_BYTE;
    }
    call.which = client_alltoallw;
    call.sendtypes = send_types;
    call.recvtypes = recv_types;
    client_check(client_run, &call, comm, world_rank, recv.memory, recv.bytes, "alltoallw at MPI_BOTTOM");
    MPI_Type_free(&send_type);
    MPI_Type_free(&recv_type);
    free(send.memory);
    free(recv.memory);
}

/* Sending from MPI_BOTTOM into an ordinary buffer, for the calls without displacements of their own. */
static void check_bottom_fixed(MPI_Comm comm) {
    int ranks, lengths[2] = {4, 4};
    MPI_Comm_size(comm, &ranks);
    struct area send = make_area(64, 30), recv = make_area((size_t)ranks * 8, 31);
    MPI_Aint at[2];
    MPI_Get_address(send.origin + 40, &at[0]);
    MPI_Get_address(send.origin, &at[1]);
    MPI_Datatype type;
    MPI_Type_create_hindexed(2, lengths, at, MPI_CHAR, &type);
    MPI_Type_commit(&type);
    struct client_arguments call = {.which = client_allgather,
                                    .send = MPI_BOTTOM,
                                    .sendcount = 1,
                                    .sendtype = type,
                                    .recv = recv.origin,
                                    .recvcount = 8,
                                    .recvtype = MPI_CHAR,
                                    .comm = comm};
    client_check(client_run, &call, comm, world_rank, recv.memory, recv.bytes, "allgather from MPI_BOTTOM");
    MPI_Type_free(&type);
    free(send.memory);
    free(recv.memory);
}

static void check_all(MPI_Comm comm) {
    check_kinds(comm);
    check_mixed(comm);
    check_bottom(comm);
    check_bottom_fixed(comm);
    check_reused_handles(comm);
}

static void free_types(void) {
    for (int k = 0; k < kind_count; ++k) {
        int integers, addresses, types, combiner;
        MPI_Type_get_envelope(kinds[k].type, &integers, &addresses, &types, &combiner);
        if (combiner != MPI_COMBINER_NAMED) MPI_Type_free(&kinds[k].type);
    }
}

int main(int argc, char** argv) {
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &world_rank);
    add_contiguous();
    add_strided();
    add_indexed();
    add_resized();
    add_structs();
    MPI_Comm reversed;
    MPI_Comm_split(MPI_COMM_WORLD, world_rank % 2, -world_rank, &reversed);
    check_all(MPI_COMM_WORLD);
    check_all(reversed);
    MPI_Comm_free(&reversed);
    free_types();
    client_finish();
    MPI_Finalize();
    return 0;
}
