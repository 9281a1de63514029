/* A library's constructor waits, in one thread, until another thread has made MPI calls: as if it sat in a collective that other
 * ranks reach by these calls. Meanwhile the loader is locked. Argument: the library, c_waiting. */
#include "client.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdbool.h>
#include <unistd.h>

static atomic_bool waits, has_called;

/* Called by the constructor. */
__attribute__((visibility("default"))) void wait_in_constructor(void) {
    atomic_store(&waits, true);
    for (int tenths = 0; !atomic_load(&has_called); ++tenths) {
        if (tenths == 150) client_fail("the MPI calls wait for the loader");
        usleep(100000);
    }
}

static void* open_library(void* path) {
    return dlopen(path, RTLD_NOW | RTLD_LOCAL);
}

static void call(int rank, int ranks) {
    int send[client_max_ranks] = {0}, recv[client_max_ranks];
    for (int peer = 0; peer < ranks; ++peer) send[peer] = 100 * rank + peer;
    MPI_Alltoall(send, 1, MPI_INT, recv, 1, MPI_INT, MPI_COMM_WORLD);
    client_count(MPI_COMM_WORLD);
    for (int peer = 0; peer < ranks; ++peer)
        if (recv[peer] != 100 * peer + rank) client_fail("wrong data from %d", peer);
    MPI_Barrier(MPI_COMM_WORLD);
}

int main(int count, char** words) {
    int provided, rank, ranks;
    pthread_t thread;
    void* library = NULL;
    MPI_Init_thread(&count, &words, MPI_THREAD_FUNNELED, &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    call(rank, ranks);
    pthread_create(&thread, NULL, open_library, words[1]);
    while (!atomic_load(&waits)) usleep(1000);
    MPI_Barrier(MPI_COMM_WORLD); /* from a place that is new: switchyard looks at the library */
    call(rank, ranks);
    atomic_store(&has_called, true);
    pthread_join(thread, &library);
    if (library == NULL) client_fail("%s", dlerror());
    call(rank, ranks);
    client_finish();
    MPI_Finalize();
    return 0;
}
