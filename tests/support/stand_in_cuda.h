/* What the stand-in driver tells tests besides being a driver; looked up by name. */
#ifndef SWITCHYARD_TESTS_STAND_IN_CUDA_H
#define SWITCHYARD_TESTS_STAND_IN_CUDA_H

struct stand_in_counts {
    unsigned long long copies, bytes;    /* that were queued on a stream */
    unsigned long long pinned, unpinned; /* pieces of host memory */
    long long streams, mapped;           /* alive; mapped: memory of other processes */
};
typedef void stand_in_counts_function(struct stand_in_counts*);

/* Where the host can read and write what is at a device address; any other address comes back as it is. */
typedef void* stand_in_host_address_function(const void*);

#endif
