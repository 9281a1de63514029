/* Blocks of more than 2 GiB, from rank 0 to rank 1 of two. Argument: contiguous (one item of one huge type)
 * or vector (two items of a huge type with gaps, which must be packed). Untouched pages of the send side cost
 * nothing, so the whole job needs about the received block, plus what the library or the algorithm stages. */
#define _DEFAULT_SOURCE
#include "client.h"

#include <sys/mman.h>

static const size_t mebibyte = 1u << 20;

struct shape {
    MPI_Datatype type;
    int items;
    size_t span;          /* bytes from the first to the last of all items */
    size_t piece, stride; /* every `stride` bytes, `piece` bytes of data */
};

static struct shape contiguous_shape(void) {
    struct shape shape = {.items = 1, .span = 2200 * mebibyte, .piece = mebibyte, .stride = mebibyte};
    MPI_Datatype one;
    MPI_Type_contiguous((int)mebibyte, MPI_CHAR, &one);
    MPI_Type_contiguous(2200, one, &shape.type);
    MPI_Type_commit(&shape.type);
    MPI_Type_free(&one);
    return shape;
}

static struct shape vector_shape(void) {
    struct shape shape = {.items = 2, .piece = mebibyte, .stride = mebibyte + 4096};
    MPI_Datatype one, vector;
    MPI_Type_contiguous((int)mebibyte, MPI_CHAR, &one);
    MPI_Type_create_hvector(1100, 1, (MPI_Aint)shape.stride, one, &vector);
    MPI_Type_create_resized(vector, 0, (MPI_Aint)(1100 * shape.stride), &shape.type);
    MPI_Type_commit(&shape.type);
    MPI_Type_free(&one);
    MPI_Type_free(&vector);
    shape.span = 2200 * shape.stride;
    return shape;
}

static unsigned char* lazy_memory(size_t bytes) {
    void* memory =
        mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (memory == MAP_FAILED) client_fail("no address space for %zu bytes", bytes);
    madvise(memory, bytes, MADV_NOHUGEPAGE);
    return memory;
}

/* A word near the start of each piece and its last byte: they tell a shifted or lost piece. */
static void mark(unsigned char* memory, const struct shape* shape) {
    for (size_t at = 0, n = 1; at + shape->piece <= shape->span; at += shape->stride, ++n) {
        memcpy(memory + at + 8 * (n % 64), &n, sizeof n);
        memory[at + shape->piece - 1] = (unsigned char)(n % 251 + 1);
    }
}

static void verify(const unsigned char* memory, const struct shape* shape) {
    for (size_t at = 0, n = 1; at + shape->piece <= shape->span; at += shape->stride, ++n) {
        size_t found;
        memcpy(&found, memory + at + 8 * (n % 64), sizeof found);
        if (found != n || memory[at + shape->piece - 1] != (unsigned char)(n % 251 + 1))
            client_fail("piece %zu at byte %zu is wrong: %zu", n, at, found);
        if (memory[at + shape->piece / 2] != 0) client_fail("piece %zu has data where none was sent", n);
        if (shape->stride > shape->piece && memory[at + shape->piece + 100] != 0)
            client_fail("the gap after piece %zu was written to", n);
        client_digest_add("big", 1, &found, sizeof found);
    }
}

int main(int argc, char** argv) {
    MPI_Init(&argc, &argv);
    int rank, ranks, displs[client_max_ranks] = {0};
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    struct shape shape = argc > 1 && strcmp(argv[1], "vector") == 0 ? vector_shape() : contiguous_shape();
    int sendcounts[client_max_ranks] = {0}, recvcounts[client_max_ranks] = {0};
    if (ranks > 1) {
        sendcounts[1] = rank == 0 ? shape.items : 0;
        recvcounts[0] = rank == 1 ? shape.items : 0;
    }
    unsigned char* memory = lazy_memory(shape.span + 4096);
    if (rank == 0) mark(memory, &shape);
    unsigned char nothing[2];
    MPI_Alltoallv(rank == 0 ? memory : &nothing[0], sendcounts, displs, shape.type,
                  rank == 1 ? memory : &nothing[1], recvcounts, displs, shape.type, MPI_COMM_WORLD);
    client_count(MPI_COMM_WORLD);
    if (rank == 1) verify(memory, &shape);
    MPI_Type_free(&shape.type);
    client_finish();
    MPI_Finalize();
    return 0;
}
