# What a test tells ctest about itself.
#
#   label(TESTS... LABELS WORDS...)   words that `ctest -L` takes. `quick` is what `scripts/test --quick` runs, `long`
#                                     what `scripts/test --long` does
#   takes_long(TEST SECONDS...)       on two cores. Such a test starts early: nobody waits for it at the end
#   add_tiered_test(TEST WORD LIST ...)   add_test(NAME TEST ...), of the long tier where WORD is in the LIST: scripts/test --long runs it
#   of_long_tier(TARGETS...)          are built by the target long_tests alone, for tests of `CONFIGURATIONS long`
function(label)
  cmake_parse_arguments(PARSE_ARGV 0 label "" "" "LABELS")
  set_property(TEST ${label_UNPARSED_ARGUMENTS} APPEND PROPERTY LABELS ${label_LABELS})
endfunction()
function(takes_long)
  while(ARGN)
    list(POP_FRONT ARGN test seconds)
    set_property(TEST ${test} PROPERTY COST ${seconds})
  endwhile()
endfunction()
add_custom_target(long_tests)
function(of_long_tier)
  set_target_properties(${ARGN} PROPERTIES EXCLUDE_FROM_ALL ON)
  add_dependencies(long_tests ${ARGN})
endfunction()
function(add_tiered_test test word long_words)
  if(word IN_LIST long_words)
    add_test(NAME ${test} CONFIGURATIONS long ${ARGN})
    label(${test} LABELS long)
  else()
    add_test(NAME ${test} ${ARGN})
  endif()
endfunction()
