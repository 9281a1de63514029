/* The blocking neighbourhood collectives, on random topologies, with random counts, types and places:
 *   c_neighbor SEED TOPOLOGIES              calls on so many topologies
 *   c_neighbor SEED TOPOLOGIES keep_ranks   without `reorder`, which ends Open MPI 4.1 on several hosts
 *   c_neighbor refused                      wrong arguments: the error is the bare library's
 * There are two oracles. The program computes what has to arrive from the lists of neighbours of all ranks.
 * And the same call, by its PMPI_ name, writes into another buffer. All bytes of the buffers are compared.
 * Where a rank occurs several times among the neighbours, the MPIs differ in which block is which: the
 * program asks the bare library for this order.
 *
 * Prints for each call what the log should say of it, and the number of calls of each collective. */
#include "topologies.h"

#include <unistd.h>

enum { canary = 32, most_batch = 4 };

enum collective {
    neighbor_alltoall,
    neighbor_alltoallv,
    neighbor_allgather,
    neighbor_allgatherv,
    collectives
};
static const char* const collective_names[] = {"neighbor_alltoall", "neighbor_alltoallv",
                                               "neighbor_allgather", "neighbor_allgatherv"};
static int is_gather(enum collective which) {
    return which >= neighbor_allgather;
}
static int has_displacements(enum collective which) {
    return which == neighbor_alltoallv || which == neighbor_allgatherv;
}

static uint64_t seed;
static int world_rank, world_ranks, may_reorder = 1;
static unsigned long long calls_made[collectives];

/* ---- types ---- */

struct item {
    MPI_Datatype type;
    int units; /* ints or bytes in it */
    MPI_Aint extent;
};

/* Blocks are multiples of `group` units, so that each rank can describe its side by any of the items. */
struct family {
    const char* name;
    MPI_Datatype unit;
    int unit_bytes, group, count;
    struct item items[5];
};
enum { families_count = 4 };
static struct family families[families_count] = {
    {.name = "ints", .unit_bytes = sizeof(int), .group = 1},
    {.name = "types of ints", .unit_bytes = sizeof(int), .group = 2},
    {.name = "bytes", .unit_bytes = 1, .group = 1},
    {.name = "types of bytes", .unit_bytes = 1, .group = 3}};

static void add_item(struct family* family, MPI_Datatype type, int units) {
    MPI_Aint lower, extent;
    MPI_Type_commit(&type);
    MPI_Type_get_extent(type, &lower, &extent);
    family->items[family->count++] = (struct item){type, units, extent};
}

static void make_families(void) {
    MPI_Datatype type, inner;
    int backwards[] = {1, 0};
    families[0].unit = families[1].unit = MPI_INT;
    families[2].unit = families[3].unit = MPI_BYTE;
    families[0].items[families[0].count++] = (struct item){MPI_INT, 1, sizeof(int)};
    families[1].items[families[1].count++] = (struct item){MPI_INT, 1, sizeof(int)};
    families[2].items[families[2].count++] = (struct item){MPI_BYTE, 1, 1};
    families[3].items[families[3].count++] = (struct item){MPI_BYTE, 1, 1};
    MPI_Type_contiguous(2, MPI_INT, &type);
    add_item(&families[1], type, 2);
    MPI_Type_vector(2, 1, 3, MPI_INT, &type);
    add_item(&families[1], type, 2);
    MPI_Type_create_resized(MPI_INT, -4, 12, &type);
    add_item(&families[1], type, 1);
    MPI_Type_create_indexed_block(2, 1, backwards, MPI_INT, &type);
    add_item(&families[1], type, 2);
    MPI_Type_vector(3, 1, 2, MPI_BYTE, &inner);
    add_item(&families[3], inner, 3);
    MPI_Type_create_resized(inner, 0, 9, &type);
    add_item(&families[3], type, 3);
}

static void free_families(void) {
    for (int f = 0; f < families_count; ++f)
        for (int i = 1; i < families[f].count; ++i) MPI_Type_free(&families[f].items[i].type);
}

/* ---- the order of blocks ---- */

/* A topology, and what a rank knows of all other ranks for the oracle. */
struct oracle {
    struct topology t;
    int (*all)[most_slots + 1];           /* for each rank the number of its destinations, and these */
    int partner[collectives][most_slots]; /* slot of the source whose block comes into this slot */
};
static unsigned long long repeated_slots[collectives], standard_slots[collectives];

static int is_repeated(const struct topology* t, int slot) {
    for (int i = 0; i < t->indegree; ++i)
        if (i != slot && t->sources[i] == t->sources[slot]) return 1;
    return 0;
}

/* MPI-4.0, 8.6: in a grid a block sent to the right comes from the left. In a graph equal edges keep their
 * order. */
static int standard_partner(const struct oracle* o, int slot) {
    const struct topology* t = &o->t;
    const int source = t->sources[slot], *theirs = o->all[source];
    int earlier = 0;
    if (t->is_cart) return slot ^ 1;
    for (int i = 0; i < slot; ++i) earlier += t->sources[i] == source;
    for (int i = 0; i < theirs[0]; ++i)
        if (theirs[1 + i] == t->rank && earlier-- == 0) return i;
    return -1;
}

/* Each rank sends the numbers of its slots. */
static void ask_for_order(const struct topology* t, enum collective which, int* partner) {
    int own[most_slots], ones[most_slots], places[most_slots];
    for (int i = 0; i < most_slots; ++i) {
        own[i] = places[i] = i;
        ones[i] = 1;
        partner[i] = -1;
    }
    if (which == neighbor_alltoall)
        PMPI_Neighbor_alltoall(own, 1, MPI_INT, partner, 1, MPI_INT, t->comm);
    else
        PMPI_Neighbor_alltoallv(own, ones, places, MPI_INT, partner, ones, places, MPI_INT, t->comm);
}

/* The library's answer counts only where a source has several blocks to choose from. */
static void find_order(struct oracle* o, enum collective which) {
    const struct topology* t = &o->t;
    int* partner = o->partner[which];
    ask_for_order(t, which, partner);
    for (int i = 0; i < t->indegree; ++i) {
        if (t->sources[i] == MPI_PROC_NULL) continue;
        const int standard = standard_partner(o, i), *theirs = o->all[t->sources[i]];
        if (!is_repeated(t, i)) {
            partner[i] = standard;
            continue;
        }
        ++repeated_slots[which];
        standard_slots[which] += partner[i] == standard;
        if (partner[i] < 0 || partner[i] >= theirs[0] || theirs[1 + partner[i]] != t->rank)
            client_fail("seed %llu, %s, %s, rank %d: the MPI has no block for slot %d",
                        (unsigned long long)seed, collective_names[which], t->name, t->rank, i);
        for (int j = 0; j < i; ++j)
            if (t->sources[j] == t->sources[i] && partner[j] == partner[i])
                client_fail("seed %llu, %s, %s, rank %d: the MPI has one block for slots %d and %d",
                            (unsigned long long)seed, collective_names[which], t->name, t->rank, j, i);
    }
}

static void learn(struct oracle* o) {
    int own[most_slots + 1] = {0};
    own[0] = o->t.outdegree;
    memcpy(own + 1, o->t.destinations, sizeof o->t.destinations[0] * (size_t)o->t.outdegree);
    o->all = malloc(sizeof *o->all * (size_t)o->t.ranks);
    PMPI_Allgather(own, most_slots + 1, MPI_INT, o->all, most_slots + 1, MPI_INT, o->t.comm);
    find_order(o, neighbor_alltoall);
    find_order(o, neighbor_alltoallv);
}

/* ---- one call ---- */

/* What a call sends or receives. `buffer` has canaries on both ends. */
struct side {
    const struct item* item;
    int slots, count, counts[most_slots], places[most_slots];
    unsigned char *buffer, *base;
    size_t bytes;
};

enum size_class { size_tiny, size_mixed, size_large, size_classes };

struct call {
    enum collective which;
    int large_count, number;
    const struct family* family;
    enum size_class size;
    uint64_t salt;
    struct side send, recv;
    unsigned char *computed, *twin; /* what the receive buffer should be, by either oracle */
};

/* Units of the block that a rank sends from a slot: known to both ends. */
static int units_of(const struct call* call, int source, int slot) {
    const uint64_t who = call->which == neighbor_alltoallv    ? (uint64_t)(source * most_slots + slot)
                         : call->which == neighbor_allgatherv ? (uint64_t)source
                                                              : 0;
    struct random random = {random_mixed(call->salt, who + 1)};
    const int chance = random_below(&random, 8);
    int groups = random_below(&random, 4);
    if (call->size == size_mixed && chance < 6)
        groups = chance < 2 ? 0 : random_below(&random, chance < 5 ? 50 : 2000);
    if (call->size == size_large && chance) {
        const int most = 120000 / (call->family->unit_bytes * call->family->group);
        groups = chance < 5 ? random_below(&random, most) : most;
    }
    return groups * call->family->group;
}

/* The block in a receive slot. A slot without a neighbour has a size, too; nothing comes. */
static int units_into(const struct oracle* o, const struct call* call, int slot) {
    const int source = o->t.sources[slot];
    if (source == MPI_PROC_NULL) return units_of(call, o->t.rank, slot);
    return units_of(call, source, is_gather(call->which) ? 0 : o->partner[call->which][slot]);
}

/* Blocks lie in any order, with gaps; places count from anywhere. An empty block has no place. */
static int place_blocks(struct side* side, struct random* random) {
    int order[most_slots], at = random_below(random, 3);
    const int origin = random_below(random, 2) ? random_below(random, 1000) : 0;
    for (int i = 0; i < side->slots; ++i) order[i] = i;
    random_shuffle(random, order, side->slots);
    for (int i = 0; i < side->slots; ++i) {
        side->places[order[i]] = at - origin;
        at += side->counts[order[i]] + random_below(random, 3);
        if (side->counts[order[i]] == 0) side->places[order[i]] = 1 << 20;
    }
    return side->slots ? origin : 0;
}

static int place_in_order(struct side* side) {
    for (int i = 0; i < side->slots; ++i) side->places[i] = i * side->count;
    return 0;
}

static int end_of(const struct side* side) {
    int end = side->slots == 0 ? side->count : 0;
    for (int i = 0; i < side->slots; ++i) {
        const int last = side->places[i] + side->counts[i];
        if (side->counts[i] && last > end) end = last;
    }
    return end;
}

/* Both ends are filled with bytes that differ from any block's, and `base` is place 0. */
static void allocate(struct side* side, int origin, unsigned salt) {
    const size_t extent = (size_t)side->item->extent, items = (size_t)(end_of(side) + origin + 2);
    side->bytes = items * extent + 2 * canary;
    side->buffer = malloc(side->bytes);
    side->base = side->buffer + canary + (size_t)origin * extent;
    client_fill(side->buffer, side->bytes, world_rank, salt);
}

/* A block of plain units into its place in a side's buffer, through the datatype. */
static void put_block(const struct call* call, const struct side* side, unsigned char* buffer, int slot,
                      int source, int source_slot) {
    const int count = side->slots ? side->counts[slot] : side->count;
    const MPI_Aint place = side->slots ? side->places[slot] : 0;
    if (count == 0) return;
    const int units = count * side->item->units;
    const size_t bytes = (size_t)units * (size_t)call->family->unit_bytes;
    unsigned char* plain = malloc(bytes);
    client_fill(plain, bytes, source, (unsigned)random_mixed(call->salt, (uint64_t)source_slot));
    PMPI_Sendrecv(plain, units, call->family->unit, 0, 0,
                  buffer + (side->base - side->buffer) + place * side->item->extent, count, side->item->type,
                  0, 0, MPI_COMM_SELF, MPI_STATUS_IGNORE);
    free(plain);
}

static void make_send_side(const struct oracle* o, struct call* call, struct random* own) {
    struct side* side = &call->send;
    side->item = &call->family->items[random_below(own, call->family->count)];
    side->slots = is_gather(call->which) ? 0 : o->t.outdegree;
    side->count = units_of(call, o->t.rank, 0) / side->item->units;
    for (int i = 0; i < side->slots; ++i) side->counts[i] = units_of(call, o->t.rank, i) / side->item->units;
    allocate(side, call->which == neighbor_alltoallv ? place_blocks(side, own) : place_in_order(side), 17);
    for (int i = 0; i < (side->slots ? side->slots : is_gather(call->which)); ++i)
        put_block(call, side, side->buffer, i, o->t.rank, i);
}

static unsigned char* copy_of(const struct side* side) {
    unsigned char* copy = malloc(side->bytes);
    return memcpy(copy, side->buffer, side->bytes);
}

static void make_recv_side(const struct oracle* o, struct call* call, struct random* own) {
    struct side* side = &call->recv;
    side->item = &call->family->items[random_below(own, call->family->count)];
    side->slots = o->t.indegree;
    side->count = units_of(call, 0, 0) / side->item->units;
    for (int i = 0; i < side->slots; ++i) side->counts[i] = units_into(o, call, i) / side->item->units;
    allocate(side, has_displacements(call->which) ? place_blocks(side, own) : place_in_order(side), 99);
    call->computed = copy_of(side);
    call->twin = copy_of(side);
    for (int i = 0; i < side->slots; ++i)
        if (o->t.sources[i] != MPI_PROC_NULL)
            put_block(call, side, call->computed, i, o->t.sources[i],
                      is_gather(call->which) ? 0 : o->partner[call->which][i]);
}

static void make_call(const struct oracle* o, struct call* call, struct random* random, int number) {
    call->which = (enum collective)random_below(random, collectives);
    call->family = &families[random_below(random, families_count)];
    const int chance = random_below(random, 12);
    call->size = chance < 5 ? size_tiny : chance < 11 ? size_mixed : size_large;
    call->large_count = random_below(random, 4) == 0;
    call->salt = random_next(random);
    call->number = number;
    struct random own = {random_mixed(call->salt, (uint64_t)(world_rank + 1000))};
    make_send_side(o, call, &own);
    make_recv_side(o, call, &own);
}

static void free_call(struct call* call) {
    free(call->send.buffer);
    free(call->recv.buffer);
    free(call->computed);
    free(call->twin);
}

#if MPI_VERSION >= 4
static int has_large_counts(void) {
    return 1;
}
static int make_large(const struct call* call, void* into, MPI_Comm comm) {
    const struct side *s = &call->send, *r = &call->recv;
    MPI_Count sendcounts[most_slots], recvcounts[most_slots];
    MPI_Aint sendplaces[most_slots], recvplaces[most_slots];
    for (int i = 0; i < most_slots; ++i) {
        sendcounts[i] = i < s->slots ? s->counts[i] : -1;
        sendplaces[i] = i < s->slots ? s->places[i] : -1;
        recvcounts[i] = i < r->slots ? r->counts[i] : -1;
        recvplaces[i] = i < r->slots ? r->places[i] : -1;
    }
    switch (call->which) {
    case neighbor_alltoall:
        return MPI_Neighbor_alltoall_c(s->base, s->count, s->item->type, into, r->count, r->item->type, comm);
    case neighbor_alltoallv:
        return MPI_Neighbor_alltoallv_c(s->base, sendcounts, sendplaces, s->item->type, into, recvcounts,
                                        recvplaces, r->item->type, comm);
    case neighbor_allgather:
        return MPI_Neighbor_allgather_c(s->base, s->count, s->item->type, into, r->count, r->item->type,
                                        comm);
    case neighbor_allgatherv:
        return MPI_Neighbor_allgatherv_c(s->base, s->count, s->item->type, into, recvcounts, recvplaces,
                                         r->item->type, comm);
    default: return MPI_ERR_ARG;
    }
}
#else
static int has_large_counts(void) {
    return 0;
}
static int make_large(const struct call* call, void* into, MPI_Comm comm) {
    return (void)call, (void)into, (void)comm, MPI_ERR_ARG;
}
#endif

/* `into`: place 0 of the receive buffer. */
static int make_plain(const struct call* call, void* into, MPI_Comm comm, int bare) {
    const struct side *s = &call->send, *r = &call->recv;
    switch (call->which) {
    case neighbor_alltoall:
        return (bare ? PMPI_Neighbor_alltoall : MPI_Neighbor_alltoall)(s->base, s->count, s->item->type, into,
                                                                       r->count, r->item->type, comm);
    case neighbor_alltoallv:
        return (bare ? PMPI_Neighbor_alltoallv : MPI_Neighbor_alltoallv)(
            s->base, s->counts, s->places, s->item->type, into, r->counts, r->places, r->item->type, comm);
    case neighbor_allgather:
        return (bare ? PMPI_Neighbor_allgather : MPI_Neighbor_allgather)(s->base, s->count, s->item->type,
                                                                         into, r->count, r->item->type, comm);
    case neighbor_allgatherv:
        return (bare ? PMPI_Neighbor_allgatherv : MPI_Neighbor_allgatherv)(
            s->base, s->count, s->item->type, into, r->counts, r->places, r->item->type, comm);
    default: return MPI_ERR_ARG;
    }
}

static void succeed(int code, const char* name, const struct oracle* o, const struct call* call) {
    if (code != MPI_SUCCESS)
        client_fail("seed %llu, call %d: %s%s on %s, rank %d: error %d", (unsigned long long)seed,
                    call->number, name, collective_names[call->which], o->t.name, o->t.rank, code);
}

static void make_twin(const struct oracle* o, struct call* call) {
    const ptrdiff_t base = call->recv.base - call->recv.buffer;
    succeed(make_plain(call, call->twin + base, o->t.comm, 1), "P", o, call);
}

static void make(const struct oracle* o, struct call* call) {
    const int large = call->large_count && has_large_counts();
    succeed(large ? make_large(call, call->recv.base, o->t.comm)
                  : make_plain(call, call->recv.base, o->t.comm, 0),
            "", o, call);
}

/* ---- comparing ---- */

/* The block that a byte of the receive buffer is in, or -1. */
static int block_at(const struct side* side, size_t at) {
    const ptrdiff_t item = ((ptrdiff_t)at - (side->base - side->buffer)) / side->item->extent;
    for (int i = 0; i < side->slots; ++i)
        if (item >= side->places[i] && item < side->places[i] + side->counts[i]) return i;
    return -1;
}

static void compare(const struct oracle* o, const struct call* call, const unsigned char* found,
                    const unsigned char* wanted, const char* what) {
    const struct side* r = &call->recv;
    for (size_t i = 0; i < r->bytes; ++i) {
        if (found[i] == wanted[i]) continue;
        const int block = block_at(r, i);
        client_fail("seed %llu, call %d: %s on %s (%d ranks, %s), rank %d: %s at byte %zu of %zu, block %d "
                    "(from %d, place %d, "
                    "count %d of extent %ld): %d, not %d",
                    (unsigned long long)seed, call->number, collective_names[call->which], o->t.name,
                    o->t.ranks, call->family->name, o->t.rank, what, i, r->bytes, block,
                    block < 0 ? -1 : o->t.sources[block], block < 0 ? -1 : r->places[block],
                    block < 0 ? -1 : r->counts[block], (long)r->item->extent, found[i], wanted[i]);
    }
}

static void check(const struct oracle* o, const struct call* call) {
    compare(o, call, call->twin, call->computed, "the bare library differs from the computed result");
    compare(o, call, call->recv.buffer, call->computed, "a wrong result");
    if (!o->t.same_in_every_run) return;
    client_digest_add(collective_names[call->which], world_rank, call->recv.buffer, call->recv.bytes);
}

/* ---- what the log should say ---- */

static char* said;
static size_t said_bytes, said_room;

static void say(const char* line) {
    const size_t bytes = strlen(line);
    if (said_bytes + bytes > said_room) said = realloc(said, said_room = 2 * said_room + bytes + 4096);
    memcpy(said + said_bytes, line, bytes);
    said_bytes += bytes;
}

/* Bytes of the block in a slot, 0 where it goes to nobody else. */
static long long bytes_to_others(const struct oracle* o, const struct call* call, int slot) {
    const int peer = o->t.destinations[slot];
    if (peer == MPI_PROC_NULL || peer == o->t.rank) return 0;
    return (long long)units_of(call, o->t.rank, is_gather(call->which) ? 0 : slot) * call->family->unit_bytes;
}

static void record(const struct oracle* o, const struct call* call) {
    long long mine[4] = {0}, most[4];
    for (int i = 0; i < o->t.outdegree; ++i) {
        const long long bytes = bytes_to_others(o, call, i);
        mine[0] += bytes > 0;
        mine[1] = bytes > mine[1] ? bytes : mine[1];
        mine[2] += bytes;
    }
    mine[3] = -mine[2];
    client_count(o->t.comm);
    calls_made[call->which] += o->t.rank == 0;
    PMPI_Reduce(mine, most, 4, MPI_LONG_LONG, MPI_MAX, 0, o->t.comm);
    if (o->t.rank != 0) return;
    char line[200];
    snprintf(line, sizeof line, "call %s ranks=%d messages=%lld block=%lld least=%lld most=%lld large=%d\n",
             collective_names[call->which], o->t.ranks, most[0], most[1], -most[3], most[2],
             call->large_count && has_large_counts());
    say(line);
}

/* ---- other traffic on the communicator ---- */

enum traffic {
    traffic_none,
    traffic_message,
    traffic_wildcard,
    traffic_dense,
    traffic_started,
    traffic_late,
    traffics
};

struct others {
    enum traffic kind;
    int bytes, next;
    unsigned char *send, *recv;
    MPI_Request requests[2];
};

/* A receive from anybody beside a neighbour collective of a rank alone with itself hangs MPICH 4.0. */
static void begin_traffic(const struct oracle* o, struct others* others, struct random* random) {
    others->kind = (enum traffic)random_below(random, traffics);
    if (others->kind == traffic_wildcard && o->t.ranks == 1) others->kind = traffic_message;
    others->bytes = random_below(random, 2) ? 8 : 70000;
    const int last = (o->t.rank + o->t.ranks - 1) % o->t.ranks, late = random_below(random, world_ranks);
    others->next = (o->t.rank + 1) % o->t.ranks;
    others->send = malloc((size_t)others->bytes);
    others->recv = malloc((size_t)others->bytes * (size_t)o->t.ranks);
    others->requests[0] = others->requests[1] = MPI_REQUEST_NULL;
    client_fill(others->send, (size_t)others->bytes, o->t.rank, 5);
    if (others->kind == traffic_message)
        MPI_Isend(others->send, others->bytes, MPI_BYTE, others->next, 3, o->t.comm, &others->requests[1]);
    if (others->kind == traffic_message || others->kind == traffic_wildcard)
        MPI_Irecv(others->recv, others->bytes, MPI_BYTE,
                  others->kind == traffic_message ? last : MPI_ANY_SOURCE,
                  others->kind == traffic_message ? 3 : MPI_ANY_TAG, o->t.comm, &others->requests[0]);
    if (others->kind == traffic_started)
        MPI_Iallgather(others->send, 8, MPI_BYTE, others->recv, 8, MPI_BYTE, o->t.comm, &others->requests[0]);
    if (others->kind == traffic_late && late == world_rank) usleep(2000);
}

/* In the middle of the calls. A receive from anybody waits until now for its message. */
static void go_on_with_traffic(const struct oracle* o, struct others* others) {
    if (others->kind == traffic_wildcard)
        MPI_Isend(others->send, others->bytes, MPI_BYTE, others->next, 4, o->t.comm, &others->requests[1]);
    if (others->kind == traffic_dense) {
        MPI_Allgather(others->send, 8, MPI_BYTE, others->recv, 8, MPI_BYTE, o->t.comm);
        client_count(o->t.comm);
        if (o->t.rank == 0) say("call allgather\n");
    }
}

static void expect_from(const struct oracle* o, int source, const unsigned char* found, int bytes) {
    unsigned char* wanted = malloc((size_t)bytes);
    client_fill(wanted, (size_t)bytes, source, 5);
    if (memcmp(found, wanted, (size_t)bytes))
        client_fail("seed %llu, %s, rank %d: other traffic from %d", (unsigned long long)seed, o->t.name,
                    o->t.rank, source);
    free(wanted);
}

static void end_traffic(const struct oracle* o, struct others* others) {
    for (int i = 0; i < 2; ++i) MPI_Wait(&others->requests[i], MPI_STATUS_IGNORE);
    if (others->kind == traffic_message || others->kind == traffic_wildcard)
        expect_from(o, (o->t.rank + o->t.ranks - 1) % o->t.ranks, others->recv, others->bytes);
    if (others->kind == traffic_dense || others->kind == traffic_started)
        for (int i = 0; i < o->t.ranks; ++i) expect_from(o, i, others->recv + 8 * i, 8);
    free(others->send);
    free(others->recv);
}

/* ---- all of it ---- */

/* Some calls back to back, with other traffic around them. */
static void check_batch(const struct oracle* o, struct random* random, int* number) {
    static struct call calls[most_batch];
    struct others others;
    const int count = 1 + random_below(random, most_batch), twins_first = random_below(random, 2);
    for (int i = 0; i < count; ++i) make_call(o, &calls[i], random, (*number)++);
    for (int i = 0; twins_first && i < count; ++i) make_twin(o, &calls[i]);
    begin_traffic(o, &others, random);
    for (int i = 0; i < count; ++i) {
        make(o, &calls[i]);
        if (i == count / 2) go_on_with_traffic(o, &others);
    }
    end_traffic(o, &others);
    for (int i = 0; !twins_first && i < count; ++i) make_twin(o, &calls[i]);
    for (int i = 0; i < count; ++i) {
        check(o, &calls[i]);
        record(o, &calls[i]);
        free_call(&calls[i]);
    }
}

static void check_topology(struct random* random, int number) {
    struct oracle o;
    make_topology(&o.t, random, number, may_reorder);
    struct random batches = {random_next(random)};
    int calls = 0;
    if (o.t.comm != MPI_COMM_NULL) {
        learn(&o);
        for (int i = 0; i < 5; ++i) check_batch(&o, &batches, &calls);
        free(o.all);
        MPI_Comm_free(&o.t.comm);
    }
}

static void print_all_said(void) {
    int mine = (int)said_bytes, counts[client_max_ranks], places[client_max_ranks], all = 0;
    PMPI_Gather(&mine, 1, MPI_INT, counts, 1, MPI_INT, 0, MPI_COMM_WORLD);
    for (int i = 0; world_rank == 0 && i < world_ranks; ++i) {
        places[i] = all;
        all += counts[i];
    }
    char* text = malloc((size_t)all + 1);
    PMPI_Gatherv(said, mine, MPI_CHAR, text, counts, places, MPI_CHAR, 0, MPI_COMM_WORLD);
    if (world_rank == 0) fwrite(text, 1, (size_t)all, stdout);
    free(text);
    free(said);
}

static void print_sums(void) {
    for (int i = 0; i < collectives; ++i) {
        unsigned long long mine[3] = {calls_made[i], repeated_slots[i], standard_slots[i]}, all[3];
        PMPI_Reduce(mine, all, 3, MPI_UNSIGNED_LONG_LONG, MPI_SUM, 0, MPI_COMM_WORLD);
        if (world_rank != 0) continue;
        printf("made %s calls=%llu\n", collective_names[i], all[0]);
        if (!is_gather((enum collective)i))
            printf("order %s repeated=%llu as_the_standard=%llu\n", collective_names[i], all[1], all[2]);
    }
}

static void check_random_topologies(int topologies) {
    struct random random = {random_mixed(seed, 1)};
    make_families();
    for (int i = 0; i < topologies; ++i) check_topology(&random, i);
    free_families();
    print_all_said();
    print_sums();
}

/* ---- wrong arguments ---- */

static int handler_runs, erroneous;

static void count_error(MPI_Comm* comm, int* code, ...) {
    (void)comm, (void)code;
    ++handler_runs;
}

static int class_of(int code) {
    int class = MPI_SUCCESS;
    MPI_Error_class(code, &class);
    return class;
}

/* Two neighbours on each side, the rank's own successor and predecessor. */
static MPI_Comm make_ring(int next, int last) {
    const int sources[] = {last, next}, destinations[] = {next, last};
    MPI_Comm ring;
    MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 2, sources, unweighted(), 2, destinations, unweighted(),
                                   MPI_INFO_NULL, 0, &ring);
    return ring;
}

static struct call right_call(enum collective which, const struct item* item) {
    static int send[2] = {1, 2}, recv[2];
    struct call call = {.which = which,
                        .send = {.item = item, .slots = 2, .count = 1, .counts = {1, 1}, .places = {0, 1}},
                        .recv = {.item = item, .slots = 2, .count = 1, .counts = {1, 1}, .places = {0, 1}}};
    call.send.base = (unsigned char*)send;
    call.recv.base = (unsigned char*)recv;
    return call;
}

static void check_mistake(const struct call* call, MPI_Comm comm, const char* what) {
    const char* name = collective_names[call->which];
    handler_runs = 0;
    const int bare = class_of(make_plain(call, call->recv.base, comm, 1)), bare_runs = handler_runs;
    handler_runs = 0;
    const int code = class_of(make_plain(call, call->recv.base, comm, 0)), runs = handler_runs;
    if (code != bare) client_fail("%s, %s: error class %d, bare %d", name, what, code, bare);
    if (runs != bare_runs)
        client_fail("%s, %s: the handler ran %d times, bare %d", name, what, runs, bare_runs);
    ++erroneous;
    if (bare == MPI_SUCCESS) client_fail("%s, %s: no error at all", name, what);
}

/* Debian's MPICH checks the topology and nothing else. Open MPI 4.1 looks into a null communicator when it
 * gathers. */
static void check_mistakes(enum collective which, MPI_Comm ring, MPI_Comm without) {
    const struct item ints = {MPI_INT, 1, sizeof(int)}, nothing = {MPI_DATATYPE_NULL, 1, 1};
    char library[MPI_MAX_LIBRARY_VERSION_STRING];
    int length;
    MPI_Get_library_version(library, &length);
    struct call call = right_call(which, &ints);
    check_mistake(&call, without, "no topology");
    if (!strstr(library, "Open MPI")) return;
    call.send.base = MPI_IN_PLACE;
    check_mistake(&call, ring, "in place");
    call = right_call(which, &ints);
    call.send.count = call.send.counts[1] = -1;
    check_mistake(&call, ring, "negative send count");
    call = right_call(which, &ints);
    call.recv.count = call.recv.counts[1] = -1;
    check_mistake(&call, ring, "negative receive count");
    call = right_call(which, &ints);
    call.send.item = &nothing;
    check_mistake(&call, ring, "null send type");
    call = right_call(which, &ints);
    call.recv.item = &nothing;
    check_mistake(&call, ring, "null receive type");
    call = right_call(which, &ints);
    if (!is_gather(which)) check_mistake(&call, MPI_COMM_NULL, "null communicator");
}

static void refused(void) {
    const int next = (world_rank + 1) % world_ranks, last = (world_rank + world_ranks - 1) % world_ranks;
    MPI_Comm ring = make_ring(next, last), without;
    MPI_Errhandler handler;
    MPI_Comm_dup(MPI_COMM_WORLD, &without);
    MPI_Comm_create_errhandler(count_error, &handler);
    MPI_Comm_set_errhandler(ring, handler);
    MPI_Comm_set_errhandler(without, handler);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, handler);
    for (int which = 0; which < collectives; ++which) check_mistakes((enum collective)which, ring, without);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
    MPI_Errhandler_free(&handler);
    MPI_Comm_free(&without);
    MPI_Comm_free(&ring);
    if (world_rank == 0) printf("erroneous=%d\n", erroneous);
}

int main(int argument_count, char** words) {
    MPI_Init(&argument_count, &words);
    MPI_Comm_rank(MPI_COMM_WORLD, &world_rank);
    MPI_Comm_size(MPI_COMM_WORLD, &world_ranks);
    if (argument_count > 1 && !strcmp(words[1], "refused")) {
        refused();
    } else {
        seed = argument_count > 1 ? strtoull(words[1], NULL, 10) : 1;
        may_reorder = argument_count < 4 || strcmp(words[3], "keep_ranks") != 0;
        check_random_topologies(argument_count > 2 ? atoi(words[2]) : 12);
    }
    client_finish();
    MPI_Finalize();
    return 0;
}
