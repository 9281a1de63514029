/* A program with AddressSanitizer and without MPI, as a rank may start it. With an argument it writes beyond
 * its memory. */
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char** argv) {
    (void)argv;
    const int bytes = 8;
    volatile char* const memory = malloc((size_t)bytes);
    memory[argc > 1 ? bytes : 0] = 1;
    puts("a child with a sanitizer");
    free((void*)memory);
    return 0;
}
