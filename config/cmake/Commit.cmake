# Writes the commit of the sources into a C++ file: cmake -DSOURCES=FOLDER -DFILE=FILE -P Commit.cmake
#
# A tarball has its commit in config/commit.txt, where `git archive` puts it (.gitattributes). In a clone git is asked; a git
# repository around the folder says nothing about it. A file that says the same stays as it is, so that nothing is compiled.
set(commit unknown)
file(STRINGS "${SOURCES}/config/commit.txt" stored LIMIT_COUNT 1)
if(stored MATCHES "^[0-9a-f]+$")
  string(SUBSTRING "${stored}" 0 12 commit)
else()
  cmake_path(GET SOURCES PARENT_PATH above)
  execute_process(
    COMMAND ${CMAKE_COMMAND} -E env --unset=GIT_DIR --unset=GIT_WORK_TREE "GIT_CEILING_DIRECTORIES=${above}" GIT_OPTIONAL_LOCKS=0
            git describe --always --exclude=* --abbrev=12 --dirty
    WORKING_DIRECTORY "${SOURCES}" OUTPUT_VARIABLE said OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET RESULT_VARIABLE failed)
  if(NOT failed AND said MATCHES "^[0-9a-f]+(-dirty)?$")
    set(commit ${said})
  endif()
endif()
set(text "#include \"commit.hpp\"\n\nconst char* const switchyard::shim::command::commit = \"${commit}\";\n")
set(before)
if(EXISTS "${FILE}")
  file(READ "${FILE}" before)
endif()
if(NOT before STREQUAL text)
  file(WRITE "${FILE}" "${text}")
endif()
