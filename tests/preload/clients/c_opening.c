/* Libraries come and go while the program calls MPI.
 * race SECONDS LIBRARY   one thread opens and closes the library, and makes no MPI call; the other makes MPI calls from many
 *                        places. In the end it opens the library, too, and calls its function
 * use FUNCTION LIBRARY   opens the library and calls its function
 * Prints the calls that should be seen, as c_counted does. */
#include "client.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdbool.h>
#include <time.h>

static atomic_bool ends;
static const char* path;
static long opened;

static void* open_library(void) {
    void* library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (library == NULL) client_fail("%s", dlerror());
    return library;
}

static void* open_and_close(void* nothing) {
    while (!atomic_load(&ends)) {
        dlclose(open_library());
        ++opened;
    }
    return nothing;
}

/* An MPI call from a place that is new makes switchyard look for objects. */
#define CALL MPI_Barrier(MPI_COMM_SELF);
#define CALLS_8 CALL CALL CALL CALL CALL CALL CALL CALL
#define CALLS_64 CALLS_8 CALLS_8 CALLS_8 CALLS_8 CALLS_8 CALLS_8 CALLS_8 CALLS_8
enum { calls_in_a_round = 192 };

static long call_while_it_opens(double seconds) {
    pthread_t thread;
    pthread_create(&thread, NULL, open_and_close, NULL);
    long calls = 0;
    for (const double end = MPI_Wtime() + seconds; MPI_Wtime() < end; calls += calls_in_a_round) {
        CALLS_64 CALLS_64 CALLS_64
    }
    atomic_store(&ends, true);
    pthread_join(thread, NULL);
    if (opened < 3) client_fail("the library was opened %ld times only", opened);
    return calls;
}

static int use(const char* name) {
    int (*function)(MPI_Comm) = NULL;
    *(void**)&function = dlsym(open_library(), name);
    if (function == NULL) client_fail("%s", dlerror());
    const int seen = function(MPI_COMM_SELF);
    if (seen < 0) client_fail("%s: an error of MPI", name);
    return seen;
}

int main(int count, char** words) {
    int provided, rank;
    MPI_Init_thread(&count, &words, MPI_THREAD_FUNNELED, &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (count < 4) client_fail("arguments");
    path = words[3];
    long mine[2] = {0, 0}, all[2]; /* MPI_Barrier; MPI_Barrier_init, each with a start */
    MPI_Request request;
    MPI_Barrier_init(MPI_COMM_SELF, MPI_INFO_NULL, &request);
    MPI_Start(&request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Request_free(&request);
    if (strcmp(words[1], "race") == 0) mine[0] = call_while_it_opens(atof(words[2]));
    const char* function = strcmp(words[1], "race") == 0 ? "opened_use" : words[2];
    mine[1] = 1 + use(function);
    ++mine[0];
    PMPI_Reduce(mine, all, 2, MPI_LONG, MPI_SUM, 0, MPI_COMM_WORLD);
    if (rank == 0) {
        if (all[0] > 0) printf("seen barrier calls=%ld bytes=0\n", all[0]);
        printf("seen barrier_init calls=%ld bytes=0\nseen barrier_start calls=%ld bytes=0\n", all[1], all[1]);
    }
    client_finish();
    MPI_Finalize();
    return 0;
}
