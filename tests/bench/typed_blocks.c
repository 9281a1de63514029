/* Is an MPI_Alltoallw faster through switchyard, whatever its datatypes are? Each sample has a call of PMPI_Alltoallw, which nobody
 * takes, and a call of MPI_Alltoallw, in turn. Every rank sends a block of `bytes` to every rank, as items of one type:
 *   plain  the bytes of a block side by side, as a contiguous type
 *   words  8 of every 16 bytes: a column of a matrix of complex numbers, say
 *   rows   256 of every 4096 bytes: a slab of a grid, as a transform's subarrays have it
 *
 *   switchyard run --log off -- mpirun -n 4 build/bin/switchyard-typed-blocks-openmpi [SAMPLES [BYTES ...]]
 *
 * Prints for each layout and size the median of PMPI_Alltoallw's microseconds (of the slowest rank), and the median of the ratios
 * of neighbours. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { layouts = 3, most_ranks = 256, warmup = 3 };
static const char* const names[layouts] = {"plain", "words", "rows"};
static const long pieces[layouts] = {1, 8, 256}, strides[layouts] = {1, 16, 4096};
static int rank, ranks;

static MPI_Datatype type_of(int layout, long bytes) {
    MPI_Datatype type;
    if (layout == 0 || bytes < pieces[layout])
        MPI_Type_contiguous((int)bytes, MPI_BYTE, &type);
    else
        MPI_Type_create_hvector((int)(bytes / pieces[layout]), (int)pieces[layout], strides[layout], MPI_BYTE,
                                &type);
    MPI_Type_commit(&type);
    return type;
}

static long span_of(int layout, long bytes) {
    return layout == 0 || bytes < pieces[layout] ? bytes : bytes / pieces[layout] * strides[layout];
}

typedef int (*alltoallw)(const void*, const int[], const int[], const MPI_Datatype[], void*, const int[],
                         const int[], const MPI_Datatype[], MPI_Comm);

static double time_of(alltoallw function, const void* send, void* recv, const int* counts, const int* places,
                      const MPI_Datatype* types) {
    PMPI_Barrier(MPI_COMM_WORLD);
    double begin = MPI_Wtime(), mine, slowest = 0;
    function(send, counts, places, types, recv, counts, places, types, MPI_COMM_WORLD);
    mine = MPI_Wtime() - begin;
    PMPI_Allreduce(&mine, &slowest, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    return slowest;
}

static int by_value(const void* a, const void* b) {
    double x = *(const double*)a, y = *(const double*)b;
    return (x > y) - (x < y);
}
static double median(double* values, int number) {
    qsort(values, (size_t)number, sizeof *values, by_value);
    return values[number / 2];
}

static void measure(int layout, long bytes, int samples) {
    int counts[most_ranks], places[most_ranks];
    MPI_Datatype types[most_ranks];
    const long span = span_of(layout, bytes);
    if (span * ranks > 1L << 30) return; /* displacements are ints */
    MPI_Datatype type = type_of(layout, bytes);
    for (int peer = 0; peer < ranks; ++peer) {
        counts[peer] = 1;
        places[peer] = (int)(span * peer);
        types[peer] = type;
    }
    char* send = malloc((size_t)(span * ranks));
    char* bare = calloc((size_t)(span * ranks), 1);
    char* recv = calloc((size_t)(span * ranks), 1);
    for (long i = 0; i < span * ranks; ++i) send[i] = (char)(i * 31 + rank * 7 + 1);
    double* natives = malloc((size_t)samples * sizeof *natives);
    double* ratios = malloc((size_t)samples * sizeof *ratios);
    for (int sample = -warmup; sample < samples; ++sample) {
        double native = 0, ours = 0;
        for (int turn = 0; turn < 2; ++turn) /* each is first as often as the other */
            if ((turn + sample) % 2 != 0)
                ours = time_of(MPI_Alltoallw, send, recv, counts, places, types);
            else
                native = time_of(PMPI_Alltoallw, send, bare, counts, places, types);
        if (sample < 0) continue;
        natives[sample] = native;
        ratios[sample] = ours / native;
    }
    int differs = memcmp(bare, recv, (size_t)(span * ranks)) != 0, any = 0;
    PMPI_Allreduce(&differs, &any, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
    double native = median(natives, samples), ratio = median(ratios, samples);
    if (rank == 0)
        printf("| %s | %ld | %.1f | %.2f |%s\n", names[layout], bytes, 1e6 * native, ratio,
               any ? " WRONG DATA" : "");
    if (rank == 0) fflush(stdout);
    free(send), free(bare), free(recv), free(natives), free(ratios);
    MPI_Type_free(&type);
    if (any) MPI_Abort(MPI_COMM_WORLD, 1);
}

int main(int argc, char** argv) {
    static const long sizes[] = {8, 256, 4096, 65536, 1048576};
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    const int samples = argc > 1 ? atoi(argv[1]) : 100;
    const int given = argc > 2 ? argc - 2 : (int)(sizeof sizes / sizeof *sizes);
    if (samples < 1 || ranks > most_ranks) {
        if (rank == 0)
            fprintf(stderr, "usage: %s [SAMPLES [BYTES ...]], with at most %d ranks\n", argv[0], most_ranks);
        MPI_Finalize();
        return 2;
    }
    if (rank == 0) printf("| %d ranks | bytes | PMPI_Alltoallw, us | ratio |\n|---|---:|---:|---:|\n", ranks);
    for (int layout = 0; layout < layouts; ++layout)
        for (int i = 0; i < given; ++i) measure(layout, argc > 2 ? atol(argv[i + 2]) : sizes[i], samples);
    MPI_Finalize();
    return 0;
}
