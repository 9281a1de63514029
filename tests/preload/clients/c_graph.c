/* MPI_Dist_graph_create on MPI_COMM_WORLD:
 *   c_graph NUMBER   after so many nonblocking collectives on it
 * The last rank gives all edges, and very many of them lead to rank 0. So rank 0 still receives them when the
 * next rank has all of its own and goes on to MPI's next step, which sends to rank 0. Three ranks or more. */
#include "client.h"

enum { many = 1 << 20 };

/* These addresses stand for no array. GCC would look for one. */
static int* unweighted(void) {
    int* volatile weights = MPI_UNWEIGHTED;
    return weights;
}

static void make_nonblocking(int number) {
    for (int i = 0; i < number; ++i) {
        MPI_Request request;
        MPI_Ibarrier(MPI_COMM_WORLD, &request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    }
}

/* A ring, and from the last rank to rank 0 many edges. */
static MPI_Comm make_graph(int rank, int ranks) {
    static int sources[client_max_ranks], degrees[client_max_ranks], destinations[client_max_ranks + many];
    for (int i = 0; i < ranks; ++i) {
        sources[i] = i;
        degrees[i] = i < ranks - 1 ? 1 : many;
        destinations[i] = (i + 1) % ranks;
    }
    MPI_Comm graph; /* the last destinations are 0 */
    MPI_Dist_graph_create(MPI_COMM_WORLD, rank == ranks - 1 ? ranks : 0, sources, degrees, destinations,
                          unweighted(), MPI_INFO_NULL, 0, &graph);
    return graph;
}

static void expect_all(const int* neighbours, int count, int wanted, const char* side, int rank) {
    for (int i = 0; i < count; ++i)
        if (neighbours[i] != wanted)
            client_fail("rank %d, %s %d of %d: %d, not %d", rank, side, i, count, neighbours[i], wanted);
}

static void check(MPI_Comm graph, int rank, int ranks) {
    static int sources[many], destinations[many];
    int indegree, outdegree, weighted;
    MPI_Dist_graph_neighbors_count(graph, &indegree, &outdegree, &weighted);
    if (indegree != (rank == 0 ? many : 1) || outdegree != (rank == ranks - 1 ? many : 1))
        client_fail("rank %d: %d sources, %d destinations", rank, indegree, outdegree);
    MPI_Dist_graph_neighbors(graph, indegree, sources, unweighted(), outdegree, destinations, unweighted());
    expect_all(sources, indegree, (rank + ranks - 1) % ranks, "source", rank);
    expect_all(destinations, outdegree, (rank + 1) % ranks, "destination", rank);
}

static void use(MPI_Comm graph, int rank, int ranks) {
    int all[client_max_ranks];
    MPI_Allgather(&rank, 1, MPI_INT, all, 1, MPI_INT, graph);
    client_count(graph);
    client_digest_add("ranks", rank, all, sizeof all[0] * (size_t)ranks);
}

int main(int argument_count, char** words) {
    int rank, ranks;
    MPI_Init(&argument_count, &words);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    make_nonblocking(argument_count > 1 ? atoi(words[1]) : 0);
    MPI_Comm graph = make_graph(rank, ranks);
    check(graph, rank, ranks);
    use(graph, rank, ranks);
    MPI_Comm_free(&graph);
    client_finish();
    MPI_Finalize();
    return 0;
}
