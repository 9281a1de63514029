/* Groups that meet and part again and again, and calls on all that they have in common. First argument:
 * create    two groups of the world, of all sizes in turn (MPI_Intercomm_create)
 * connect   two groups of the world, by a port (MPI_Comm_accept, MPI_Comm_connect)
 * spawn     processes that this program starts (MPI_Comm_spawn)
 * The second is the number of turns. With spawn, more words are a command, which is started instead: the
 * program and its arguments follow there.
 *
 * Each turn: all five collectives on the intercommunicator, on its duplicate, on the merged communicator, on
 * parts of that, and on the world. What was made is freed in one order or another. */
#include "groups.h"

#include <signal.h>
#include <unistd.h>

enum { spawned_ranks = 2, spawn_limit_s = 40 };

struct meeting {
    MPI_Comm inter;
    int side;         /* 0 or 1 */
    int are_two_jobs; /* each counts its own calls */
    int world_rank, turn;
};

static int counts_calls(const struct meeting* meeting) {
    return meeting->world_rank == 0;
}

static void call_on(MPI_Comm comm, const struct meeting* meeting, int counts) {
    struct group_calls calls = calls_on(comm, meeting->world_rank, counts);
    check_all_five(&calls, meeting->turn);
}

static void call_between(MPI_Comm inter, const struct meeting* meeting) {
    struct group_calls calls =
        calls_between(inter, meeting->side, meeting->world_rank, counts_calls(meeting));
    check_all_five(&calls, meeting->turn);
}

/* Each side, or the even and the odd ranks. A part is a line in the log of each job that has ranks in it. */
static void call_on_parts(MPI_Comm merged, const struct meeting* meeting) {
    MPI_Comm part, of_job;
    int rank, rank_of_job;
    MPI_Comm_rank(merged, &rank);
    MPI_Comm_split(merged, meeting->turn % 2 ? meeting->side : rank % 2, rank, &part);
    PMPI_Comm_split(part, meeting->are_two_jobs ? meeting->side : 0, rank, &of_job);
    PMPI_Comm_rank(of_job, &rank_of_job);
    PMPI_Comm_free(&of_job);
    call_on(part, meeting, rank_of_job == 0);
    MPI_Comm_free(&part);
}

/* Open MPI 4.1.4 hangs where two jobs disconnect what they have merged. */
static void leave(MPI_Comm* merged, const struct meeting* meeting) {
    if (meeting->are_two_jobs)
        MPI_Comm_free(merged);
    else
        MPI_Comm_disconnect(merged);
}

static void call_on_all(struct meeting* meeting) {
    MPI_Comm twin, merged;
    call_between(meeting->inter, meeting);
    MPI_Comm_dup(meeting->inter, &twin);
    call_between(twin, meeting);
    /* Either side is the first of the merged ranks, in turn. */
    int high = meeting->side ^ (meeting->turn & 1);
    MPI_Intercomm_merge(meeting->turn % 3 == 0 ? twin : meeting->inter, high, &merged);
    if (meeting->turn % 2) MPI_Comm_free(&twin);
    call_on(merged, meeting, counts_calls(meeting));
    call_on_parts(merged, meeting);
    call_on(MPI_COMM_WORLD, meeting, counts_calls(meeting));
    call_on(merged, meeting, counts_calls(meeting));
    if (meeting->turn % 2 == 0) MPI_Comm_free(&twin);
    if (meeting->turn % 4 < 2) leave(&merged, meeting);
    call_between(meeting->inter, meeting);
    MPI_Comm_disconnect(&meeting->inter);
    if (meeting->turn % 4 >= 2) { /* it outlives the intercommunicator */
        call_on(merged, meeting, counts_calls(meeting));
        leave(&merged, meeting);
    }
    call_on(MPI_COMM_WORLD, meeting, counts_calls(meeting));
}

static void create(int turn, int rank, int ranks) {
    int first = 1 + turn % (ranks - 1);
    struct meeting meeting = {.side = rank >= first, .world_rank = rank, .turn = turn};
    MPI_Comm local;
    MPI_Comm_split(MPI_COMM_WORLD, meeting.side, rank, &local);
    MPI_Intercomm_create(local, 0, MPI_COMM_WORLD, meeting.side ? 0 : first, turn, &meeting.inter);
    if (turn % 2) MPI_Comm_free(&local);
    call_on_all(&meeting);
    if (turn % 2 == 0) MPI_Comm_free(&local);
}

static void connect_by_port(int turn, int rank, int ranks) {
    int first = 1 + turn % (ranks - 1);
    struct meeting meeting = {.side = rank >= first, .world_rank = rank, .turn = turn};
    char port[MPI_MAX_PORT_NAME] = "";
    MPI_Comm local;
    MPI_Comm_split(MPI_COMM_WORLD, meeting.side, rank, &local);
    if (rank == 0) MPI_Open_port(MPI_INFO_NULL, port);
    PMPI_Bcast(port, MPI_MAX_PORT_NAME, MPI_CHAR, 0, MPI_COMM_WORLD);
    if (meeting.side == 0)
        MPI_Comm_accept(port, MPI_INFO_NULL, 0, local, &meeting.inter);
    else
        MPI_Comm_connect(port, MPI_INFO_NULL, 0, local, &meeting.inter);
    call_on_all(&meeting);
    if (rank == 0) MPI_Close_port(port);
    MPI_Comm_free(&local);
}

/* Now and then Open MPI 4.1.4 starts a process that waits in MPI_Init for ever, and its parents wait, too. */
static void give_up(int CLIENT_UNUSED number) {
    static const char said[] = "MPI_Comm_spawn does not end\n";
    if (write(STDOUT_FILENO, said, sizeof said - 1)) _exit(1);
}

/* `words`: the command before the program, if any, then null. */
static void spawn(int turn, int rank, char* program, char** words) {
    char number[16];
    char* arguments[16] = {0};
    int count = 0;
    for (; words[count]; ++count) arguments[count] = words[count];
    snprintf(number, sizeof number, "%d", turn);
    char* const end[] = {program, (char*)"spawned", number};
    for (int i = 0; i < 3; ++i) arguments[count + i] = end[i];
    struct meeting meeting = {.are_two_jobs = 1, .world_rank = rank, .turn = turn};
    alarm(spawn_limit_s);
    MPI_Comm_spawn(arguments[0], arguments + 1, spawned_ranks, MPI_INFO_NULL, 0, MPI_COMM_WORLD,
                   &meeting.inter, MPI_ERRCODES_IGNORE);
    alarm(0);
    call_on_all(&meeting);
}

static void be_spawned(int turn, int rank) {
    struct meeting meeting = {.side = 1, .are_two_jobs = 1, .world_rank = rank, .turn = turn};
    alarm(0);
    MPI_Comm_get_parent(&meeting.inter);
    call_on_all(&meeting);
}

/* Not as client_finish, whose line is that of the parents. */
static void tell_spawned_calls(int rank) {
    unsigned long long own = client_calls, all = 0;
    PMPI_Reduce(&own, &all, 1, MPI_UNSIGNED_LONG_LONG, MPI_SUM, 0, MPI_COMM_WORLD);
    if (rank == 0) printf("spawned calls=%llu\n", all);
}

int main(int argc, char** argv) {
    const char* mode = argc > 1 ? argv[1] : "";
    signal(SIGALRM, give_up);
    if (strcmp(mode, "spawned") == 0) alarm(spawn_limit_s); /* its parents may have gone */
    MPI_Init(&argc, &argv);
    int rank, ranks;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    int turns = argc > 2 ? atoi(argv[2]) : 0;
    if (strcmp(mode, "spawned") == 0) {
        be_spawned(turns, rank);
        tell_spawned_calls(rank);
    } else {
        for (int turn = 0; turn < turns; ++turn) {
            if (strcmp(mode, "create") == 0) create(turn, rank, ranks);
            if (strcmp(mode, "connect") == 0) connect_by_port(turn, rank, ranks);
            if (strcmp(mode, "spawn") == 0) spawn(turn, rank, argv[0], argv + 3);
        }
        client_finish();
    }
    MPI_Finalize();
    return 0;
}
