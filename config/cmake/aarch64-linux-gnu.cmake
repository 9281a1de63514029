# For cross compilation to AArch64 with Debian's compilers (g++-aarch64-linux-gnu,
# gfortran-aarch64-linux-gnu), on a kernel that runs AArch64 programs with qemu: MPI's compiler wrappers are
# such programs. scripts/test-arm64 uses it.
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR aarch64)
set(CMAKE_C_COMPILER aarch64-linux-gnu-gcc)
set(CMAKE_CXX_COMPILER aarch64-linux-gnu-g++)
set(CMAKE_Fortran_COMPILER aarch64-linux-gnu-gfortran)
