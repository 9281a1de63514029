/* A profiler's timer, preloaded: a signal every 50 microseconds. And a posix_fallocate that signals interrupt, as the
 * manual allows: all that it did is undone. */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stddef.h>
#include <sys/time.h>

static void note(int signal) {
    (void)signal;
}

__attribute__((constructor)) static void start(void) {
    struct sigaction action = {.sa_handler = note, .sa_flags = SA_RESTART};
    struct itimerval often = {{0, 50}, {0, 50}};
    sigaction(SIGALRM, &action, NULL);
    setitimer(ITIMER_REAL, &often, NULL);
}

__attribute__((visibility("default"))) int posix_fallocate(int file, off_t offset, off_t bytes) {
    sigset_t blocked;
    pthread_sigmask(SIG_SETMASK, NULL, &blocked);
    if (!sigismember(&blocked, SIGALRM)) return EINTR;
    return fallocate(file, 0, offset, bytes) == 0 ? 0 : errno;
}
