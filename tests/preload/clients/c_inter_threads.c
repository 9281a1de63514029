/* Two threads make their first calls at the same time, each on an intercommunicator of its own between the same groups, and come
 * to them in another order on each rank. [rounds] */
#include "groups.h"

#include <pthread.h>
#include <unistd.h>

enum { threads = 2 };

static int world_rank;

struct work {
    pthread_t thread;
    MPI_Comm inter;
    int index, side;
};

static void* call(void* pointer) {
    const struct work* work = pointer;
    struct group_calls calls = calls_between(work->inter, work->side, world_rank, world_rank == 0);
    if (work->index != work->side) usleep(20000);
    for (int round = 0; round < 1 + work->index; ++round) check_all_five(&calls, round);
    return NULL;
}

int main(int argc, char** argv) {
    int provided, ranks;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
    if (provided != MPI_THREAD_MULTIPLE) MPI_Abort(MPI_COMM_WORLD, 5);
    MPI_Comm_rank(MPI_COMM_WORLD, &world_rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    for (int rounds = argc > 1 ? atoi(argv[1]) : 3; rounds > 0; --rounds) {
        struct work work[threads];
        MPI_Comm local;
        const int side = world_rank >= ranks / 2;
        MPI_Comm_split(MPI_COMM_WORLD, side, 0, &local);
        for (int i = 0; i < threads; ++i) {
            work[i].index = i;
            work[i].side = side;
            MPI_Intercomm_create(local, 0, MPI_COMM_WORLD, side ? 0 : ranks / 2, i, &work[i].inter);
        }
        for (int i = 0; i < threads; ++i) pthread_create(&work[i].thread, NULL, call, &work[i]);
        for (int i = 0; i < threads; ++i) {
            pthread_join(work[i].thread, NULL);
            MPI_Comm_free(&work[i].inter);
        }
        MPI_Comm_free(&local);
    }
    client_finish();
    MPI_Finalize();
    return 0;
}
