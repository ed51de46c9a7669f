# The options of every target: the language, the warnings, sanitizers, coverage, ccache.

option(VRAMLAB_BUILD_TESTS "Build the tests, the long random run and the benchmarks" ON)
option(VRAMLAB_WARNINGS_AS_ERRORS "Stop at the first compiler warning" ON)
option(VRAMLAB_COVERAGE "Count executed lines (gcov)" OFF)
option(VRAMLAB_BUILD_FUZZERS "Build the fuzz targets; needs clang" OFF)
set(VRAMLAB_SANITIZE "" CACHE STRING "Sanitizers to build with: address,undefined or thread")

get_property(vramlab_multi_config GLOBAL PROPERTY GENERATOR_IS_MULTI_CONFIG)
if(NOT CMAKE_BUILD_TYPE AND NOT vramlab_multi_config)
  set(CMAKE_BUILD_TYPE Release CACHE STRING "Release, Debug or RelWithDebInfo" FORCE)
endif()

set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_RUNTIME_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}")

find_program(VRAMLAB_CCACHE ccache)
if(VRAMLAB_CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  # The two allowances let it cache sources that use a precompiled header.
  set(CMAKE_CXX_COMPILER_LAUNCHER ${CMAKE_COMMAND} -E env
      CCACHE_SLOPPINESS=pch_defines,time_macros "${VRAMLAB_CCACHE}")
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    add_compile_options(-fpch-preprocess)
  endif()
endif()

if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  # By default this compiler collects garbage from 128 MiB on, which takes a tenth of its time.
  add_compile_options("SHELL:--param ggc-min-heapsize=524288")
endif()

add_library(vramlab_build_options INTERFACE)
target_include_directories(vramlab_build_options INTERFACE "${PROJECT_SOURCE_DIR}")
target_compile_options(vramlab_build_options INTERFACE
  -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wnon-virtual-dtor -Woverloaded-virtual
  -Wold-style-cast -Wcast-qual -Wimplicit-fallthrough
  $<$<BOOL:${VRAMLAB_WARNINGS_AS_ERRORS}>:-Werror>)
# A library that is loaded into other programs drops what it does not use, although it was compiled
# together with what it does.
target_compile_options(vramlab_build_options INTERFACE -ffunction-sections -fdata-sections)

# A processor with one instruction for a product and a sum rounds once in place of twice, and figures
# would differ from those of other processors. Others keep the command line that their caches know.
include(CheckCXXSourceCompiles)
check_cxx_source_compiles("
  #if !defined __FMA__ && !defined __ARM_FEATURE_FMA
  #error no such instruction
  #endif
  int main() {}" VRAMLAB_PROCESSOR_FUSES)
if(VRAMLAB_PROCESSOR_FUSES)
  target_compile_options(vramlab_build_options INTERFACE -ffp-contract=off)
endif()

if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
  # This compiler warns about overlapping copies inside its own std::string where there are none.
  target_compile_options(vramlab_build_options INTERFACE -Wno-restrict)
endif()

if(CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
  # A name of one source that a parameter of another has too only meets it where sources are compiled
  # together (VRAMLAB_UNITY). GNU's compiler keeps the warning.
  target_compile_options(vramlab_build_options INTERFACE -Wno-shadow)
  # GNU's library uses functions of its own that it calls deprecated, in std::stable_sort for example.
  target_compile_options(vramlab_build_options INTERFACE -Wno-deprecated-declarations)
endif()

if(VRAMLAB_SANITIZE)
  target_compile_options(vramlab_build_options INTERFACE
    -fsanitize=${VRAMLAB_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer)
  target_link_options(vramlab_build_options INTERFACE -fsanitize=${VRAMLAB_SANITIZE})
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    # With the checks woven in, this compiler's warnings that follow values see mistakes that are
    # none. The builds without sanitizers keep them.
    target_compile_options(vramlab_build_options INTERFACE
      -Wno-maybe-uninitialized -Wno-array-bounds -Wno-stringop-overflow -Wno-stringop-overread
      -Wno-nonnull)
  endif()
endif()

if(VRAMLAB_COVERAGE)
  target_compile_options(vramlab_build_options INTERFACE --coverage -fprofile-update=atomic)
  target_link_options(vramlab_build_options INTERFACE --coverage)
endif()
