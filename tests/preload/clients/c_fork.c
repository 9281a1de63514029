/* A program that forks in the middle of its calls: children that leave by exit() and by _exit(), and children
 * that exec programs which are not MPI programs. A child must not touch what belongs to the rank, its log
 * above all. */
#include "client.h"

#include <sys/wait.h>
#include <unistd.h>

static void check_round(int rank, int ranks, int round) {
    int send[client_max_ranks], recv[client_max_ranks];
    for (int peer = 0; peer < ranks; ++peer) send[peer] = 100 * rank + peer + round;
    memset(recv, 0, sizeof recv);
    struct client_arguments call = {.which = client_alltoall,
                                    .send = send,
                                    .sendcount = 1,
                                    .sendtype = MPI_INT,
                                    .recv = recv,
                                    .recvcount = 1,
                                    .recvtype = MPI_INT,
                                    .comm = MPI_COMM_WORLD};
    client_check(client_run, &call, MPI_COMM_WORLD, rank, recv, sizeof(int) * (size_t)ranks,
                 "alltoall around a fork");
}

static void child(char* const* program, int quietly, int status) {
    fflush(stdout);
    pid_t pid = fork();
    if (pid == 0) {
        if (program)
            execv(program[0], program);
        else if (quietly)
            _exit(status);
        exit(program ? 127 : status);
    }
    int ended = 0;
    if (pid < 0 || waitpid(pid, &ended, 0) != pid || !WIFEXITED(ended) || WEXITSTATUS(ended) != status)
        client_fail("child %s did not end with status %d but with %d", program ? program[0] : "fork", status,
                    ended);
}

int main(int argc, char** argv) {
    MPI_Init(&argc, &argv);
    int rank, ranks;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    char* with_true[] = {"/bin/true", NULL};
    char* with_bash[] = {"/bin/bash", "-c", "x=$(/bin/echo 5); exit $x", NULL};
    char* with_python[] = {"/usr/bin/python3", "-c", "import sys; sys.exit(6)", NULL};
    check_round(rank, ranks, 0);
    child(NULL, 0, 3);
    check_round(rank, ranks, 1);
    child(NULL, 1, 4);
    check_round(rank, ranks, 2);
    child(with_true, 0, 0);
    child(with_bash, 0, 5);
    child(with_python, 0, 6);
    check_round(rank, ranks, 3);
    client_finish();
    MPI_Finalize();
    return 0;
}
