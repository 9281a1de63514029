# Programs with sanitizers: c_basic with a runtime that is a library of its own (what GCC does by itself, and
# Clang by -shared-libsan), and a program without MPI, which ranks start.
include(CheckCSourceCompiles)
foreach(sanitizer address thread undefined)
  set(CMAKE_REQUIRED_FLAGS -fsanitize=${sanitizer})
  check_c_source_compiles("int main(void) { return 0; }" SWITCHYARD_HAS_SANITIZER_${sanitizer})
  unset(CMAKE_REQUIRED_FLAGS)
  if(SWITCHYARD_HAS_SANITIZER_${sanitizer})
    add_executable(c_basic_${sanitizer} clients/c_basic.c)
    target_link_libraries(c_basic_${sanitizer} PRIVATE MPI::MPI_C m)
    target_compile_definitions(c_basic_${sanitizer} PRIVATE _GNU_SOURCE)
    target_compile_options(c_basic_${sanitizer} PRIVATE ${c_warnings} -g -fsanitize=${sanitizer})
    target_link_options(c_basic_${sanitizer} PRIVATE -fsanitize=${sanitizer})
    place_client(c_basic_${sanitizer})
  endif()
endforeach()
if(SWITCHYARD_HAS_SANITIZER_address)
  add_executable(c_address clients/c_address.c)
  target_compile_options(c_address PRIVATE ${c_warnings} -fsanitize=address)
  target_link_options(c_address PRIVATE -fsanitize=address)
  place_client(c_address)
endif()

# Compiled by Clang, in addition to the compiler of the build.
find_program(SWITCHYARD_CLANG clang)
set(clang_runtime "")
foreach(name asan-${CMAKE_SYSTEM_PROCESSOR} asan) # the second one where each processor has a folder
  if(SWITCHYARD_CLANG AND NOT EXISTS "${clang_runtime}")
    execute_process(COMMAND ${SWITCHYARD_CLANG} -print-file-name=libclang_rt.${name}.so
                    OUTPUT_VARIABLE clang_runtime OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
  endif()
endforeach()
if(EXISTS "${clang_runtime}")
  cmake_path(GET clang_runtime PARENT_PATH clang_folder)
  list(TRANSFORM MPI_C_INCLUDE_DIRS PREPEND -isystem OUTPUT_VARIABLE clang_includes)
  foreach(kind shared static)
    set(program ${clients_folder}/c_basic_clang_${kind})
    add_custom_command(OUTPUT ${program} VERBATIM
      COMMAND ${SWITCHYARD_CLANG} -g -O1 -D_GNU_SOURCE -fsanitize=address -${kind}-libsan ${clang_includes}
              ${CMAKE_CURRENT_SOURCE_DIR}/clients/c_basic.c -o ${program} ${MPI_C_LIBRARIES} -lm -Wl,-rpath,${clang_folder}
      DEPENDS clients/c_basic.c clients/client.h)
    add_custom_target(c_basic_clang_${kind} ALL DEPENDS ${program})
  endforeach()
endif()
