/* Loads plug-ins, and with them MPI, into local scopes: nothing of MPI is in the global one. Arguments: the plug-ins. All are
 * loaded before the first one runs. */
#include <dlfcn.h>
#include <stdio.h>

typedef int (*plugin_entry)(int, char**);

int main(int argc, char** argv) {
    plugin_entry entries[4] = {NULL};
    for (int i = 1; i < argc && i < 4; ++i) {
        void* plugin = dlopen(argv[i], RTLD_NOW | RTLD_LOCAL);
        if (!plugin) {
            fprintf(stderr, "cannot load the plug-in: %s\n", dlerror());
            return 2;
        }
        *(void**)&entries[i] = dlsym(plugin, "plugin_main");
        if (!entries[i]) return 3;
    }
    int code = 0;
    for (int i = 1; i < argc && i < 4 && code == 0; ++i) code = entries[i](argc, argv);
    return code;
}
