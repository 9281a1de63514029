/* A receiver expects more than is sent, which is an error that MPIs let pass, and is held up in this call, while the sender goes on:
 * a call in which it receives nothing, then a call with a large block for that receiver. Run with an algorithm that sends large
 * blocks directly. With the argument `matching` all counts match. Three ranks. */
#include "client.h"

#include <dlfcn.h>
#include <unistd.h>

enum { sender, receiver, latecomer, ranks };
enum { large = 20000, small = 8, rounds = 25 };

/* The receiver loses its core before MPI gets to work on its messages: routed calls ask MPI by this function. */
static int sleep_before_probe;
int PMPI_Iprobe(int source, int tag, MPI_Comm comm, int* flag, MPI_Status* status) {
    static int (*next)(int, int, MPI_Comm, int*, MPI_Status*) = NULL;
    if (next == NULL) *(void**)&next = dlsym(RTLD_NEXT, "PMPI_Iprobe");
    if (sleep_before_probe > 0) usleep((unsigned)sleep_before_probe);
    return next(source, tag, comm, flag, status);
}

static unsigned char send[ranks * large], recv[ranks * large];
static int rank;

static void call(const int* sent, const int* received) {
    static const int displs[ranks] = {0, large, 2 * large};
    memset(recv, 0, sizeof recv);
    MPI_Alltoallv(send, sent, displs, MPI_BYTE, recv, received, displs, MPI_BYTE, MPI_COMM_WORLD);
    client_count(MPI_COMM_WORLD);
}

/* The sender's bytes, and nothing behind them. */
static void expect(int bytes, int value, const char* what) {
    if (rank != receiver) return;
    for (int i = 0; i < large; ++i)
        if (recv[i] != (i < bytes ? value : 0)) client_fail("%s: byte %d is %d", what, i, recv[i]);
}

int main(int count, char** words) {
    MPI_Init(&count, &words);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    const int expected = count > 1 && strcmp(words[1], "matching") == 0 ? small : large;
    if (rank == receiver) sleep_before_probe = 3000;
    for (int round = 0; round < rounds; ++round) {
        const int none[ranks] = {0}, to_receiver[ranks] = {[receiver] = small},
                  all[ranks] = {[receiver] = large}, both[ranks] = {[sender] = expected, [latecomer] = small},
                  one[ranks] = {[sender] = small}, all_of_one[ranks] = {[sender] = large};
        memset(send, 2 * round + 1, sizeof send);
        if (rank == latecomer) usleep(2000 + 100 * (round % 7));
        call(rank == receiver ? none : to_receiver, rank == receiver ? both : none);
        expect(small, 2 * round + 1, "less than expected");
        call(rank == sender ? to_receiver : none, rank == receiver ? one : none);
        expect(small, 2 * round + 1, "a small block");
        memset(send, 2 * round + 2, sizeof send);
        call(rank == sender ? all : none, rank == receiver ? all_of_one : none);
        expect(large, 2 * round + 2, "a large block");
    }
    client_finish();
    MPI_Finalize();
    return 0;
}
