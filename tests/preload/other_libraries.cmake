# A program with its MPI linked in statically, where no preloaded object can reach it. Debian ships MPICH's archive,
# not Open MPI's.
find_library(mpich_archive libmpich.a)
if(SWITCHYARD_MPI STREQUAL "mpich" AND mpich_archive)
  add_executable(c_static clients/c_basic.c)
  target_include_directories(c_static SYSTEM PRIVATE ${MPI_C_INCLUDE_DIRS})
  target_link_libraries(c_static PRIVATE ${mpich_archive} hwloc ucp ucs Threads::Threads)
  target_compile_options(c_static PRIVATE ${c_warnings})
  place_client(c_static)
endif()

# Debian's FFTW for MPI is built for Open MPI.
find_path(fftw_include fftw3-mpi.h)
find_path(fftw_serial_include fftw3.h)
find_library(fftw_mpi_library fftw3_mpi)
find_library(fftw_library fftw3)
if(SWITCHYARD_MPI STREQUAL "openmpi" AND fftw_include AND fftw_serial_include AND fftw_mpi_library AND fftw_library)
  add_c_client(fftw_transform)
  target_link_libraries(fftw_transform PRIVATE ${fftw_mpi_library} ${fftw_library})
endif()

# So is its SpFFT.
find_path(spfft_include spfft/spfft.h)
find_library(spfft_library spfft)
if(SWITCHYARD_MPI STREQUAL "openmpi" AND spfft_include AND spfft_library)
  add_c_client(spfft_transform)
  target_link_libraries(spfft_transform PRIVATE ${spfft_library} m)
endif()
