# Run by ctest when it starts, once for each call of vramlab_gtest_suites (GTestSuites.cmake), which
# sets `program`, `reports`, `each_test_alone` and `environment`: adds the program's entries.
#
# An entry leaves googletest's report in <reports>/<entry>.xml. Beside it, <entry>.tests names the
# tests that have to be in it, so that tools/dev/count_tests.py sees when a program ended early.

# vramlab_add_entry(<name> <filter> <test>...)
macro(vramlab_add_entry name filter)
  string(REPLACE "/" "." file "${name}")
  string(REPLACE ";" "\n" lines "${ARGN}")
  file(WRITE "${reports}/${file}.tests" "${lines}\n")
  add_test("${name}" "${program}" "--gtest_filter=${filter}"
           "--gtest_output=xml:${reports}/${file}.xml")
  set_tests_properties("${name}" PROPERTIES ENVIRONMENT "${environment}")
endmacro()

macro(vramlab_end_suite)
  if(suite_tests AND NOT each_test_alone)
    vramlab_add_entry("${suite}" "${suite}.*" ${suite_tests})
  endif()
  set(suite_tests "")
endmacro()

set(listing_result "not built")
if(EXISTS "${program}")
  execute_process(COMMAND "${program}" --gtest_list_tests OUTPUT_VARIABLE listing
                  RESULT_VARIABLE listing_result)
endif()
if(NOT listing_result STREQUAL "0")
  # An entry that fails, with the reason in its name.
  get_filename_component(name "${program}" NAME)
  add_test("${name}_NOT_LISTED" "${name}_NOT_LISTED")
  return()
endif()

# A line is "Suite.", or "  test" after its suite; a comment may follow.
string(REGEX REPLACE " *#[^\n]*" "" listing "${listing}")
string(REPLACE "\n" ";" listing "${listing}")
set(suite_tests "")
foreach(line IN LISTS listing)
  if(line MATCHES "^  (.+)$")
    set(test "${suite}.${CMAKE_MATCH_1}")
    list(APPEND suite_tests "${test}")
    if(each_test_alone)
      vramlab_add_entry("${test}" "${test}" "${test}")
    endif()
  elseif(line MATCHES "^([^ ]+)\\.$")
    vramlab_end_suite()
    set(suite "${CMAKE_MATCH_1}")
  endif()
endforeach()
vramlab_end_suite()
