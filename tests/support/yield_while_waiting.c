/* Preloaded, it lets waiting ranks of an MPI on UCX leave their core to others. They spin else, so with more ranks than
 * cores each message takes a time slice of the scheduler, and tests take three to six times as long. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <sched.h>

unsigned ucp_worker_progress(void* worker);

__attribute__((visibility("default"))) unsigned ucp_worker_progress(void* worker) {
    static unsigned (*progress)(void*);
    /* By its handle: of a plug-in's MPI, the library may be in a local scope. */
    if (!progress)
        *(void**)&progress = dlsym(dlopen("libucp.so.0", RTLD_LAZY | RTLD_NOLOAD), "ucp_worker_progress");
    const unsigned done = progress(worker);
    if (done == 0) sched_yield();
    return done;
}
