/* An ordinary program, to be attacked. Its arguments are steps, which all ranks do in turn:
 * note           from now on every finished call leaves a letter in the file noted.<rank>.<pid>, before the next call.
 *                MPI_Finalize leaves an F before it, and an E behind it
 * world:N        so many calls on MPI_COMM_WORLD; their letter is w
 * self:N         so many calls on MPI_COMM_SELF; their letter is s
 * threads:T:N    so many calls of each of T threads, each on a communicator of its own; their letters are a, b, c, d
 * comms:C:N      so many calls on each of C communicators, which are alive together; their letter is m. Every other one is led by
 *                the last rank
 * long:B:N       so many calls with blocks of B bytes; their letter is l
 * shell:COMMAND  rank 0 runs it while the others wait
 * on:R           the following steps are rank R's alone; on:-1: all ranks' again
 * memory:MIB     no more memory than that beside what is in use
 * files:N        no descriptor from N up can be opened
 * file_size:N    no file can grow beyond N bytes
 * close:N        closes all descriptors from N up, and opens files of its own there; they must stay open and empty
 * close_of:TEXT  the same with every descriptor that leads to a path with this text
 * unreadable     no other process may read this one's memory or see its files, as where users may run a program but not read it
 * forbid:CALL:E  from now on this system call fails with the error E
 * before:STEP    a step before MPI_Init */
#include "client.h"
#include "forbid.h"

#include <fcntl.h>
#include <linux/capability.h>
#include <pthread.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

enum { own_files = 24, last_descriptor = 1024, most_threads = 4 };

static int rank, ranks;
static int notes = -1;
static char is_own[last_descriptor];

static void note(char what) {
    if (notes >= 0 && write(notes, &what, 1) != 1) client_fail("no note");
}

static void open_notes(void) {
    char name[64];
    snprintf(name, sizeof name, "noted.%d.%ld", rank, (long)getpid());
    notes = open(name, O_WRONLY | O_CREAT | O_APPEND, 0600);
    if (notes < 0) client_fail("cannot open %s", name);
}

/* Blocks of 0 to 3 ints, which depend on the round and on both ranks. */
static int block(int from, int to, int round) {
    return (from + 2 * to + round) % 4;
}

static void exchange_once(MPI_Comm comm, int round) {
    int send[4 * client_max_ranks], recv[4 * client_max_ranks];
    int sendcounts[client_max_ranks], recvcounts[client_max_ranks], displs[client_max_ranks], own, size;
    PMPI_Comm_rank(comm, &own);
    PMPI_Comm_size(comm, &size);
    for (int peer = 0; peer < size; ++peer) {
        sendcounts[peer] = block(own, peer, round);
        recvcounts[peer] = block(peer, own, round);
        displs[peer] = 4 * peer;
        for (int i = 0; i < 4; ++i) send[4 * peer + i] = (round << 12) + (own << 8) + (peer << 2) + i;
    }
    memset(recv, -1, sizeof recv);
    if (MPI_Alltoallv(send, sendcounts, displs, MPI_INT, recv, recvcounts, displs, MPI_INT, comm) !=
        MPI_SUCCESS)
        client_fail("a call failed");
    client_count(comm);
    for (int peer = 0; peer < size; ++peer)
        for (int i = 0; i < 4; ++i) {
            int expected = i < recvcounts[peer] ? (round << 12) + (peer << 8) + (own << 2) + i : -1;
            if (recv[4 * peer + i] != expected) client_fail("wrong data from %d in round %d", peer, round);
        }
    client_digest_add("steps", rank, recv, sizeof recv[0] * 4 * (size_t)size);
}

static void exchange_long(int bytes, int round) {
    unsigned char* const send = malloc((size_t)bytes * (size_t)ranks);
    unsigned char* const recv = calloc((size_t)bytes, (size_t)ranks);
    for (int peer = 0; peer < ranks; ++peer)
        memset(send + (size_t)bytes * (size_t)peer, 16 * rank + peer + round, (size_t)bytes);
    if (MPI_Alltoall(send, bytes, MPI_CHAR, recv, bytes, MPI_CHAR, MPI_COMM_WORLD) != MPI_SUCCESS)
        client_fail("a call failed");
    client_count(MPI_COMM_WORLD);
    for (int peer = 0; peer < ranks; ++peer)
        for (int i = 0; i < bytes; ++i)
            if (recv[(size_t)bytes * (size_t)peer + (size_t)i] != (unsigned char)(16 * peer + rank + round))
                client_fail("wrong data from %d in round %d", peer, round);
    client_digest_add("long", rank, recv, (size_t)bytes * (size_t)ranks);
    free(send);
    free(recv);
}

static void call_long(int bytes, int rounds) {
    for (int round = 0; round < rounds; ++round) {
        exchange_long(bytes, round);
        note('l');
    }
}

static void call(MPI_Comm comm, int rounds, char letter) {
    for (int round = 0; round < rounds; ++round) {
        exchange_once(comm, round);
        note(letter);
    }
}

struct work {
    pthread_t thread;
    MPI_Comm comm;
    int rounds;
    char letter;
};

static void* work(void* pointer) {
    const struct work* self = pointer;
    call(self->comm, self->rounds, self->letter);
    return NULL;
}

static void call_from_threads(int threads, int rounds) {
    struct work works[most_threads];
    if (threads > most_threads) client_fail("too many threads");
    for (int i = 0; i < threads; ++i) {
        works[i].rounds = rounds;
        works[i].letter = (char)('a' + i);
        MPI_Comm_dup(MPI_COMM_WORLD, &works[i].comm);
        pthread_create(&works[i].thread, NULL, work, &works[i]);
    }
    for (int i = 0; i < threads; ++i) pthread_join(works[i].thread, NULL);
    for (int i = 0; i < threads; ++i) MPI_Comm_free(&works[i].comm);
}

static void call_on_communicators(int count, int rounds) {
    MPI_Comm* comms = malloc((size_t)count * sizeof *comms);
    for (int i = 0; i < count; ++i) MPI_Comm_split(MPI_COMM_WORLD, 0, i % 2 ? -rank : rank, &comms[i]);
    for (int i = 0; i < count; ++i) call(comms[i], rounds, 'm');
    for (int i = 0; i < count; ++i) MPI_Comm_free(&comms[i]);
    free(comms);
}

static void run_in_shell(const char* command) {
    PMPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0 && system(command) != 0) client_fail("%s", command);
    PMPI_Barrier(MPI_COMM_WORLD);
}

static void limit(int resource, rlim_t value) {
    struct rlimit limit = {value, RLIM_INFINITY};
    getrlimit(resource, &limit);
    limit.rlim_cur = value;
    if (setrlimit(resource, &limit) != 0) client_fail("no limit");
}

static void limit_memory(int mib) {
    long pages = 0;
    FILE* file = fopen("/proc/self/statm", "r");
    if (!file || fscanf(file, "%ld", &pages) != 1) client_fail("the memory in use is not known");
    fclose(file);
    limit(RLIMIT_AS, (rlim_t)pages * (rlim_t)sysconf(_SC_PAGESIZE) + ((rlim_t)mib << 20));
}

/* Closes the descriptor, and has a file of this program under its number. */
static void take_descriptor(int number) {
    char name[64];
    close(number);
    snprintf(name, sizeof name, "own-%d-%d", rank, number);
    int file = open(name, O_RDWR | O_CREAT, 0600);
    if (file < 0 || dup2(file, number) != number) client_fail("cannot open %s", name);
    if (file != number) close(file);
    is_own[number] = 1;
}

static void take_descriptors_from(int first) {
    for (int number = first; number < last_descriptor; ++number) close(number);
    for (int number = first; number < first + own_files; ++number) take_descriptor(number);
}

static void take_descriptors_of(const char* text) {
    for (int number = 3; number < last_descriptor; ++number) {
        char path[64], target[4096] = "";
        snprintf(path, sizeof path, "/proc/self/fd/%d", number);
        if (readlink(path, target, sizeof target - 1) > 0 && strstr(target, text)) take_descriptor(number);
    }
}

static void look_at_descriptors(void) {
    for (int number = 0; number < last_descriptor; ++number) {
        struct stat facts;
        if (!is_own[number]) continue;
        if (fstat(number, &facts) != 0) client_fail("descriptor %d was closed", number);
        if (facts.st_size != 0) client_fail("%lld bytes in descriptor %d", (long long)facts.st_size, number);
    }
}

/* Root may read every process, unless it gives this right away. */
static void become_unreadable(void) {
    struct __user_cap_header_struct header = {_LINUX_CAPABILITY_VERSION_3, 0};
    struct __user_cap_data_struct rights[2];
    const unsigned may_read = 1U << CAP_SYS_PTRACE;
    if (syscall(SYS_capget, &header, rights) != 0) client_fail("no capabilities");
    rights[0].effective &= ~may_read;
    rights[0].permitted &= ~may_read;
    if (syscall(SYS_capset, &header, rights) != 0 || prctl(PR_SET_DUMPABLE, 0) != 0) client_fail("readable");
}

static void forbid_call(const char* text) {
    char name[64] = "";
    const char* error = strchr(text, ':');
    if (error) memcpy(name, text, (size_t)(error - text) % sizeof name);
    if (!error || forbid(name, error + 1) != 0) client_fail("%s is not forbidden", text);
}

static int is_step(const char* word, const char* name, const char** value) {
    size_t length = strlen(name);
    if (strncmp(word, name, length) != 0 || word[length] != ':') return 0;
    *value = word + length + 1;
    return 1;
}

static void step(const char* word) {
    static int whose = -1;
    const char* value = "";
    if (is_step(word, "on", &value)) whose = atoi(value);
    if (whose >= 0 && whose != rank) return;
    if (strcmp(word, "note") == 0) open_notes();
    if (is_step(word, "world", &value)) call(MPI_COMM_WORLD, atoi(value), 'w');
    if (is_step(word, "self", &value)) call(MPI_COMM_SELF, atoi(value), 's');
    if (is_step(word, "threads", &value)) call_from_threads(atoi(value), atoi(strchr(value, ':') + 1));
    if (is_step(word, "shell", &value)) run_in_shell(value);
    if (is_step(word, "memory", &value)) limit_memory(atoi(value));
    if (is_step(word, "files", &value)) limit(RLIMIT_NOFILE, (rlim_t)atoi(value));
    if (is_step(word, "file_size", &value)) limit(RLIMIT_FSIZE, (rlim_t)atol(value));
    if (is_step(word, "close", &value)) take_descriptors_from(atoi(value));
    if (is_step(word, "close_of", &value)) take_descriptors_of(value);
    if (is_step(word, "comms", &value)) call_on_communicators(atoi(value), atoi(strchr(value, ':') + 1));
    if (is_step(word, "long", &value)) call_long(atoi(value), atoi(strchr(value, ':') + 1));
    if (strcmp(word, "unreadable") == 0) become_unreadable();
    if (is_step(word, "forbid", &value)) forbid_call(value);
}

static int has_threads(int argc, char** argv) {
    for (int i = 1; i < argc; ++i)
        if (strncmp(argv[i], "threads:", 8) == 0) return 1;
    return 0;
}

int main(int argc, char** argv) {
    int provided;
    const char* early = "";
    for (int i = 1; i < argc; ++i)
        if (is_step(argv[i], "before", &early)) step(early);
    MPI_Init_thread(&argc, &argv, has_threads(argc, argv) ? MPI_THREAD_MULTIPLE : MPI_THREAD_SINGLE,
                    &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    for (int i = 1; i < argc; ++i) step(argv[i]);
    client_finish();
    note('F');
    MPI_Finalize();
    note('E');
    look_at_descriptors();
    return 0;
}
