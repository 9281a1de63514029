/* Preloaded, it holds the clocks, as tools do that set a program's date or replay it. */
#include <stdlib.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

__attribute__((visibility("default"))) int clock_gettime(clockid_t clock, struct timespec* time) {
    static const struct timespec still = {.tv_sec = 1000000, .tv_nsec = 7};
    if (clock != CLOCK_MONOTONIC && clock != CLOCK_MONOTONIC_COARSE && clock != CLOCK_MONOTONIC_RAW)
        return (int)syscall(SYS_clock_gettime, clock, time);
    *time = still;
    return 0;
}
