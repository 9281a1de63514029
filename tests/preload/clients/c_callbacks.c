/* Functions that MPI calls back, and that call collectives themselves. First argument:
 * free, disconnect  an attribute's delete function calls on the communicator that goes; then others are made, whose handles
 *                   may be those of the ones that went
 * nested            the same, and the delete function frees another communicator of this kind
 * refused           the delete function refuses, so the communicator stays and is used again
 * dup               an attribute's copy function calls on the communicator that is duplicated, and on the world
 * type, window      a delete function of a type's or a window's attribute
 * file              a file's error handler
 * handler           a communicator's error handler
 * finalize          attributes of MPI_COMM_SELF, whose delete functions MPI_Finalize calls
 * Counted are the calls that a log should have: not those on a communicator that goes. `inside` are all calls of callbacks. */
#include "client.h"

#include <unistd.h>

static int world_rank, inside;

/* A block of each rank for each other one, of `items` items. No call of another communicator can have these values. */
static int value(int from, int to, int item, int salt) {
    return 1000000 * salt + 10000 * from + 100 * to + item;
}

enum { items = 3, most = client_max_ranks * items };

struct buffers {
    int send[most], recv[most], counts[client_max_ranks], displs[client_max_ranks], bytes[client_max_ranks];
    MPI_Datatype types[client_max_ranks];
};

static void prepare(struct buffers* all, int ranks, int rank, int salt) {
    for (int peer = 0; peer < ranks; ++peer) {
        all->counts[peer] = items;
        all->displs[peer] = peer * items;
        all->bytes[peer] = peer * items * (int)sizeof(int);
        all->types[peer] = MPI_INT;
        for (int i = 0; i < items; ++i) all->send[peer * items + i] = value(rank, peer, i, salt);
    }
    memset(all->recv, 0xAA, sizeof all->recv);
}

static void expect(const struct buffers* all, int ranks, int to, int salt, const char* what) {
    for (int peer = 0; peer < ranks; ++peer)
        for (int i = 0; i < items; ++i)
            if (all->recv[peer * items + i] != value(peer, to, i, salt))
                client_fail("%s: rank %d of %d got %d from %d", what, world_rank, ranks,
                            all->recv[peer * items + i], peer);
    for (int i = ranks * items; i < most; ++i)
        if (all->recv[i] != (int)0xAAAAAAAA)
            client_fail("%s: rank %d has bytes behind its blocks", what, world_rank);
}

/* All five collectives, in turns. */
static void call_all(MPI_Comm comm, int counts, const char* what) {
    static int salt;
    int ranks, rank;
    MPI_Comm_size(comm, &ranks);
    MPI_Comm_rank(comm, &rank);
    for (int turn = 0; turn < 5; ++turn) {
        struct buffers all;
        ++salt;
        prepare(&all, ranks, rank, salt);
        int to = rank;
        switch (turn) {
        case 0: MPI_Alltoall(all.send, items, MPI_INT, all.recv, items, MPI_INT, comm); break;
        case 1:
            MPI_Alltoallv(all.send, all.counts, all.displs, MPI_INT, all.recv, all.counts, all.displs,
                          MPI_INT, comm);
            break;
        case 2:
            MPI_Alltoallw(all.send, all.counts, all.bytes, all.types, all.recv, all.counts, all.bytes,
                          all.types, comm);
            break;
        case 3: MPI_Allgather(all.send, items, MPI_INT, all.recv, items, MPI_INT, comm), to = 0; break;
        default:
            MPI_Allgatherv(all.send, items, MPI_INT, all.recv, all.counts, all.displs, MPI_INT, comm), to = 0;
        }
        expect(&all, ranks, to, salt, what);
        if (counts) client_count(comm);
    }
}

static void call_on_parts(void) {
    MPI_Comm half, others;
    MPI_Comm_split(MPI_COMM_WORLD, world_rank % 2, -world_rank, &half);
    call_all(half, 1, "a half");
    MPI_Comm_split(MPI_COMM_WORLD, world_rank == 0, world_rank, &others);
    call_all(others, 1, "all but one");
    MPI_Comm_free(&half);
    MPI_Comm_free(&others);
}

static int on_delete(MPI_Comm comm, int keyval, void* value_of, void* extra) {
    (void)keyval, (void)value_of, (void)extra;
    ++inside;
    call_all(comm, 0, "delete function");
    call_all(MPI_COMM_WORLD, 1, "delete function, the world");
    return MPI_SUCCESS;
}

/* `order` 0: our state first, then the attribute; 1: the attribute first; 2: the first call is in the delete function; 3: each
 * rank by itself, since attributes are a rank's own. */
static MPI_Comm with_attribute(int keyval, int order, void* attribute) {
    MPI_Comm comm;
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    const int is_early = order == 1 || (order == 3 && world_rank % 2 == 0);
    if (is_early) MPI_Comm_set_attr(comm, keyval, attribute);
    if (order != 2) call_all(comm, 1, "before");
    if (!is_early) MPI_Comm_set_attr(comm, keyval, attribute);
    return comm;
}

static void free_in_turn(int rounds, int (*end)(MPI_Comm*)) {
    int keyval;
    MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, on_delete, &keyval, NULL);
    for (int i = 0; i < rounds; ++i) {
        MPI_Comm comm = with_attribute(keyval, i % 4, NULL);
        end(&comm);
        if (comm != MPI_COMM_NULL) client_fail("the handle stays");
        call_on_parts();
    }
}

static int on_delete_nested(MPI_Comm comm, int keyval, void* inner, void* extra) {
    on_delete(comm, keyval, NULL, extra);
    if (inner != NULL) MPI_Comm_free(inner);
    call_all(comm, 0, "after another one went");
    call_on_parts();
    return MPI_SUCCESS;
}

static void free_nested(int rounds) {
    int keyval;
    MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, on_delete_nested, &keyval, NULL);
    for (int i = 0; i < rounds; ++i) {
        MPI_Comm inner = with_attribute(keyval, i % 4, NULL),
                 outer = with_attribute(keyval, i / 4 % 4, &inner);
        MPI_Comm_free(&outer);
        call_on_parts();
    }
}

static int refusals;
static int refuse(MPI_Comm comm, int keyval, void* value_of, void* extra) {
    (void)comm, (void)keyval, (void)value_of, (void)extra;
    return refusals-- > 0 ? MPI_ERR_OTHER : MPI_SUCCESS;
}

static void stay(int rounds) {
    int keyval;
    MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, refuse, &keyval, NULL);
    for (int i = 0; i < rounds; ++i) {
        MPI_Comm comm = with_attribute(keyval, i % 3, NULL), copy = comm;
        MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
        MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN); /* MPICH asks the world's handler */
        refusals = 1;
        if (MPI_Comm_free(&copy) == MPI_SUCCESS) client_fail("nobody refused");
        call_all(comm, 1, "it stayed");
        call_on_parts();
        MPI_Comm_free(&comm);
        call_on_parts();
    }
}

static int on_copy(MPI_Comm comm, int keyval, void* extra, void* from, void* to, int* flag) {
    (void)keyval, (void)extra;
    ++inside;
    call_all(comm, 1, "copy function");
    call_all(MPI_COMM_WORLD, 1, "copy function, the world");
    *(void**)to = from;
    *flag = 1;
    return MPI_SUCCESS;
}

static void duplicate(int rounds) {
    int keyvals[3];
    for (int i = 0; i < 3; ++i) MPI_Comm_create_keyval(on_copy, MPI_COMM_NULL_DELETE_FN, &keyvals[i], NULL);
    for (int i = 0; i < rounds; ++i) {
        MPI_Comm comm, copy;
        MPI_Comm_split(MPI_COMM_WORLD, 0, -world_rank, &comm);
        MPI_Comm_set_attr(comm, keyvals[0], &inside);
        if (i % 3 == 0) call_all(comm, 1, "before");
        for (int k = 1; k < 1 + i % 3; ++k) MPI_Comm_set_attr(comm, keyvals[k], &inside);
        MPI_Comm_dup(comm, &copy);
        for (int k = 0; k < 1 + i % 3; ++k) {
            int found = 0;
            void* attribute = NULL;
            MPI_Comm_get_attr(copy, keyvals[k], &attribute, &found);
            if (!found || attribute != &inside) client_fail("an attribute was not copied");
        }
        call_all(copy, 1, "the copy");
        call_all(comm, 1, "the first one");
        MPI_Comm_free(&comm);
        MPI_Comm_free(&copy);
        call_on_parts();
    }
}

/* Neither MPI lets the function use the type itself. */
static int on_type_delete(MPI_Datatype type, int keyval, void* value_of, void* extra) {
    (void)type, (void)keyval, (void)value_of, (void)extra;
    ++inside;
    call_all(MPI_COMM_WORLD, 1, "type");
    return MPI_SUCCESS;
}

static void free_types(int rounds) {
    int keyval;
    MPI_Type_create_keyval(MPI_TYPE_NULL_COPY_FN, on_type_delete, &keyval, NULL);
    for (int i = 0; i < rounds; ++i) {
        MPI_Datatype type;
        MPI_Type_vector(2, 1, 3, MPI_INT, &type);
        MPI_Type_set_attr(type, keyval, NULL);
        MPI_Type_free(&type);
        call_on_parts();
    }
}

static int on_window_delete(MPI_Win window, int keyval, void* comm, void* extra) {
    (void)window, (void)keyval, (void)extra;
    ++inside;
    call_all(*(MPI_Comm*)comm, 1, "window");
    return MPI_SUCCESS;
}

static void free_windows(int rounds) {
    int keyval;
    MPI_Win_create_keyval(MPI_WIN_NULL_COPY_FN, on_window_delete, &keyval, NULL);
    for (int i = 0; i < rounds; ++i) {
        void* memory;
        MPI_Comm comm;
        MPI_Win window;
        MPI_Comm_dup(MPI_COMM_WORLD, &comm);
        if (i % 2 == 0) call_all(comm, 1, "before");
        MPI_Win_allocate(64, 1, MPI_INFO_NULL, comm, &memory, &window);
        MPI_Win_set_attr(window, keyval, &comm);
        MPI_Win_free(&window);
        call_all(comm, 1, "after");
        MPI_Comm_free(&comm);
        call_on_parts();
    }
}

static void on_file_error(MPI_File* file, int* code, ...) {
    (void)file, (void)code;
    ++inside;
    call_all(MPI_COMM_WORLD, 1, "file");
}

static void fail_to_open(int rounds) {
    MPI_Errhandler handler;
    MPI_File file;
    MPI_File_create_errhandler(on_file_error, &handler);
    MPI_File_set_errhandler(MPI_FILE_NULL, handler);
    for (int i = 0; i < rounds; ++i) {
        if (MPI_File_open(MPI_COMM_WORLD, "/nonexistent/file", MPI_MODE_RDONLY, MPI_INFO_NULL, &file) ==
            MPI_SUCCESS)
            client_fail("the file is there");
        call_on_parts();
    }
}

static MPI_Comm safe;
static void on_error(MPI_Comm* comm, int* code, ...) {
    (void)comm, (void)code;
    ++inside;
    call_all(safe, 1, "handler");
    call_all(MPI_COMM_WORLD, 1, "handler, the world");
}

static void fail_calls(int rounds) {
    MPI_Errhandler handler;
    MPI_Comm comm;
    int nothing[most];
    MPI_Comm_create_errhandler(on_error, &handler);
    MPI_Comm_dup(MPI_COMM_WORLD, &safe);
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    MPI_Comm_set_errhandler(comm, handler);
    for (int i = 0; i < rounds; ++i) {
        const int before = inside;
        MPI_Alltoall(nothing, -1, MPI_INT, nothing, -1, MPI_INT, comm);
        if (inside != before + 1) client_fail("the handler was called %d times", inside - before);
        call_all(comm, 1, "after an error");
        call_on_parts();
    }
}

static MPI_Comm living;
static int on_end(MPI_Comm comm, int keyval, void* value_of, void* extra) {
    (void)comm, (void)keyval, (void)value_of, (void)extra;
    ++inside;
    call_all(MPI_COMM_WORLD, 0, "the end, the world");
    call_all(MPI_COMM_SELF, 0, "the end, self");
    call_all(living, 0, "the end, another one");
    call_on_parts();
    return MPI_SUCCESS;
}

static void finalize(void) {
    int keyval;
    MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, on_end, &keyval, NULL);
    MPI_Comm_dup(MPI_COMM_WORLD, &living);
    MPI_Comm_set_attr(MPI_COMM_SELF, keyval, NULL);
    MPI_Comm_set_attr(MPI_COMM_WORLD, keyval, NULL); /* the standard promises nothing about these calls */
    MPI_Comm_delete_attr(MPI_COMM_WORLD, keyval);
    call_all(living, 0, "before the end");
    MPI_Finalize();
    if (inside != 2) client_fail("%d delete functions at the end", inside);
    if (world_rank == 0) printf("ok inside=%d\n", inside);
}

int main(int argc, char** argv) {
    const char* mode = argc > 1 ? argv[1] : "free";
    const int rounds = argc > 2 ? atoi(argv[2]) : 8;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &world_rank);
    if (strcmp(mode, "finalize") == 0) return finalize(), 0;
    if (strcmp(mode, "free") == 0) free_in_turn(rounds, MPI_Comm_free);
    if (strcmp(mode, "disconnect") == 0) free_in_turn(rounds, MPI_Comm_disconnect);
    if (strcmp(mode, "nested") == 0) free_nested(rounds);
    if (strcmp(mode, "refused") == 0) stay(rounds);
    if (strcmp(mode, "dup") == 0) duplicate(rounds);
    if (strcmp(mode, "type") == 0) free_types(rounds);
    if (strcmp(mode, "window") == 0) free_windows(rounds);
    if (strcmp(mode, "file") == 0) fail_to_open(rounds);
    if (strcmp(mode, "handler") == 0) fail_calls(rounds);
    if (world_rank == 0) printf("inside=%d\n", inside);
    client_finish();
    MPI_Finalize();
    return 0;
}
