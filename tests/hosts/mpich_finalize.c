/* Preloaded by hosts.py into jobs of an MPICH before 4.2: every other of its jobs across hosts would hang at its
 * end. In MPI_Finalize such an MPICH closes its connections, for which UCX's TCP waits for an answer of each peer.
 * Then it waits in a barrier of the launcher, where it answers nobody, so that a later rank waits for ever. (MPICH's
 * pull request 6596 removed the barrier.) This object sends all pending messages in MPI_Finalize, but closes no
 * connection: they end with the process. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <sched.h>

unsigned ucp_worker_progress(void* worker);

static void* first_worker;

int ucp_worker_create(void* context, const void* parameters, void** worker) {
    int (*next)(void*, const void*, void**);
    *(void**)&next = dlsym(RTLD_NEXT, "ucp_worker_create");
    int status = next(context, parameters, worker);
    if (status == 0 && !first_worker) first_worker = *worker;
    return status;
}

/* The null pointer says: closed, nothing to wait for. */
void* ucp_disconnect_nb(void* connection) {
    static int sent;
    (void)connection;
    if (sent) return 0;
    sent = 1;
    for (int turn = 0; first_worker && turn < 20; ++turn) {
        for (int i = 0; i < 50; ++i) ucp_worker_progress(first_worker);
        sched_yield(); /* to peers on the same core, which have to make room */
    }
    return 0;
}
