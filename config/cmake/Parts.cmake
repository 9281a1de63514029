# What can be built here. A part whose MPI or library is missing is left out with a sentence; the configure goes on.
#
#   SWITCHYARD_HAS_MPI      the MPI of this build tree is there: back end, benchmark
#   SWITCHYARD_HAS_COMMAND  CLI11 is there, which reads command lines: the command, the benchmark
#   SWITCHYARD_HAS_HWLOC    hwloc's headers are there: regions inside a node
#   DYGRAPHS_SCRIPT         a file, or false: dygraphs is there, which draws the time over the run in a report's page
#   SWITCHYARD_HAS_TESTS    tests are wanted, and can be built
#
# A build of several trees says once what is missing in all of them (SWITCHYARD_COMMON).
function(leave_out parts reason)
  message(NOTICE "switchyard: left out: ${parts}. ${reason}")
endfunction()

function(stop_without library package)
  message(FATAL_ERROR "${library} was not found. Every part of switchyard needs its headers (Debian: ${package}). "
                      "Where it is in a folder of its own: -DCMAKE_PREFIX_PATH=FOLDER")
endfunction()

function(packages_of family result)
  list(JOIN MPI_FAMILY_${family}_packages " " packages)
  set(${result} "${packages}" PARENT_SCOPE)
endfunction()

# The family of the MPI that was found.
function(take_any_mpi)
  foreach(family IN LISTS SWITCHYARD_MPI_FAMILIES)
    is_found_mpi_of(${family} is_right)
    if(is_right)
      set(SWITCHYARD_MPI ${family} PARENT_SCOPE)
      return()
    endif()
  endforeach()
  set(reason "No MPI was found: name its compilers, in a new build folder (-DMPI_C_COMPILER=... -DMPI_CXX_COMPILER=...)")
  if(MPI_CXX_FOUND)
    set(reason "${MPI_CXX_COMPILER} belongs to no MPI that switchyard knows: ${SWITCHYARD_MPI_FAMILIES}")
  endif()
  leave_out("back end and benchmark" "${reason}")
endfunction()

find_package(Threads REQUIRED)
set(SWITCHYARD_HAS_MPI ON)
if(SWITCHYARD_MPI STREQUAL "smpi")
  find_package(SMPI QUIET)
  if(NOT SMPI_FOUND)
    set(SWITCHYARD_HAS_MPI OFF)
    leave_out("the benchmark on simulated machines" "SimGrid was not found (Debian: libsimgrid-dev)")
  endif()
elseif(SWITCHYARD_MPI IN_LIST SWITCHYARD_MPI_FAMILIES)
  find_mpi_of(${SWITCHYARD_MPI})
  is_found_mpi_of(${SWITCHYARD_MPI} SWITCHYARD_HAS_MPI)
  if(NOT SWITCHYARD_HAS_MPI)
    forget_found_mpi()
    packages_of(${SWITCHYARD_MPI} packages)
    set(title ${MPI_FAMILY_${SWITCHYARD_MPI}_title})
    leave_out("back end and benchmark for ${title}"
              "No compilers of ${title} were found (Debian: ${packages}; elsewhere: -DMPI_C_COMPILER=... -DMPI_CXX_COMPILER=...)")
  endif()
elseif(SWITCHYARD_MPI STREQUAL "")
  find_package(MPI QUIET COMPONENTS C CXX) # not in a function, which would keep the folders of the headers to itself
  take_any_mpi()
  if(SWITCHYARD_MPI STREQUAL "")
    set(SWITCHYARD_HAS_MPI OFF)
  endif()
else()
  message(FATAL_ERROR "SWITCHYARD_MPI is ${SWITCHYARD_MPI}. It can be: ${SWITCHYARD_MPI_FAMILIES};smpi")
endif()

# The source tarball of a release brings other people's files along (scripts/release), each library in a folder of its own,
# for machines where it is not installed. All targets see the same headers.
option(SWITCHYARD_THIRD_PARTY "Take the libraries of the source tarball also where others are installed" OFF)
set(third_party "${PROJECT_SOURCE_DIR}/config/third-party")
set(third_party_as PATHS) # of find_path, which looks there last
if(SWITCHYARD_THIRD_PARTY)
  set(third_party_as HINTS) # before the system's folders
endif()
macro(take_library name target)
  if(NOT SWITCHYARD_THIRD_PARTY)
    find_package(${name} QUIET)
  endif()
  if(NOT TARGET ${target} AND EXISTS "${third_party}/${name}")
    add_library(${target} INTERFACE IMPORTED)
    set(folders "${third_party}/${name}" ${ARGN})
    set_target_properties(${target} PROPERTIES INTERFACE_INCLUDE_DIRECTORIES "${folders}")
    include_directories(SYSTEM ${folders})
    set(${name}_FOUND ON)
    message(STATUS "${name} is taken from ${third_party}")
  endif()
endmacro()

take_library(nlohmann_json nlohmann_json::nlohmann_json)
if(NOT nlohmann_json_FOUND)
  stop_without("nlohmann/json" nlohmann-json3-dev)
endif()
take_library(spdlog spdlog::spdlog_header_only "${third_party}/fmt")
if(NOT spdlog_FOUND)
  stop_without(spdlog libspdlog-dev)
endif()
get_target_property(imported spdlog::spdlog_header_only INTERFACE_INCLUDE_DIRECTORIES)
if("${third_party}/fmt" IN_LIST imported)
  set_target_properties(spdlog::spdlog_header_only PROPERTIES INTERFACE_COMPILE_DEFINITIONS SPDLOG_FMT_EXTERNAL)
endif()

take_library(CLI11 CLI11::CLI11)
set(SWITCHYARD_HAS_COMMAND ${CLI11_FOUND})
if(SWITCHYARD_COMMON AND NOT SWITCHYARD_HAS_COMMAND)
  leave_out("the command `switchyard`, the benchmark, the tests"
            "CLI11 was not found (Debian: libcli11-dev). Programs can be run with LD_PRELOAD=.../libswitchyard.so")
endif()

# Only hwloc's headers: whoever asks for regions inside a node opens the library.
find_path(HWLOC_INCLUDE_DIR hwloc.h ${third_party_as} "${third_party}/hwloc")
set(SWITCHYARD_HAS_HWLOC OFF)
if(HWLOC_INCLUDE_DIR)
  set(SWITCHYARD_HAS_HWLOC ON)
elseif(SWITCHYARD_COMMON)
  leave_out("regions inside a node (SWITCHYARD_REGION)" "hwloc.h was not found (Debian: libhwloc-dev)")
endif()

# Scripts are the same for all machines, so cross compilation also takes them from here.
find_file(DYGRAPHS_SCRIPT dygraph.min.js
  PATHS /usr/share/javascript/dygraphs /usr/local/share/javascript/dygraphs ${third_party_as} "${third_party}/dygraphs"
  NO_CMAKE_FIND_ROOT_PATH)
if(SWITCHYARD_COMMON AND SWITCHYARD_HAS_COMMAND AND NOT DYGRAPHS_SCRIPT)
  leave_out("the plot over time in the page of `switchyard report --html`"
            "dygraph.min.js was not found (Debian: libjs-dygraphs; elsewhere: -DDYGRAPHS_SCRIPT=FILE)")
endif()

# Tests that are written in Python use Debian's python3, since Debian's mpi4py is for that python3.
set(SWITCHYARD_HAS_TESTS OFF)
if(SWITCHYARD_TESTS AND SWITCHYARD_HAS_COMMAND)
  set(SWITCHYARD_HAS_TESTS ON)
  if(EXISTS /usr/bin/python3)
    set(driver_python /usr/bin/python3)
  else()
    find_package(Python3 REQUIRED COMPONENTS Interpreter)
    set(driver_python "${Python3_EXECUTABLE}")
  endif()
endif()
