/* Loads its plug-in, and with it MPI, into a local scope: nothing of MPI is in the global one. Argument: the
 * plug-in. */
#include <dlfcn.h>
#include <stdio.h>

typedef int (*plugin_entry)(int, char**);

int main(int argc, char** argv) {
    void* plugin = argc > 1 ? dlopen(argv[1], RTLD_NOW | RTLD_LOCAL) : NULL;
    if (!plugin) {
        fprintf(stderr, "cannot load the plug-in: %s\n", argc > 1 ? dlerror() : "none named");
        return 2;
    }
    plugin_entry entry;
    *(void**)&entry = dlsym(plugin, "plugin_main");
    return entry ? entry(argc, argv) : 3;
}
