/* A preloaded library that makes the machine one without hwloc for whoever opens it at run time. */
#include <dlfcn.h>
#include <string.h>

__attribute__((visibility("default"))) void* dlopen(const char* name, int flags) {
    static void* (*next)(const char*, int);
    if (!next) *(void**)&next = dlsym(RTLD_NEXT, "dlopen");
    return next(name != NULL && strstr(name, "libhwloc") != NULL ? "libhwloc-that-nobody-has.so" : name,
                flags);
}
