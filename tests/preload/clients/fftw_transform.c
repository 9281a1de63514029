/* A three-dimensional FFT by FFTW's MPI interface, of a size that no small number of ranks divides. FFTW
 * transposes with MPI_Alltoallv (or MPI_Alltoall where the blocks are equal) only for out-of-place plans that
 * may destroy their input; other plans use point-to-point messages. Forward and back again must give the
 * input; the digest is of the spectrum. Arguments: [transforms, default 20] [n0 n1 n2, default 30 x 22 x 26].
 */
#include "client.h"

#include <fftw3-mpi.h>
#include <math.h>

struct transform {
    ptrdiff_t n[3], local_n0, start0, local_n1, start1, allocated;
    fftw_complex *space, *spectrum, *original;
    fftw_plan forward, backward;
};

/* Transposed out and back in: one global transpose in each direction instead of two, as solvers do it. */
static void make_plans(struct transform* t) {
    t->allocated = fftw_mpi_local_size_3d_transposed(t->n[0], t->n[1], t->n[2], MPI_COMM_WORLD, &t->local_n0,
                                                     &t->start0, &t->local_n1, &t->start1);
    t->space = fftw_alloc_complex((size_t)t->allocated);
    t->spectrum = fftw_alloc_complex((size_t)t->allocated);
    t->original = fftw_alloc_complex((size_t)t->allocated);
    unsigned flags = FFTW_ESTIMATE | FFTW_DESTROY_INPUT;
    t->forward = fftw_mpi_plan_dft_3d(t->n[0], t->n[1], t->n[2], t->space, t->spectrum, MPI_COMM_WORLD,
                                      FFTW_FORWARD, flags | FFTW_MPI_TRANSPOSED_OUT);
    t->backward = fftw_mpi_plan_dft_3d(t->n[0], t->n[1], t->n[2], t->spectrum, t->space, MPI_COMM_WORLD,
                                       FFTW_BACKWARD, flags | FFTW_MPI_TRANSPOSED_IN);
    if (!t->forward || !t->backward) client_fail("FFTW made no plan");
}

static ptrdiff_t local_points(const struct transform* t) {
    return t->local_n0 * t->n[1] * t->n[2];
}

static void fill(struct transform* t, int round) {
    ptrdiff_t first = t->start0 * t->n[1] * t->n[2];
    for (ptrdiff_t i = 0; i < local_points(t); ++i) {
        t->original[i][0] = sin(0.37 * (double)(first + i) + round);
        t->original[i][1] = cos(0.11 * (double)(first + i) - round);
    }
    memcpy(t->space, t->original, (size_t)local_points(t) * sizeof(fftw_complex));
}

static double largest_error(const struct transform* t) {
    double scale = 1.0 / (double)(t->n[0] * t->n[1] * t->n[2]), largest = 0, everywhere = 0;
    for (ptrdiff_t i = 0; i < local_points(t); ++i)
        for (int part = 0; part < 2; ++part)
            largest = fmax(largest, fabs(t->space[i][part] * scale - t->original[i][part]));
    PMPI_Allreduce(&largest, &everywhere, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    return everywhere;
}

static double transform_once(struct transform* t, int round, int rank) {
    fill(t, round);
    fftw_execute(t->forward);
    client_digest_add("spectrum", rank, t->spectrum,
                      (size_t)(t->local_n1 * t->n[0] * t->n[2]) * sizeof(fftw_complex));
    fftw_execute(t->backward);
    return largest_error(t);
}

static void free_plans(struct transform* t) {
    fftw_destroy_plan(t->forward);
    fftw_destroy_plan(t->backward);
    fftw_free(t->space);
    fftw_free(t->spectrum);
    fftw_free(t->original);
}

int main(int argc, char** argv) {
    MPI_Init(&argc, &argv);
    fftw_mpi_init();
    int rank, transforms = argc > 1 ? atoi(argv[1]) : 20;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    struct transform t = {.n = {30, 22, 26}};
    for (int i = 0; i < 3 && argc > 2 + i; ++i) t.n[i] = atoi(argv[2 + i]);
    make_plans(&t);
    double worst = 0;
    for (int round = 0; round < transforms; ++round) worst = fmax(worst, transform_once(&t, round, rank));
    if (worst > 1e-12) client_fail("the error after the way back is %g", worst);
    if (rank == 0)
        printf("transforms=%d size=%tdx%tdx%td largest_error=%.1e\n", transforms, t.n[0], t.n[1], t.n[2],
               worst);
    free_plans(&t);
    unsigned long long mine = atomic_load(&client_digest), all = 0;
    PMPI_Reduce(&mine, &all, 1, MPI_UNSIGNED_LONG_LONG, MPI_SUM, 0, MPI_COMM_WORLD);
    if (rank == 0) printf("ok digest=%016llx\n", all);
    fftw_mpi_cleanup();
    MPI_Finalize();
    return 0;
}
