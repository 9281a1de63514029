/* What makes a machine one that seems to have a GPU. */
#include <dlfcn.h>
#include <string.h>

int access(const char* path, int mode) {
    static int (*next)(const char*, int);
    if (!next) *(void**)&next = dlsym(RTLD_NEXT, "access");
    return strcmp(path, "/dev/nvidiactl") == 0 ? 0 : next(path, mode);
}
