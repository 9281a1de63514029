/* A breadth-first search in small: at each level a rank has vertices for some of the others, few for most of
 * them and many for a few (a power law), gathers everybody's counts, and exchanges the vertices.
 *   c_frontier [LEVELS [LARGEST]]   LARGEST: vertices of 8 bytes in the largest block
 * Says how long the levels took on the slowest rank, without the check of what arrived. */
#include "client.h"

static int rank, ranks;

static uint64_t hash_of(int level, int source, int destination) {
    const int numbers[] = {level, source, destination};
    return client_hash(0, numbers, sizeof numbers);
}

/* Nothing to half of the ranks, 1 vertex to most others, 2^k vertices to one of 2^k. */
static int vertices(int level, int source, int destination, int largest) {
    uint64_t dice = hash_of(level, source, destination);
    if (dice % 2 == 0) return 0;
    int count = 1;
    for (dice >>= 8; dice % 2 == 1 && 2 * count <= largest; dice >>= 1) count *= 2;
    return count;
}

static uint64_t vertex(int level, int source, int destination, int i) {
    return hash_of(level, source, destination) + (uint64_t)i;
}

static int lay_out(const int* counts, int* displacements) {
    int end = 0;
    for (int peer = 0; peer < ranks; ++peer) {
        displacements[peer] = end;
        end += counts[peer];
    }
    return end;
}

static void check(int level, const uint64_t* arrived, const int* in, const int* at) {
    for (int source = 0; source < ranks; ++source)
        for (int i = 0; i < in[source]; ++i)
            if (arrived[at[source] + i] != vertex(level, source, rank, i))
                client_fail("level %d: rank %d has a wrong vertex %d from %d", level, rank, i, source);
}

/* One level. Returns its seconds. */
static double search(int level, int largest, uint64_t* send, uint64_t* receive, int* counts) {
    int out[client_max_ranks], in[client_max_ranks], out_at[client_max_ranks], in_at[client_max_ranks];
    for (int peer = 0; peer < ranks; ++peer) out[peer] = vertices(level, rank, peer, largest);
    lay_out(out, out_at);
    for (int peer = 0; peer < ranks; ++peer)
        for (int i = 0; i < out[peer]; ++i) send[out_at[peer] + i] = vertex(level, rank, peer, i);
    double start = MPI_Wtime();
    if (MPI_Allgather(out, ranks, MPI_INT, counts, ranks, MPI_INT, MPI_COMM_WORLD) != MPI_SUCCESS)
        client_fail("the allgather failed");
    for (int peer = 0; peer < ranks; ++peer) in[peer] = counts[peer * ranks + rank];
    int arrived = lay_out(in, in_at);
    if (MPI_Alltoallv(send, out, out_at, MPI_UINT64_T, receive, in, in_at, MPI_UINT64_T, MPI_COMM_WORLD) !=
        MPI_SUCCESS)
        client_fail("the exchange failed");
    double seconds = MPI_Wtime() - start;
    for (int calls = 0; calls < 2; ++calls) client_count(MPI_COMM_WORLD);
    check(level, receive, in, in_at);
    client_digest_add("level", rank, receive, (size_t)arrived * sizeof *receive);
    return seconds;
}

int main(int argc, char** argv) {
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    int levels = argc > 1 ? atoi(argv[1]) : 50, largest = argc > 2 ? atoi(argv[2]) : 4096;
    size_t room = (size_t)ranks * (size_t)largest;
    uint64_t* send = malloc(room * sizeof *send);
    uint64_t* receive = malloc(room * sizeof *receive);
    int* counts = malloc((size_t)ranks * (size_t)ranks * sizeof *counts);
    if (!send || !receive || !counts || ranks > client_max_ranks) client_fail("no memory, or too many ranks");
    double seconds = 0, slowest = 0;
    for (int level = 0; level < levels; ++level) seconds += search(level, largest, send, receive, counts);
    PMPI_Reduce(&seconds, &slowest, 1, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
    if (rank == 0) printf("levels=%d us_a_level=%.1f\n", levels, slowest / levels * 1e6);
    client_finish();
    free(send), free(receive), free(counts);
    MPI_Finalize();
    return 0;
}
