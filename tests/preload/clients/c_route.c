/* Makes the calls that its arguments name, one after the other, and checks what arrives by itself: no oracle
 * takes part, so that every allreduce and every byte of memory beyond the plain run is the shim's.
 *   world self dup reversed split:C0,C1,...  the communicator of the calls that follow; a color a world rank
 *   COLLECTIVE[_in_place]:BYTES[:TIMES]      alltoallv alltoall alltoallw allgather allgatherv, all blocks of one size
 *   gathers[_in_place]:BYTES[:TIMES]         allgatherv; BYTES from the first rank, from others nothing, a seventh, ...
 *   one_hot:BYTES                            alltoallv; one byte each, but BYTES from the first to the last
 *   ragged:BYTES[:TIMES]                     alltoallv; nothing, a seventh of BYTES, two, ... or all of it
 *   typed:BYTES[:TIMES]                      the same by alltoallw. Its odd blocks have a type with gaps
 *   roomy:BYTES[:TIMES]                      the same, where each receiver expects all of BYTES
 *   gaps:BYTES                               alltoallv of a type with gaps, which must be packed
 *   allreduces                               prints how many PMPI_Allreduce there were since the last time
 *   barriers                                 the same of PMPI_Barrier
 *   memory:RANK:MIB                          this world rank can have so much memory more than it has now
 *   file_size:KIB                            no file may grow longer
 *   hold:COUNT                               makes, uses and keeps communicators, then frees them */
#include "client.h"

#include <dlfcn.h>
#include <sys/resource.h>
#include <unistd.h>

static unsigned char *send_buffer, *recv_buffer;
static MPI_Comm current;
static int world_rank, rank, ranks, salt;
static atomic_llong allreduces, barriers;

/* The shim has no other way to reach it than by its name. */
__attribute__((visibility("default"))) int PMPI_Allreduce(const void* send, void* recv, int count,
                                                          MPI_Datatype type, MPI_Op op, MPI_Comm comm) {
    static int (*next)(const void*, void*, int, MPI_Datatype, MPI_Op, MPI_Comm);
    if (!next) *(void**)&next = dlsym(RTLD_NEXT, "PMPI_Allreduce");
    atomic_fetch_add(&allreduces, 1);
    return next(send, recv, count, type, op, comm);
}

__attribute__((visibility("default"))) int PMPI_Barrier(MPI_Comm comm) {
    static int (*next)(MPI_Comm);
    if (!next) *(void**)&next = dlsym(RTLD_NEXT, "PMPI_Barrier");
    atomic_fetch_add(&barriers, 1);
    return next(comm);
}

static unsigned char byte_of(int source, int destination, size_t i) {
    return (unsigned char)(31 * source + 17 * destination + 7 * i + (i >> 8) + 3 * (size_t)salt);
}

struct shape {
    int bytes, one_hot, ragged, roomy, in_place, gaps, gathers;
    enum { alltoallv, alltoall, alltoallw, allgather, allgatherv } which;
};

/* Bytes from one byte of a block with that rank to the next. */
static size_t step_of(const struct shape* shape, int peer) {
    return shape->gaps || (shape->which == alltoallw && (rank + peer) % 2) ? 2 : 1;
}

/* Blocks lie as far apart as the largest ones need. */
static size_t place_of(const struct shape* shape, int peer) {
    return (size_t)peer * (size_t)shape->bytes * (shape->gaps || shape->which == alltoallw ? 2 : 1);
}
static size_t room(const struct shape* shape) {
    return place_of(shape, ranks);
}

static int size_of(const struct shape* shape, int source, int destination) {
    if (shape->gathers)
        return source == 0 ? shape->bytes : (int)((long long)shape->bytes * ((source * 5 + 3) % 8) / 7);
    if ((shape->ragged || shape->roomy) && destination != (source + 1) % ranks)
        return (int)((long long)shape->bytes * ((source * 5 + destination * 3) % 8) / 7);
    return !shape->one_hot || (source == 0 && destination == ranks - 1) ? shape->bytes : 1;
}

static void fill(const struct shape* shape, unsigned char* buffer, int sending) {
    memset(buffer, 255, room(shape));
    if (!sending) return;
    for (int peer = 0; shape->which < allgather && peer < ranks; ++peer)
        for (int i = 0; i < size_of(shape, rank, peer); ++i)
            buffer[place_of(shape, peer) + (size_t)i * step_of(shape, peer)] = byte_of(rank, peer, (size_t)i);
    if (shape->which < allgather) return;
    size_t at = shape->in_place ? (size_t)rank * (size_t)shape->bytes : 0;
    for (int i = 0; i < size_of(shape, rank, 0); ++i) buffer[at + (size_t)i] = byte_of(rank, 0, (size_t)i);
}

static void check(const struct shape* shape, const char* name) {
    int destination = shape->which >= allgather ? 0 : rank;
    for (int peer = 0; peer < ranks; ++peer)
        for (int i = 0; i < shape->bytes; ++i) {
            int arrives = i < size_of(shape, peer, rank);
            unsigned char wanted = arrives ? byte_of(peer, destination, (size_t)i) : 255;
            size_t step = step_of(shape, peer), at = place_of(shape, peer) + (size_t)i * step;
            if (recv_buffer[at] != wanted || (step == 2 && recv_buffer[at + 1] != 255))
                client_fail("%s: rank %d got %d, not %d, at byte %d from %d", name, rank, recv_buffer[at],
                            wanted, i, peer);
        }
}

static int alltoallw_of(const struct shape* shape, const void* send, const int* out, const int* in,
                        MPI_Datatype gaps) {
    int at[client_max_ranks];
    MPI_Datatype types[client_max_ranks];
    for (int peer = 0; peer < ranks; ++peer) {
        at[peer] = (int)place_of(shape, peer);
        types[peer] = step_of(shape, peer) == 2 ? gaps : MPI_BYTE;
    }
    return MPI_Alltoallw(send, out, at, types, recv_buffer, in, at, types, current);
}

static void call(const struct shape* shape, const char* name) {
    int out[client_max_ranks], in[client_max_ranks], at[client_max_ranks];
    MPI_Datatype type = MPI_BYTE;
    const void* send = shape->in_place ? MPI_IN_PLACE : send_buffer;
    for (int peer = 0; peer < ranks; ++peer) {
        out[peer] = size_of(shape, rank, peer);
        in[peer] = shape->roomy ? shape->bytes : size_of(shape, peer, rank);
        at[peer] = peer * shape->bytes;
    }
    if (shape->gaps || shape->which == alltoallw) {
        MPI_Type_create_resized(MPI_BYTE, 0, 2, &type);
        MPI_Type_commit(&type);
    }
    ++salt;
    fill(shape, send_buffer, 1);
    fill(shape, recv_buffer, shape->in_place);
    if (shape->which == alltoallv)
        MPI_Alltoallv(send, out, at, type, recv_buffer, in, at, type, current);
    else if (shape->which == alltoallw)
        alltoallw_of(shape, send, out, in, type);
    else if (shape->which == alltoall)
        MPI_Alltoall(send, shape->bytes, type, recv_buffer, shape->bytes, type, current);
    else if (shape->which == allgatherv)
        MPI_Allgatherv(send, out[0], type, recv_buffer, in, at, type, current);
    else
        MPI_Allgather(send, shape->bytes, type, recv_buffer, shape->bytes, type, current);
    client_count(current);
    if (type != MPI_BYTE) MPI_Type_free(&type);
    check(shape, name);
    if (shape->bytes <= 4096)
        client_digest_add(name, world_rank, recv_buffer, (size_t)ranks * (size_t)shape->bytes);
}

static void use(MPI_Comm comm) {
    current = comm;
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &ranks);
}

static void leave(void) {
    if (current != MPI_COMM_WORLD && current != MPI_COMM_SELF) MPI_Comm_free(&current);
}

static void split(const char* colors, int key) {
    MPI_Comm comm;
    int color = 0;
    for (int i = 0; colors && i <= world_rank; ++i) {
        char* end;
        color = (int)strtol(colors, &end, 10);
        colors = *end ? end + 1 : end;
    }
    MPI_Comm_split(MPI_COMM_WORLD, color, key, &comm);
    leave();
    use(comm);
}

static void print_calls(const char* name, atomic_llong* calls) {
    long long here = atomic_exchange(calls, 0), least = 0, most = 0;
    PMPI_Reduce(&here, &least, 1, MPI_LONG_LONG, MPI_MIN, 0, MPI_COMM_WORLD);
    PMPI_Reduce(&here, &most, 1, MPI_LONG_LONG, MPI_MAX, 0, MPI_COMM_WORLD);
    if (world_rank == 0) printf("%s=%lld..%lld\n", name, least, most);
}

static void limit(int resource, rlim_t bytes) {
    struct rlimit limit;
    getrlimit(resource, &limit);
    limit.rlim_cur = bytes;
    if (setrlimit(resource, &limit) != 0) client_fail("no limit can be set");
}

static void limit_memory(int mib) {
    long pages = 0;
    FILE* file = fopen("/proc/self/statm", "r");
    if (!file || fscanf(file, "%ld", &pages) != 1) client_fail("the memory in use is not known");
    fclose(file);
    limit(RLIMIT_AS, (rlim_t)pages * (rlim_t)sysconf(_SC_PAGESIZE) + ((rlim_t)mib << 20));
}

static void hold(int count) {
    static MPI_Comm held[4096];
    struct shape shape = {.bytes = 8, .which = alltoallv};
    if (count > 4096) count = 4096;
    for (int i = 0; i < count; ++i) {
        MPI_Comm_dup(MPI_COMM_WORLD, &held[i]);
        use(held[i]);
        call(&shape, "hold");
    }
    for (int i = 0; i < count; ++i) MPI_Comm_free(&held[i]);
    use(MPI_COMM_WORLD);
}

static int starts(const char* text, const char* start) {
    return strncmp(text, start, strlen(start)) == 0;
}

static void call_named(const char* name) {
    static const char* const names[] = {"alltoallv", "alltoall", "alltoallw", "allgather", "allgatherv"};
    struct shape shape = {.one_hot = starts(name, "one_hot:"),
                          .ragged = starts(name, "ragged:") || starts(name, "typed:"),
                          .roomy = starts(name, "roomy:"),
                          .gaps = starts(name, "gaps:"),
                          .gathers = starts(name, "gathers")};
    const char* colon = strchr(name, ':');
    if (!colon) client_fail("what is %s?", name);
    if (shape.gathers) shape.which = allgatherv;
    if (starts(name, "typed:")) shape.which = alltoallw;
    for (int i = 4; i >= 0; --i)
        if (starts(name, names[i]) && (name[strlen(names[i])] == ':' || name[strlen(names[i])] == '_'))
            shape.which = i;
    shape.in_place = strstr(name, "_in_place:") != NULL;
    char* end;
    shape.bytes = (int)strtol(colon + 1, &end, 10);
    int times = *end ? atoi(end + 1) : 1;
    for (int i = 0; i < times; ++i) call(&shape, name);
}

int main(int argc, char** argv) {
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &world_rank);
    use(MPI_COMM_WORLD);
    size_t largest = 4096;
    for (int i = 1; i < argc; ++i) {
        const char* colon = strchr(argv[i], ':');
        if (colon && !starts(argv[i], "split") && (size_t)atoll(colon + 1) > largest)
            largest = (size_t)atoll(colon + 1);
    }
    send_buffer = malloc(2 * largest * (size_t)ranks);
    recv_buffer = malloc(2 * largest * (size_t)ranks);
    if (!send_buffer || !recv_buffer) client_fail("no memory");
    memset(send_buffer, 1, 2 * largest * (size_t)ranks);
    memset(recv_buffer, 1, 2 * largest * (size_t)ranks);
    for (int i = 1; i < argc; ++i) {
        const char* word = argv[i];
        if (!strcmp(word, "world") || !strcmp(word, "self")) {
            leave();
            use(*word == 'w' ? MPI_COMM_WORLD : MPI_COMM_SELF);
        } else if (!strcmp(word, "dup")) {
            split(NULL, world_rank);
        } else if (!strcmp(word, "reversed")) {
            split(NULL, -world_rank);
        } else if (starts(word, "split:")) {
            split(word + 6, world_rank);
        } else if (!strcmp(word, "allreduces")) {
            print_calls(word, &allreduces);
        } else if (!strcmp(word, "barriers")) {
            print_calls(word, &barriers);
        } else if (starts(word, "memory:")) {
            PMPI_Barrier(MPI_COMM_WORLD);
            if (world_rank == atoi(word + 7)) limit_memory(atoi(strrchr(word, ':') + 1));
        } else if (starts(word, "file_size:")) {
            limit(RLIMIT_FSIZE, (rlim_t)atoi(word + 10) << 10);
        } else if (starts(word, "hold:")) {
            leave();
            hold(atoi(word + 5));
        } else {
            call_named(word);
        }
    }
    leave();
    client_finish();
    MPI_Finalize();
    return 0;
}
