# SimGrid's simulated MPI, as MPI::MPI_CXX, without its wrapper smpicxx. The wrapper first includes a header
# that makes macros of exit() and free(). Other people's headers do not compile with these macros. It also
# redirects clocks and sleeping, which nobody uses here: MPI_Wtime is the simulated clock even so.
find_path(SMPI_INCLUDE_DIR smpi/mpi.h)
find_library(SMPI_LIBRARY simgrid)
find_program(SMPI_RUN smpirun)
include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(SMPI REQUIRED_VARS SMPI_LIBRARY SMPI_INCLUDE_DIR SMPI_RUN)
mark_as_advanced(SMPI_INCLUDE_DIR SMPI_LIBRARY SMPI_RUN)

if(SMPI_FOUND AND NOT TARGET MPI::MPI_CXX)
  set(MPI_CXX_INCLUDE_DIRS "${SMPI_INCLUDE_DIR}/smpi" "${SMPI_INCLUDE_DIR}")
  set(MPIEXEC_EXECUTABLE "${SMPI_RUN}")
  set(MPIEXEC_NUMPROC_FLAG -np)
  add_library(MPI::MPI_CXX UNKNOWN IMPORTED)
  set_target_properties(MPI::MPI_CXX PROPERTIES IMPORTED_LOCATION "${SMPI_LIBRARY}"
    INTERFACE_INCLUDE_DIRECTORIES "${MPI_CXX_INCLUDE_DIRS}")
endif()
