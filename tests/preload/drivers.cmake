# The tests.
set(driver_environment "SWITCHYARD_MPI=${SWITCHYARD_MPI}" "SWITCHYARD_TEST_OUTPUT=${SWITCHYARD_OUTPUT}"
                       "SWITCHYARD_TEST_CLIENTS=${clients_folder}")
if(abi_include)
  list(APPEND driver_environment "SWITCHYARD_TEST_ABI_INCLUDE=${abi_include}")
endif()
# A page is the same with every MPI, and its tests take a minute.
if(SWITCHYARD_COMMON)
  set(pages test_page)
endif()
# Where ranks spin while they wait, tests cannot run side by side. What does not depend on the MPI is then of the long tier.
set(long_modules test_bindings.ChoicesAndRanks test_dynamic test_apps test_sanitizers test_transforms)
if(MPI_FAMILY_${SWITCHYARD_MPI}_ranks_spin)
  list(APPEND long_modules test_bindings.Choices test_device test_neighbor test_phases test_native test_report test_bad_input test_counted
              test_int_limit test_moves)
endif()
foreach(module test_bindings.Bindings test_bindings.Choices test_bindings.ChoicesAndRanks test_types test_guest test_dynamic
               test_standard_abi test_bad_input test_log test_native test_phases test_report
               ${pages} test_route test_node_memory test_pays test_in_place test_regions test_counted test_neighbor test_int_limit test_moves
               test_transforms test_apps test_device test_ulfm test_sanitizers test_environments)
  add_tiered_test(preload.${SWITCHYARD_MPI}.${module} ${module} "${long_modules}"
                  COMMAND ${driver_python} -B -m unittest -v ${module} WORKING_DIRECTORY "${CMAKE_CURRENT_SOURCE_DIR}")
  set_tests_properties(preload.${SWITCHYARD_MPI}.${module} PROPERTIES ${beside_others} TIMEOUT 600 ENVIRONMENT "${driver_environment}")
  label(preload.${SWITCHYARD_MPI}.${module} LABELS preload)
endforeach()
label(preload.${SWITCHYARD_MPI}.test_bindings.Bindings LABELS quick)
foreach(module_and_seconds test_guest:100 test_route:80 test_types:60 test_bindings.Choices:60 test_apps:60 test_device:50
                           test_neighbor:40 test_transforms:40 test_sanitizers:35 test_environments:30)
  string(REPLACE ":" ";" module_and_seconds ${module_and_seconds})
  list(POP_FRONT module_and_seconds module)
  takes_long(preload.${SWITCHYARD_MPI}.${module} ${module_and_seconds})
endforeach()
if(SWITCHYARD_COMMON)
  takes_long(preload.${SWITCHYARD_MPI}.test_page 90)
  # What a browser shows at several widths changes with the page alone.
  add_test(NAME preload.${SWITCHYARD_MPI}.test_page_screens CONFIGURATIONS long
           COMMAND ${driver_python} -B -m unittest -v test_page_screens
           WORKING_DIRECTORY "${CMAKE_CURRENT_SOURCE_DIR}")
  set_tests_properties(preload.${SWITCHYARD_MPI}.test_page_screens PROPERTIES ${beside_others} TIMEOUT 600
    LABELS "preload;long" ENVIRONMENT "${driver_environment}")
endif()
# It takes half of the memory.
set_tests_properties(preload.${SWITCHYARD_MPI}.test_types PROPERTIES RUN_SERIAL ON)
if(abi_clients)
  foreach(module test_bindings.Bindings test_bindings.Choices test_types test_guest test_route test_node_memory test_in_place)
    add_test(NAME preload.${SWITCHYARD_MPI}.standard_abi.${module}
             COMMAND ${driver_python} -B -m unittest -v ${module}
             WORKING_DIRECTORY "${CMAKE_CURRENT_SOURCE_DIR}")
    set_tests_properties(preload.${SWITCHYARD_MPI}.standard_abi.${module} PROPERTIES ${beside_others} TIMEOUT 600 LABELS preload
      ENVIRONMENT "${driver_environment};SWITCHYARD_TEST_CLIENTS=${abi_folder}")
  endforeach()
  set_tests_properties(preload.${SWITCHYARD_MPI}.standard_abi.test_types PROPERTIES RUN_SERIAL ON)
endif()
