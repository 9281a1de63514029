# Folders as translation units, if the build is given -DCMAKE_UNITY_BUILD=ON, as by scripts/build. The files
# of a folder parse the same headers, which takes the compiler longer than their own lines.
#
#   unite(TARGET)                each folder of the target's sources becomes a unit
#   unite(TARGET BATCHES_OF N)   each N of its sources become a unit, where a folder would keep one core for long
#   unite(TARGET APART FILES)    each of these files is compiled by itself
#
# So names in anonymous namespaces must differ within a folder. The preloaded entry and the programs of others
# are not united.
#
#   optimize_little(TARGETS)     compiles with -O1, in four fifths of the time, what people start by hand and no rank runs
set(SWITCHYARD_UNITES ${CMAKE_UNITY_BUILD})
set(CMAKE_UNITY_BUILD OFF)
# A static library is compiled at the same time as the libraries that it is linked with.
set(CMAKE_OPTIMIZE_DEPENDENCIES ON)

function(unite target)
  if(NOT SWITCHYARD_UNITES)
    return()
  endif()
  cmake_parse_arguments(PARSE_ARGV 1 unite "" "BATCHES_OF" "APART")
  set(mode GROUP)
  if(unite_BATCHES_OF)
    set(mode BATCH)
  endif()
  set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_MODE ${mode} UNITY_BUILD_BATCH_SIZE "${unite_BATCHES_OF}")
  get_target_property(sources ${target} SOURCES)
  foreach(source IN LISTS sources)
    if(source IN_LIST unite_APART)
      set_source_files_properties(${source} PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
      continue()
    endif()
    cmake_path(ABSOLUTE_PATH source OUTPUT_VARIABLE folder)
    cmake_path(GET folder PARENT_PATH folder)
    cmake_path(RELATIVE_PATH folder BASE_DIRECTORY "${PROJECT_SOURCE_DIR}")
    string(MAKE_C_IDENTIFIER "${folder}" group)
    set_source_files_properties(${source} PROPERTIES UNITY_GROUP ${group})
  endforeach()
endfunction()

function(optimize_little)
  foreach(target IN LISTS ARGN)
    target_compile_options(${target} PRIVATE $<$<CONFIG:RelWithDebInfo,Release>:-O1>)
  endforeach()
endfunction()
