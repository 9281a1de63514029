/* Times of the neighbourhood collectives: MPI's functions, which switchyard takes, over the bare PMPI_ ones.
 *   neighborhoods COLLECTIVE TOPOLOGY BYTES SECONDS
 *   TOPOLOGY   grid2, grid3   periodic grids with 4 and 6 neighbours; square, cube: with 8 and 26
 *              random:N       N destinations of each rank, drawn at random
 * In turn it makes a call of each kind, so both meet the same machine. Rank 0 prints a line:
 *   median of the ratios of neighbours, mean over mean, bare median in us, calls of a kind, the ratio of the first call
 * A time is that of the slowest rank. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { most_neighbors = 512 };

static int rank, ranks;

static int compare(const void* a, const void* b) {
    const double x = *(const double*)a, y = *(const double*)b;
    return (x > y) - (x < y);
}
static double median(double* values, int count) {
    qsort(values, (size_t)count, sizeof *values, compare);
    return values[count / 2];
}

/* A compiler that sees the constant takes it for a list that is read. */
static int* unweighted(void) {
    static int* volatile none;
    none = MPI_UNWEIGHTED;
    return none;
}

/* All ranks draw the same graph. */
static MPI_Comm random_graph(int degree) {
    int destinations[most_neighbors], sources[most_neighbors], out = 0, in = 0;
    unsigned state = 12345;
    for (int from = 0; from < ranks; ++from)
        for (int i = 0; i < degree; ++i) {
            state = state * 1103515245U + 12345U;
            const int to = (int)((state >> 8) % (unsigned)ranks);
            if (from == rank && out < most_neighbors) destinations[out++] = to;
            if (to == rank && in < most_neighbors) sources[in++] = from;
        }
    MPI_Comm comm;
    MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, in, sources, unweighted(), out, destinations, unweighted(),
                                   MPI_INFO_NULL, 0, &comm);
    return comm;
}

/* A grid whose neighbours are at a distance of up to 1 in each dimension. */
static MPI_Comm full_grid(int dimensions) {
    int extents[3] = {0}, periods[3] = {1, 1, 1}, here[3], list[most_neighbors], count = 0;
    MPI_Comm grid, comm;
    MPI_Dims_create(ranks, dimensions, extents);
    MPI_Cart_create(MPI_COMM_WORLD, dimensions, extents, periods, 0, &grid);
    MPI_Cart_coords(grid, rank, dimensions, here);
    for (int x = -1; x <= 1; ++x)
        for (int y = -1; y <= 1; ++y)
            for (int z = dimensions == 3 ? -1 : 0; z <= (dimensions == 3 ? 1 : 0); ++z) {
                int there[3] = {here[0] + x, here[1] + y, dimensions == 3 ? here[2] + z : 0}, other;
                if (x == 0 && y == 0 && z == 0) continue;
                MPI_Cart_rank(grid, there, &other);
                int is_new = other != rank;
                for (int i = 0; i < count; ++i) is_new = is_new && list[i] != other;
                if (is_new) list[count++] = other;
            }
    MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, count, list, unweighted(), count, list, unweighted(),
                                   MPI_INFO_NULL, 0, &comm);
    return comm;
}

static MPI_Comm grid(int dimensions) {
    int extents[3] = {0}, periods[3] = {1, 1, 1};
    MPI_Comm comm;
    MPI_Dims_create(ranks, dimensions, extents);
    MPI_Cart_create(MPI_COMM_WORLD, dimensions, extents, periods, 0, &comm);
    return comm;
}

static MPI_Comm topology(const char* name) {
    if (strcmp(name, "grid2") == 0) return grid(2);
    if (strcmp(name, "grid3") == 0) return grid(3);
    if (strcmp(name, "square") == 0) return full_grid(2);
    if (strcmp(name, "cube") == 0) return full_grid(3);
    return random_graph(atoi(name + strlen("random:")));
}

static int sent, received, bytes, counts[most_neighbors], places[most_neighbors];
static char *from, *to;

static void call(const char* name, int is_bare, MPI_Comm comm) {
    if (strcmp(name, "neighbor_alltoall") == 0)
        (is_bare ? PMPI_Neighbor_alltoall : MPI_Neighbor_alltoall)(from, bytes, MPI_BYTE, to, bytes, MPI_BYTE,
                                                                   comm);
    else if (strcmp(name, "neighbor_alltoallv") == 0)
        (is_bare ? PMPI_Neighbor_alltoallv : MPI_Neighbor_alltoallv)(from, counts, places, MPI_BYTE, to,
                                                                     counts, places, MPI_BYTE, comm);
    else if (strcmp(name, "neighbor_allgather") == 0)
        (is_bare ? PMPI_Neighbor_allgather : MPI_Neighbor_allgather)(from, bytes, MPI_BYTE, to, bytes,
                                                                     MPI_BYTE, comm);
    else
        (is_bare ? PMPI_Neighbor_allgatherv : MPI_Neighbor_allgatherv)(from, bytes, MPI_BYTE, to, counts,
                                                                       places, MPI_BYTE, comm);
}

static double time_of(const char* name, int is_bare, MPI_Comm comm) {
    PMPI_Barrier(comm);
    const double begin = PMPI_Wtime();
    call(name, is_bare, comm);
    const double mine = PMPI_Wtime() - begin;
    double slowest = 0;
    PMPI_Allreduce(&mine, &slowest, 1, MPI_DOUBLE, MPI_MAX, comm);
    return slowest;
}

int main(int argument_count, char** words) {
    MPI_Init(&argument_count, &words);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    const char* name = words[1];
    MPI_Comm comm = topology(words[2]);
    bytes = atoi(words[3]);
    int kind;
    MPI_Topo_test(comm, &kind);
    if (kind == MPI_CART) {
        MPI_Cartdim_get(comm, &sent);
        received = sent *= 2;
    } else {
        int is_weighted;
        MPI_Dist_graph_neighbors_count(comm, &received, &sent, &is_weighted);
    }
    const int most = received > sent ? received : sent;
    for (int i = 0; i < most; ++i) {
        counts[i] = bytes;
        places[i] = i * bytes;
    }
    from = malloc((size_t)most * (size_t)bytes + 1);
    to = malloc((size_t)most * (size_t)bytes + 1);
    memset(from, 1, (size_t)most * (size_t)bytes + 1);
    memset(to, 2, (size_t)most * (size_t)bytes + 1);

    enum { most_calls = 20000 };
    static double ours[most_calls], bare[most_calls], ratios[most_calls];
    const double first_bare = time_of(name, 1, comm), first = time_of(name, 0, comm);
    for (int i = 0; i < 10; ++i) time_of(name, i % 2, comm);
    int calls = 0, goes_on = 1;
    double sum = 0, bare_sum = 0;
    const double begin = PMPI_Wtime();
    while (goes_on) {
        if (calls % 2 == 0) ours[calls] = time_of(name, 0, comm);
        bare[calls] = time_of(name, 1, comm);
        if (calls % 2 == 1) ours[calls] = time_of(name, 0, comm);
        sum += ours[calls];
        bare_sum += bare[calls];
        ratios[calls] = ours[calls] / bare[calls];
        goes_on = ++calls < most_calls && PMPI_Wtime() - begin < atof(words[4]);
        PMPI_Bcast(&goes_on, 1, MPI_INT, 0, comm);
    }
    if (rank == 0)
        printf("%.3f %.3f %.2f %d %.2f\n", median(ratios, calls), sum / bare_sum, 1e6 * median(bare, calls),
               calls, first / first_bare);
    MPI_Comm_free(&comm);
    MPI_Finalize();
    return 0;
}
