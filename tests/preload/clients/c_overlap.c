/* Alltoallv in one buffer: what MPI offers (MPI_IN_PLACE), and what it does not (send and receive blocks that
 * overlap in any way). Every call is checked by itself: the whole buffer, and that nothing but receive blocks
 * changed. Arguments, each SEED:CALLS: in_place, overlapping, one_rank (only rank 0's blocks overlap), apart
 * (one allocation, no overlap), strided (overlapping, of a type with gaps); or huge:MIB[:separate]: one call
 * of that much data on each rank, in one buffer or in two, which prints the most memory that any rank ever
 * had. */
#include "client.h"

static int rank, ranks;
static uint64_t state;

static uint64_t mixed(uint64_t a, uint64_t b, uint64_t c) {
    uint64_t x = a * 0x9e3779b97f4a7c15u + b * 0xc2b2ae3d27d4eb4fu + c * 0x165667b19e3779f9u + 1;
    x ^= x >> 31;
    x *= 0xff51afd7ed558ccdu;
    return x ^ (x >> 33);
}

static int below(int limit) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    return limit > 0 ? (int)((state >> 33) % (uint64_t)limit) : 0;
}

static unsigned char byte_of(uint64_t salt, int source, int destination, int i) {
    return (unsigned char)mixed(salt, (uint64_t)(source * 64 + destination), (uint64_t)i);
}

/* The same everywhere; the same both ways where MPI_IN_PLACE wants that. */
static int size_of(uint64_t salt, int source, int destination, int symmetric) {
    int low = source < destination ? source : destination, high = source + destination - low;
    uint64_t n = symmetric ? mixed(salt, (uint64_t)low, (uint64_t)high)
                           : mixed(salt, (uint64_t)(source * 64 + destination), 7);
    return n % 5 == 0 ? 0 : (int)(n % 97);
}

/* Places blocks in any order, with gaps or without, from `start` on; where they end. */
static int place(const int* sizes, int* displacements, int start, int most_gap) {
    int order[client_max_ranks];
    for (int i = 0; i < ranks; ++i) order[i] = i;
    for (int i = ranks - 1; i > 0; --i) {
        int j = below(i + 1), other = order[j];
        order[j] = order[i];
        order[i] = other;
    }
    for (int i = 0; i < ranks; ++i) {
        start += below(most_gap + 1);
        displacements[order[i]] = start;
        start += sizes[order[i]];
    }
    return start;
}

enum { room = 64 * client_max_ranks * 16 };
static unsigned char buffer[2 * room], expected[2 * room];

static void check_call(const char* kind, uint64_t salt) {
    int in_place = strcmp(kind, "in_place") == 0, stride = strcmp(kind, "strided") == 0 ? 2 : 1;
    int apart = strcmp(kind, "apart") == 0 || (strcmp(kind, "one_rank") == 0 && rank != 0);
    int out[client_max_ranks], in[client_max_ranks], from[client_max_ranks], to[client_max_ranks];
    state = mixed(salt, (uint64_t)rank, 3);
    for (int peer = 0; peer < ranks; ++peer) {
        out[peer] = size_of(salt, rank, peer, in_place);
        in[peer] = size_of(salt, peer, rank, in_place);
    }
    int most_gap = below(3) * below(20);
    int end = place(in, to, below(50), most_gap);
    if (in_place)
        memcpy(from, to, sizeof to);
    else
        place(out, from, apart ? end + below(9) : below(50), most_gap);

    client_fill(buffer, sizeof buffer, rank, (unsigned)salt);
    for (int peer = 0; peer < ranks; ++peer)
        for (int i = 0; i < out[peer]; ++i) buffer[(from[peer] + i) * stride] = byte_of(salt, rank, peer, i);
    memcpy(expected, buffer, sizeof buffer);
    for (int peer = 0; peer < ranks; ++peer)
        for (int i = 0; i < in[peer]; ++i) expected[(to[peer] + i) * stride] = byte_of(salt, peer, rank, i);

    MPI_Datatype type = MPI_BYTE;
    if (stride == 2) {
        PMPI_Type_create_resized(MPI_BYTE, 0, 2, &type);
        PMPI_Type_commit(&type);
    }
    client_count(MPI_COMM_WORLD);
    int code = in_place ? MPI_Alltoallv(MPI_IN_PLACE, NULL, NULL, MPI_DATATYPE_NULL, buffer, in, to, type,
                                        MPI_COMM_WORLD)
                        : MPI_Alltoallv(buffer, out, from, type, buffer, in, to, type, MPI_COMM_WORLD);
    if (code != MPI_SUCCESS) client_fail("%s: error %d on rank %d", kind, code, rank);
    for (size_t i = 0; i < sizeof buffer; ++i)
        if (buffer[i] != expected[i])
            client_fail("%s, call %llu: rank %d has a wrong byte at %zu", kind, (unsigned long long)salt,
                        rank, i);
    if (type != MPI_BYTE) PMPI_Type_free(&type);
    client_digest_add(kind, rank, buffer, sizeof buffer);
}

static long most_memory_kib(void) {
    char line[256];
    long kib = 0;
    FILE* file = fopen("/proc/self/status", "r");
    while (file && fgets(line, sizeof line, file))
        if (sscanf(line, "VmHWM: %ld", &kib) == 1) break;
    if (file) fclose(file);
    return kib;
}

/* Packed without a free byte: blocks of the same size, taken by rank and put by rank. */
static void check_huge(size_t mib, int separate) {
    size_t block = (mib << 20) / (size_t)ranks, bytes = block * (size_t)ranks;
    unsigned char* data = malloc(bytes);
    unsigned char* received = separate ? malloc(bytes) : data;
    /* Two arrays of equal counts: with one, MPICH refuses one buffer. */
    int counts[client_max_ranks], recvcounts[client_max_ranks], displacements[client_max_ranks];
    for (int peer = 0; peer < ranks; ++peer) {
        counts[peer] = recvcounts[peer] = (int)block;
        displacements[peer] = (int)((size_t)peer * block);
        client_fill(data + displacements[peer], block, rank, (unsigned)peer);
    }
    client_count(MPI_COMM_WORLD);
    double start = MPI_Wtime();
    MPI_Alltoallv(data, counts, displacements, MPI_BYTE, received, recvcounts, displacements, MPI_BYTE,
                  MPI_COMM_WORLD);
    double elapsed = MPI_Wtime() - start;
    unsigned char* wanted = malloc(1 << 16);
    long kib = most_memory_kib(), most = 0;
    for (int peer = 0; peer < ranks; ++peer) {
        size_t some = block < 1 << 16 ? block : 1 << 16;
        client_fill(wanted, some, peer, (unsigned)rank);
        if (memcmp(wanted, received + displacements[peer], some) != 0)
            client_fail("huge: wrong data on rank %d", rank);
    }
    PMPI_Reduce(&kib, &most, 1, MPI_LONG, MPI_MAX, 0, MPI_COMM_WORLD);
    if (rank == 0) printf("memory_kib=%ld data_kib=%zu seconds=%.6f\n", most, bytes >> 10, elapsed);
    client_digest_add("huge", rank, received, bytes);
    free(wanted);
    free(data);
    if (separate) free(received);
}

int main(int argc, char** argv) {
    MPI_Init(&argc, &argv);
    PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
    PMPI_Comm_size(MPI_COMM_WORLD, &ranks);
    for (int i = 1; i < argc; ++i) {
        char kind[32] = "";
        unsigned first = 0, second = 0;
        if (sscanf(argv[i], "%31[a-z_]:%u:%u", kind, &first, &second) < 2)
            client_fail("what is %s?", argv[i]);
        if (strcmp(kind, "huge") == 0) {
            check_huge(first, strstr(argv[i], ":separate") != NULL);
            continue;
        }
        for (unsigned call = 0; call < second; ++call) check_call(kind, 1000u * first + call);
    }
    client_finish();
    MPI_Finalize();
    return 0;
}
