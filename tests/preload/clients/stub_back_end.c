/* A stand-in for a back end of a switchyard to come: nothing of it may be called. */
#include <stdint.h>
#include <stdlib.h>

__attribute__((visibility("default"))) const uint32_t switchyard_back_end_version = 9999;
__attribute__((visibility("default"))) const void* switchyard_back_end(const void* loaded_mpi);

const void* switchyard_back_end(const void* loaded_mpi) {
    (void)loaded_mpi;
    abort();
}
