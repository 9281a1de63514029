/* c_forbid CALL ERROR PROGRAM...   runs a program to which a system call is forbidden (forbid.h). */
#include "forbid.h"

#include <stdio.h>
#include <unistd.h>

int main(int argc, char** argv) {
    if (argc < 4 || forbid(argv[1], argv[2]) != 0) {
        perror("c_forbid");
        return 125;
    }
    execvp(argv[3], argv + 3);
    perror(argv[3]);
    return 127;
}
