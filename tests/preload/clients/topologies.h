/* Random process topologies for client programs: graphs of each kind, and Cartesian grids. All ranks of the
 * world make them alike, from random numbers that are equal on all ranks. */
#ifndef SWITCHYARD_TESTS_PRELOAD_TOPOLOGIES_H
#define SWITCHYARD_TESTS_PRELOAD_TOPOLOGIES_H

#include "client.h"

enum { most_slots = 4 * client_max_ranks }; /* neighbours on one side of a rank */

struct random {
    uint64_t state;
};

static uint64_t random_mixed(uint64_t a, uint64_t b) {
    uint64_t z = a * 0x9E3779B97F4A7C15u + b + 0x632BE59BD9B4E019u;
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
    return z ^ (z >> 31);
}

static uint64_t random_next(struct random* random) {
    return random_mixed(++random->state, 17);
}

/* 0 to `end` - 1. */
static int random_below(struct random* random, int end) {
    return (int)(random_next(random) % (uint64_t)end);
}

static void random_shuffle(struct random* random, int* numbers, int count) {
    for (int i = count - 1; i > 0; --i) {
        int other = random_below(random, i + 1), kept = numbers[i];
        numbers[i] = numbers[other];
        numbers[other] = kept;
    }
}

/* A communicator with a topology. A neighbour is a slot: a rank that occurs twice has two of them. */
struct topology {
    MPI_Comm comm; /* MPI_COMM_NULL on a rank that has no part in it */
    char name[96];
    int is_cart;
    int same_in_every_run; /* MPI lists the neighbours of a graph of edges as messages arrive */
    int rank, ranks;
    int indegree, sources[most_slots];
    int outdegree, destinations[most_slots];
};

/* How many edges go from one rank to another. */
typedef unsigned char edges_of_ranks[client_max_ranks][client_max_ranks];

enum graph_pattern {
    graph_sparse,
    graph_repeated,
    graph_half_silent,
    graph_star,
    graph_ring,
    graph_loops,
    graph_full,
    graph_empty,
    graph_patterns
};
static const char* const graph_names[] = {"sparse", "repeated", "half silent", "star",
                                          "ring",   "loops",    "full",        "empty"};

static int edges_between(struct random* random, enum graph_pattern pattern, int source, int destination,
                         int ranks) {
    const int chance = random_below(random, 20);
    switch (pattern) {
    case graph_sparse: return chance < 8;
    case graph_repeated: return chance < 8 ? 0 : chance < 14 ? 1 : chance < 18 ? 2 : 3;
    case graph_half_silent: return source % 2 == 0 && destination % 3 != 0 && chance < 14;
    case graph_star: return destination == ranks / 2 ? 1 + (chance == 0) : source == 0 && chance < 4;
    case graph_ring: return destination == (source + 1) % ranks;
    case graph_loops: return source == destination ? chance % 4 : chance == 0;
    case graph_full: return 1;
    default: return 0;
    }
}

static void make_edges(edges_of_ranks edges, struct random* random, enum graph_pattern pattern, int ranks) {
    for (int source = 0; source < ranks; ++source)
        for (int destination = 0; destination < ranks; ++destination)
            edges[source][destination] =
                (unsigned char)edges_between(random, pattern, source, destination, ranks);
}

/* The neighbours of a rank on one side, each as often as it has edges, in any order. */
static int list_neighbours(edges_of_ranks edges, int rank, int ranks, int incoming, uint64_t seed,
                           int* list) {
    struct random random = {random_mixed(seed, (uint64_t)(2 * rank + incoming))};
    int count = 0;
    for (int peer = 0; peer < ranks; ++peer)
        for (int i = incoming ? edges[peer][rank] : edges[rank][peer]; i > 0; --i) list[count++] = peer;
    random_shuffle(&random, list, count);
    return count;
}

enum graph_weights { weights_none, weights_given, weights_empty, weight_ways };
static const char* const weight_names[] = {"unweighted", "weighted", "weighted or empty"};

/* These addresses stand for no array. GCC would look for one. */
static int* unweighted(void) {
    int* volatile weights = MPI_UNWEIGHTED;
    return weights;
}
static int* no_weights(void) {
    int* volatile weights = MPI_WEIGHTS_EMPTY;
    return weights;
}

static const int* weights_of(enum graph_weights way, int degree) {
    static int weights[client_max_ranks * client_max_ranks * 4];
    for (int i = 0; i < degree; ++i) weights[i] = 1 + i % 5;
    if (way == weights_none) return unweighted();
    return way == weights_empty && degree == 0 ? no_weights() : weights;
}

static MPI_Comm make_adjacent_graph(edges_of_ranks edges, int rank, int ranks, enum graph_weights way,
                                    int reorder, uint64_t seed) {
    int sources[most_slots], destinations[most_slots];
    const int indegree = list_neighbours(edges, rank, ranks, 1, seed, sources);
    const int outdegree = list_neighbours(edges, rank, ranks, 0, seed, destinations);
    MPI_Comm comm;
    MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, indegree, sources, weights_of(way, indegree), outdegree,
                                   destinations, weights_of(way, outdegree), MPI_INFO_NULL, reorder, &comm);
    return comm;
}

/* Any rank gives an edge. Open MPI 4.1.4 hangs where a communicator has seen 23 or 24 nonblocking collectives, also
 * those inside MPI (open-mpi/ompi#13918). So each graph is made on a communicator that has seen none. */
static MPI_Comm make_graph_of_edges(edges_of_ranks edges, int rank, int ranks, enum graph_weights way,
                                    int reorder, struct random* random) {
    static int sources[client_max_ranks * client_max_ranks * 4],
        degrees[client_max_ranks * client_max_ranks * 4],
        destinations[client_max_ranks * client_max_ranks * 4];
    int nodes = 0, given = 0;
    for (int source = 0; source < ranks; ++source)
        for (int destination = 0; destination < ranks; ++destination)
            for (int i = edges[source][destination]; i > 0; --i) {
                if (random_below(random, ranks) != rank) continue;
                destinations[given++] = destination;
                if (nodes > 0 && sources[nodes - 1] == source && given % 3) {
                    ++degrees[nodes - 1];
                    continue;
                }
                sources[nodes] = source;
                degrees[nodes++] = 1;
            }
    MPI_Comm world, comm;
    MPI_Comm_dup(MPI_COMM_WORLD, &world);
    MPI_Dist_graph_create(world, nodes, sources, degrees, destinations, weights_of(way, given), MPI_INFO_NULL,
                          reorder, &comm);
    MPI_Comm_free(&world);
    return comm;
}

/* The graph of MPI-1 is symmetric, and may leave ranks out. */
static MPI_Comm make_old_graph(edges_of_ranks edges, int nodes, int reorder, uint64_t seed) {
    static int index[client_max_ranks], all[client_max_ranks * client_max_ranks * 4];
    int count = 0;
    for (int a = 0; a < nodes; ++a)
        for (int b = 0; b < a; ++b) edges[a][b] = edges[b][a];
    for (int node = 0; node < nodes; ++node) {
        count += list_neighbours(edges, node, nodes, 0, seed, all + count);
        index[node] = count;
    }
    MPI_Comm comm;
    MPI_Graph_create(MPI_COMM_WORLD, nodes, index, all, reorder, &comm);
    return comm;
}

/* Extents of 1 and 2 are frequent: there both neighbours of a dimension may be the same rank. */
static MPI_Comm make_cart(struct random* random, MPI_Comm parent, int reorder, char* name, size_t room) {
    int extents[3], periodic[3], left;
    MPI_Comm_size(parent, &left);
    const int dimensions = 1 + random_below(random, 3);
    size_t at = (size_t)snprintf(name, room, "grid");
    for (int i = 0; i < dimensions; ++i) {
        const int whole = random_below(random, 3) == 0;
        extents[i] = whole ? left : 1 + random_below(random, left < 3 ? left : 3);
        periodic[i] = random_below(random, 3) != 0;
        left /= extents[i];
        at += (size_t)snprintf(name + at, room - at, "%s%d%s", i ? " x " : " ", extents[i],
                               periodic[i] ? " periodic" : "");
    }
    MPI_Comm comm;
    MPI_Cart_create(parent, dimensions, extents, periodic, reorder, &comm);
    return comm;
}

/* A grid in each half of the world. */
static MPI_Comm make_carts_side_by_side(struct random* random, int reorder, char* name, size_t room) {
    int rank;
    MPI_Comm half;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_split(MPI_COMM_WORLD, rank % 2, -rank, &half);
    MPI_Comm grid = make_cart(random, half, reorder, name, room);
    MPI_Comm_free(&half);
    strncat(name, ", in a half", room - strlen(name) - 1);
    return grid;
}

static void ask_for_neighbours(struct topology* t) {
    int kind, weighted, ignored[most_slots], also_ignored[most_slots];
    t->is_cart = t->indegree = t->outdegree = 0;
    if (t->comm == MPI_COMM_NULL) return;
    MPI_Comm_rank(t->comm, &t->rank);
    MPI_Comm_size(t->comm, &t->ranks);
    MPI_Topo_test(t->comm, &kind);
    if (kind == MPI_CART) {
        int dimensions;
        MPI_Cartdim_get(t->comm, &dimensions);
        for (int i = 0; i < dimensions; ++i)
            MPI_Cart_shift(t->comm, i, 1, &t->sources[2 * i], &t->sources[2 * i + 1]);
        t->is_cart = 1;
        t->indegree = t->outdegree = 2 * dimensions;
        memcpy(t->destinations, t->sources, sizeof t->sources);
    } else if (kind == MPI_GRAPH) {
        MPI_Graph_neighbors_count(t->comm, t->rank, &t->indegree);
        MPI_Graph_neighbors(t->comm, t->rank, t->indegree, t->sources);
        t->outdegree = t->indegree;
        memcpy(t->destinations, t->sources, sizeof t->sources);
    } else {
        MPI_Dist_graph_neighbors_count(t->comm, &t->indegree, &t->outdegree, &weighted);
        MPI_Dist_graph_neighbors(t->comm, t->indegree, t->sources, weighted ? ignored : unweighted(),
                                 t->outdegree, t->destinations, weighted ? also_ignored : unweighted());
    }
}

enum { topology_kinds = 6 };

/* The topology of this number; six numbers in a row have one of each kind. With `may_reorder` the MPI may
 * choose its ranks. */
CLIENT_UNUSED static void make_topology(struct topology* t, struct random* random, int number,
                                        int may_reorder) {
    static edges_of_ranks edges;
    int world_rank, ranks;
    MPI_Comm_rank(MPI_COMM_WORLD, &world_rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    const uint64_t seed = random_next(random);
    const enum graph_pattern pattern = (enum graph_pattern)random_below(random, graph_patterns);
    const enum graph_weights way = (enum graph_weights)random_below(random, weight_ways);
    const int reorder = random_below(random, 2) && may_reorder, kind = number % topology_kinds;
    const int nodes = random_below(random, 3) ? ranks : 1 + random_below(random, ranks);
    const int duplicate = random_below(random, 4) == 0;
    make_edges(edges, random, pattern, ranks);
    t->same_in_every_run = kind != 1;
    size_t room = sizeof t->name;
    if (kind == 0 || kind == 3) {
        snprintf(t->name, room, "adjacent graph, %s, %s", graph_names[pattern], weight_names[way]);
        t->comm = make_adjacent_graph(edges, world_rank, ranks, way, reorder, seed);
    } else if (kind == 1) {
        snprintf(t->name, room, "graph of edges, %s, %s", graph_names[pattern], weight_names[way]);
        t->comm = make_graph_of_edges(edges, world_rank, ranks, way, reorder, random);
    } else if (kind == 2) {
        snprintf(t->name, room, "graph of MPI-1, %s, %d nodes", graph_names[pattern], nodes);
        t->comm = make_old_graph(edges, nodes, reorder, seed);
    } else if (kind == 4 || random_below(random, 2)) {
        t->comm = make_cart(random, MPI_COMM_WORLD, reorder, t->name, room);
    } else {
        t->comm = make_carts_side_by_side(random, reorder, t->name, room);
    }
    if (reorder) strncat(t->name, ", reordered", room - strlen(t->name) - 1);
    if (duplicate && t->comm != MPI_COMM_NULL) {
        MPI_Comm original = t->comm;
        MPI_Comm_dup(original, &t->comm);
        MPI_Comm_free(&original);
    }
    ask_for_neighbours(t);
}

#endif
