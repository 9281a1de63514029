/* A program for the standard ABI, which no back end fits. */
#include <stdio.h>
#include <string.h>

int MPI_Init(int* count, char*** words);
int MPI_Alltoall(const void* send, int sendcount, void* sendtype, void* recv, int recvcount, void* recvtype,
                 void* comm);

int main(int count, char** words) {
    char received[4] = "";
    void* const byte = (void*)0x203; /* MPI_BYTE and MPI_COMM_WORLD of the standard ABI */
    void* const world = (void*)0x101;
    MPI_Init(&count, &words);
    if (MPI_Alltoall("abc", 4, byte, received, 4, byte, world) != 0 || strcmp(received, "abc") != 0) return 1;
    puts("ok calls=1");
    return 0;
}
