# The table of MPI families, shim/entry/mpi_families.def:
#
#   SWITCHYARD_MPI_FAMILIES       their names
#   MPI_FAMILY_<name>_<field>     a list with the words of a field, for example MPI_FAMILY_mpich_packages
#   find_mpi_of(name)             find_package(MPI), by Debian's names of the family's compilers and launcher
#   is_found_mpi_of(name result)  whether an MPI was found and is of that family, by its mpi.h
#   forget_found_mpi()            lets the next configure look again
include(CheckSymbolExists)
set(mpi_families_table ${PROJECT_SOURCE_DIR}/shim/entry/mpi_families.def)
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${mpi_families_table})
file(STRINGS ${mpi_families_table} lines REGEX "^(SWITCHYARD_MPI_FAMILY| )")
set(SWITCHYARD_MPI_FAMILIES)
foreach(line IN LISTS lines)
  if(line MATCHES "^SWITCHYARD_MPI_FAMILY\\(([a-z0-9_]+),$")
    set(family ${CMAKE_MATCH_1})
    list(APPEND SWITCHYARD_MPI_FAMILIES ${family})
  elseif(line MATCHES "^ +\\.([a-z_]+) = (.*)$")
    set(field ${CMAKE_MATCH_1})
    string(REGEX MATCHALL "\"[^\"]*\"|true|false" words "${CMAKE_MATCH_2}")
    string(REPLACE "\"" "" MPI_FAMILY_${family}_${field} "${words}")
  else()
    message(FATAL_ERROR "mpi_families.def: each field needs a line of its own: ${line}")
  endif()
endforeach()

# Compilers that were given are kept. Where no program has Debian's name, FindMPI looks for the usual names.
macro(find_mpi_of family)
  set(suffix "${MPI_FAMILY_${family}_suffix}")
  find_program(MPI_C_COMPILER mpicc${suffix})
  find_program(MPI_CXX_COMPILER mpicxx${suffix})
  find_program(MPI_Fortran_COMPILER mpif90${suffix})
  find_program(MPIEXEC_EXECUTABLE mpirun${suffix})
  find_package(MPI QUIET COMPONENTS C CXX)
endmacro()

# A "no" is not cached: the next configure may come with other compilers.
function(is_found_mpi_of family result)
  set(${result} OFF PARENT_SCOPE)
  if(NOT MPI_CXX_FOUND)
    return()
  endif()
  set(CMAKE_REQUIRED_INCLUDES ${MPI_C_INCLUDE_DIRS})
  set(CMAKE_REQUIRED_QUIET ON)
  check_symbol_exists(${MPI_FAMILY_${family}_header_defines} mpi.h MPI_IS_OF_FAMILY_${family})
  set(${result} "${MPI_IS_OF_FAMILY_${family}}" PARENT_SCOPE)
  if(NOT MPI_IS_OF_FAMILY_${family})
    unset(MPI_IS_OF_FAMILY_${family} CACHE)
  endif()
endfunction()

macro(forget_found_mpi)
  get_cmake_property(cached CACHE_VARIABLES)
  foreach(variable IN LISTS cached)
    if(variable MATCHES "^MPI(EXEC)?_")
      unset(${variable} CACHE)
    endif()
  endforeach()
endmacro()
