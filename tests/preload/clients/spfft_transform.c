/* A sparse three-dimensional FFT by SpFFT, as plane-wave codes have it: each rank has some columns of the spectrum, and some planes
 * of space. Backward and forward again must give the spectrum; the digest is of space. Arguments: EXCHANGE [transforms], where
 * EXCHANGE is `buffered` (MPI_Alltoall), `compact` (MPI_Alltoallv) or `unbuffered` (MPI_Alltoallw). */
#include "client.h"

#include <math.h>
#include <spfft/spfft.h>

enum { nx = 11, ny = 12, nz = 13, most = nx * ny * nz };

static void must(SpfftError code, const char* what) {
    if (code != SPFFT_SUCCESS) client_fail("SpFFT: %s: error %d", what, code);
}

static SpfftExchangeType exchange_of(const char* word) {
    if (strcmp(word, "buffered") == 0) return SPFFT_EXCH_BUFFERED;
    if (strcmp(word, "compact") == 0) return SPFFT_EXCH_COMPACT_BUFFERED;
    return SPFFT_EXCH_UNBUFFERED;
}

/* Every second column of the spectrum is there, and rank by rank they go around. */
static int take_columns(int rank, int ranks, int* indices) {
    int elements = 0;
    for (int x = 0; x < nx; ++x)
        for (int y = 0; y < ny; ++y) {
            if ((x + y) % 2 != 0 || ((x * ny + y) / 2) % ranks != rank) continue;
            for (int z = 0; z < nz; ++z, ++elements) {
                indices[3 * elements] = x;
                indices[3 * elements + 1] = y;
                indices[3 * elements + 2] = z;
            }
        }
    return elements;
}

int main(int argc, char** argv) {
    static int indices[3 * most];
    static double spectrum[2 * most], back[2 * most];
    MPI_Init(&argc, &argv);
    int rank, ranks;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    if (argc < 2) client_fail("no exchange");
    const int transforms = argc > 2 ? atoi(argv[2]) : 4;
    const int planes = nz / ranks + (rank < nz % ranks);
    const int elements = take_columns(rank, ranks, indices);
    SpfftTransform transform;
    must(spfft_transform_create_independent_distributed(&transform, 1, MPI_COMM_WORLD, exchange_of(argv[1]),
                                                        SPFFT_PU_HOST, SPFFT_TRANS_C2C, nx, ny, nz, planes,
                                                        elements, SPFFT_INDEX_TRIPLETS, indices),
         "create");
    double* space = NULL;
    must(spfft_transform_get_space_domain(transform, SPFFT_PU_HOST, &space), "space");
    double largest = 0;
    for (int turn = 0; turn < transforms; ++turn) {
        for (int i = 0; i < 2 * elements; ++i) spectrum[i] = sin(0.37 * i + rank + turn);
        must(spfft_transform_backward(transform, spectrum, SPFFT_PU_HOST), "backward");
        client_digest_add("space", rank, space, sizeof(double) * 2 * (size_t)(nx * ny * planes));
        must(spfft_transform_forward(transform, SPFFT_PU_HOST, back, SPFFT_FULL_SCALING), "forward");
        for (int i = 0; i < 2 * elements; ++i) largest = fmax(largest, fabs(back[i] - spectrum[i]));
    }
    if (largest > 1e-12) client_fail("the error after the way back is %g", largest);
    must(spfft_transform_destroy(transform), "destroy");
    unsigned long long mine = atomic_load(&client_digest), all = 0;
    PMPI_Reduce(&mine, &all, 1, MPI_UNSIGNED_LONG_LONG, MPI_SUM, 0, MPI_COMM_WORLD);
    if (rank == 0) printf("ok digest=%016llx\n", all);
    MPI_Finalize();
    return 0;
}
