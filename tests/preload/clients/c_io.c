/* Collective file access. The MPI library's own Allgathers and Alltoalls inside it are none of the
 * application's calls. Argument: the file. */
#include "client.h"

enum { blocks = 32, items = 64 };

int main(int argc, char** argv) {
    MPI_Init(&argc, &argv);
    int rank, ranks;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    const char* path = argc > 1 ? argv[1] : "c_io.data";
    int written[blocks * items], read[blocks * items];
    for (int i = 0; i < blocks * items; ++i) written[i] = rank * 100000 + i;
    /* Interleaved blocks: only then does two-phase collective buffering have anything to exchange. */
    MPI_Datatype view;
    MPI_Type_vector(blocks, items, items * ranks, MPI_INT, &view);
    MPI_Type_commit(&view);
    MPI_File file;
    int code = MPI_File_open(MPI_COMM_WORLD, path, MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE,
                             MPI_INFO_NULL, &file);
    if (code != MPI_SUCCESS) client_fail("cannot open %s", path);
    MPI_File_set_view(file, (MPI_Offset)rank * items * (MPI_Offset)sizeof(int), MPI_INT, view, "native",
                      MPI_INFO_NULL);
    MPI_File_write_all(file, written, blocks * items, MPI_INT, MPI_STATUS_IGNORE);
    MPI_File_seek(file, 0, MPI_SEEK_SET);
    MPI_File_read_all(file, read, blocks * items, MPI_INT, MPI_STATUS_IGNORE);
    MPI_File_close(&file);
    MPI_Type_free(&view);
    if (memcmp(written, read, sizeof read) != 0) client_fail("rank %d read back something else", rank);
    client_digest_add("io", rank, read, sizeof read);
    client_finish();
    MPI_Finalize();
    return 0;
}
