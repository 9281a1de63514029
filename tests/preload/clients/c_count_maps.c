/* Preloaded: says at the end how often this process opened the list of its mappings, which takes longer the more there are. */
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

static int opened;

int open(const char* path, int flags, ...) {
    va_list words;
    va_start(words, flags);
    const int mode = va_arg(words, int); /* of no meaning where no file is made */
    va_end(words);
    opened += strcmp(path, "/proc/self/maps") == 0;
    return (int)syscall(SYS_openat, AT_FDCWD, path, flags, mode);
}

__attribute__((destructor)) static void say(void) {
    fprintf(stderr, "mappings opened %d times\n", opened);
}
