# vramlab_gtest_suites(<program> [EACH_TEST_ALONE] [ENVIRONMENT <name>=<value>...]) makes ctest run a
# program of googletest: one entry, and so one process, for each suite. With EACH_TEST_ALONE there is
# one for each test. docs/design/testing.md says why.
#
# ctest asks the built program for its suites when it starts (ListGTestSuites.cmake).
function(vramlab_gtest_suites program)
  cmake_parse_arguments(PARSE_ARGV 1 ARG "EACH_TEST_ALONE" "" "ENVIRONMENT")
  set(file "${CMAKE_CURRENT_BINARY_DIR}/${program}_suites.cmake")
  file(GENERATE OUTPUT "${file}" CONTENT "\
set(program [==[$<TARGET_FILE:${program}>]==])
set(reports [==[${PROJECT_BINARY_DIR}/Testing/gtest]==])
set(each_test_alone [==[${ARG_EACH_TEST_ALONE}]==])
set(environment [==[${ARG_ENVIRONMENT}]==])
include([==[${PROJECT_SOURCE_DIR}/cmake/ListGTestSuites.cmake]==])
")
  set_property(DIRECTORY APPEND PROPERTY TEST_INCLUDE_FILES "${file}")
endfunction()
