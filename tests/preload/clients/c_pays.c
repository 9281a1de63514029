// What a program pays beside its calls: page faults and collective functions of the shim's own, at the start, in its first call,
// in its hundredth, and at the end.  c_pays BYTES
#include <dlfcn.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

enum { calls = 100 };

struct Paid {
    long faults;
    int collectives;
};

static struct Paid paid(void) {
    static int (*counted)(void);
    if (counted == NULL) *(void**)&counted = dlsym(RTLD_DEFAULT, "counted_collectives");
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    return (struct Paid){usage.ru_minflt, counted != NULL ? counted() : 0};
}

static void say(const char* what, struct Paid before, struct Paid after) {
    printf("%s faults=%ld collectives=%d\n", what, after.faults - before.faults,
           after.collectives - before.collectives);
}

int main(int count, char** words) {
    const int bytes = count > 1 ? atoi(words[1]) : 4;
    const struct Paid at_begin = paid();
    MPI_Init(&count, &words);
    const struct Paid started = paid();
    int rank = 0, ranks = 1, wrong = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    const size_t all = (size_t)bytes * (size_t)ranks;
    char *sent = malloc(all), *received = malloc(all);
    memset(sent, rank + 1, all);
    memset(received, 0, all); // the pages are there
    struct Paid first = {0, 0}, last = {0, 0}, before = {0, 0}, before_last = {0, 0};
    for (int call = 0; call < calls; ++call) {
        const struct Paid now = paid();
        if (call == 0) before = now;
        if (call == calls - 1) before_last = now;
        MPI_Alltoall(sent, bytes, MPI_CHAR, received, bytes, MPI_CHAR, MPI_COMM_WORLD);
        if (call == 0) first = paid();
        last = paid();
        for (int from = 0; from < ranks; ++from) {
            const char* block = received + (size_t)from * (size_t)bytes;
            wrong += block[0] != from + 1 || block[bytes - 1] != from + 1;
        }
    }
    MPI_Finalize();
    const struct Paid ended = paid();
    if (rank == 0) {
        say("start", at_begin, started);
        say("first", before, first);
        say("hundredth", before_last, last);
        say("calls", before, last);
        say("end", last, ended);
        printf("%s calls=%d\n", wrong == 0 ? "ok" : "wrong", calls);
    }
    free(sent);
    free(received);
    return wrong != 0;
}
