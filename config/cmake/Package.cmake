# The files of an installation that are neither programs nor libraries, the Debian package, and the tarball
# for clusters. `cpack -G DEB` and `cpack -G TGZ` in the first build tree also pack the build trees of the
# other MPIs, if they are built.
include(CMakePackageConfigHelpers)

set(package_folder ${CMAKE_INSTALL_LIBDIR}/cmake/switchyard)
configure_package_config_file(config/switchyard-config.cmake.in switchyard-config.cmake
  INSTALL_DESTINATION ${package_folder}
  PATH_VARS CMAKE_INSTALL_BINDIR CMAKE_INSTALL_LIBDIR CMAKE_INSTALL_DATADIR)
write_basic_package_version_file(switchyard-config-version.cmake COMPATIBILITY SameMajorVersion)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/switchyard-config.cmake
              ${CMAKE_CURRENT_BINARY_DIR}/switchyard-config-version.cmake DESTINATION ${package_folder})

# In the data folder, from where the path to the prefix is the same everywhere.
configure_file(config/switchyard.pc.in switchyard.pc @ONLY)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/switchyard.pc DESTINATION ${CMAKE_INSTALL_DATADIR}/pkgconfig)
install(FILES config/modulefile DESTINATION ${CMAKE_INSTALL_DATADIR}/modulefiles/switchyard RENAME ${PROJECT_VERSION})

# The documents, in folders as here, so that the links between them work. Debian also wants the license by
# another name. The papers' figures are research, not part of a product: documents that link to them are
# installed without these links.
file(GLOB documents RELATIVE ${PROJECT_SOURCE_DIR} CONFIGURE_DEPENDS *.md LICENSE CITATION.cff tests/bench/*.md
     tests/bench/apps/*.md tests/bench/results/report.png config/third-party-licenses.txt config/lgpl-2.1.txt
     shim/report/page/dygraphs-license.txt)
file(GLOB_RECURSE readmes RELATIVE ${PROJECT_SOURCE_DIR} CONFIGURE_DEPENDS
  algorithms/README.md config/README.md policy/README.md shim/README.md)
file(GLOB recipes RELATIVE ${PROJECT_SOURCE_DIR} CONFIGURE_DEPENDS config/recipes/*.md)
list(REMOVE_ITEM recipes config/recipes/README.md)
set(link_to_figures "\\[([^]]+)\\]\\([^)]*results/figures/[^)]*\\)")
foreach(document IN LISTS documents readmes recipes)
  cmake_path(GET document PARENT_PATH folder)
  set(installed ${document})
  file(STRINGS ${document} links REGEX "${link_to_figures}" LIMIT_COUNT 1)
  if(links)
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${document})
    file(READ ${document} text)
    string(REGEX REPLACE "${link_to_figures}" "\\1" text "${text}")
    set(installed ${CMAKE_CURRENT_BINARY_DIR}/documents/${document})
    file(WRITE ${installed} "${text}")
  endif()
  install(FILES ${installed} DESTINATION ${CMAKE_INSTALL_DOCDIR}/${folder})
endforeach()
install(FILES LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR} RENAME copyright)

# Who answers for a package is the one who makes it: the sources name no address that is read. The top-level domain `invalid`
# is reserved for addresses without a mailbox (RFC 2606), so nobody else gets the mail.
set(SWITCHYARD_CONTACT "the switchyard authors <no-mailbox@switchyard.invalid>" CACHE STRING
    "Maintainer of the package that is made: Name <address>")

# The user chooses the MPI, so the package depends on none. The preloaded objects need only libc, and
# libstdc++ if it is not linked in.
execute_process(COMMAND getconf GNU_LIBC_VERSION OUTPUT_VARIABLE libc OUTPUT_STRIP_TRAILING_WHITESPACE)
string(REGEX MATCH "[0-9.]+" libc "${libc}")
string(REGEX MATCH "^[0-9]+" compiler "${CMAKE_CXX_COMPILER_VERSION}")
set(CPACK_PACKAGE_NAME switchyard)
set(CPACK_PACKAGE_CONTACT "${SWITCHYARD_CONTACT}")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "${PROJECT_DESCRIPTION}")
set(CPACK_PACKAGE_DESCRIPTION "A shared object that is preloaded into unmodified MPI programs. It
intercepts their all-to-all collectives, runs each by the algorithm that a
policy file names, and logs the algorithm and the time of each call.")
set(CPACK_RESOURCE_FILE_LICENSE ${PROJECT_SOURCE_DIR}/LICENSE)
set(CPACK_STRIP_FILES ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION science)
set(CPACK_DEBIAN_PACKAGE_DEPENDS "libc6 (>= ${libc})")
if(NOT SWITCHYARD_HAS_STATIC_RUNTIME)
  string(APPEND CPACK_DEBIAN_PACKAGE_DEPENDS ", libgcc-s1, libstdc++6 (>= ${compiler})")
endif()
set(mpi_packages)
foreach(family IN LISTS SWITCHYARD_MPI_FAMILIES)
  list(GET MPI_FAMILY_${family}_packages 0 package)
  list(APPEND mpi_packages ${package})
endforeach()
list(JOIN mpi_packages " | " CPACK_DEBIAN_PACKAGE_RECOMMENDS)
set(CPACK_DEBIAN_PACKAGE_SUGGESTS "simgrid, gnuplot-nox")

# The tarball has no benchmark, since that would fit only the MPI here. It has the benchmark's sources.
set(CPACK_PACKAGE_FILE_NAME switchyard-${PROJECT_VERSION}-linux-${CMAKE_SYSTEM_PROCESSOR})
cmake_path(GET CMAKE_BINARY_DIR PARENT_PATH trees)
set(trees_to_pack "${CMAKE_BINARY_DIR}")
foreach(mpi IN LISTS SWITCHYARD_MPI_FAMILIES ITEMS smpi)
  if(NOT mpi STREQUAL SWITCHYARD_MPI)
    list(APPEND trees_to_pack "${trees}/${mpi}")
  endif()
endforeach()
# CPack looks for the other trees, as they are configured later than this one.
file(CONFIGURE OUTPUT ${CMAKE_BINARY_DIR}/package-of-all.cmake @ONLY CONTENT [[
set(parts ALL)
if(CPACK_GENERATOR STREQUAL "TGZ")
  set(parts Unspecified benchmark_sources)
endif()
set(CPACK_INSTALL_CMAKE_PROJECTS)
foreach(tree IN ITEMS @trees_to_pack@)
  if(EXISTS "${tree}/cmake_install.cmake")
    foreach(part IN LISTS parts)
      list(APPEND CPACK_INSTALL_CMAKE_PROJECTS "${tree};switchyard;${part};/")
    endforeach()
  endif()
endforeach()
]])
set(CPACK_PROJECT_CONFIG_FILE ${CMAKE_BINARY_DIR}/package-of-all.cmake)
include(CPack)
