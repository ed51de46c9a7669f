# A build from nothing spends its time on reading headers. So the sources of a room are compiled
# together, and headers that nearly all sources use are read once for each library.

option(VRAMLAB_UNITY "Compile the sources of a room together: fast from nothing, slower after a \
change of one file" ON)

# The headers that nearly all sources include.
set(vramlab_standard_headers <algorithm> <array> <charconv> <cstdint> <functional> <map> <memory>
    <optional> <set> <span> <string> <string_view> <unordered_map> <utility> <variant> <vector>)

# vramlab_build_fast(<target> [TOGETHER <room>...] [HEADERS <header>... | LIKE <target>]) makes one
# source of all sources in a folder, and one of all below each room named behind TOGETHER. What is
# generated, or has options of its own, is compiled alone. HEADERS are precompiled; LIKE takes those
# of a target with the same options. No source may rely on them: tools/dev/check.sh lint compiles each
# alone.
function(vramlab_build_fast target)
  cmake_parse_arguments(PARSE_ARGV 1 ARG "" "LIKE" "TOGETHER;HEADERS")
  get_target_property(type ${target} TYPE)
  if(NOT VRAMLAB_UNITY OR type STREQUAL "INTERFACE_LIBRARY")
    return()
  endif()
  get_target_property(sources ${target} SOURCES)
  foreach(source ${sources})
    vramlab_group_of("${source}" group ${ARG_TOGETHER})
    if(group)
      set_property(SOURCE "${source}" PROPERTY UNITY_GROUP "${group}")
    endif()
  endforeach()
  set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_MODE GROUP)
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND (ARG_LIKE OR ARG_HEADERS))
    # From a precompiled header this compiler warns about copies inside its own std::string where
    # there is nothing to warn about. Builds with VRAMLAB_UNITY=OFF keep these warnings.
    target_compile_options(${target} PRIVATE -Wno-array-bounds -Wno-stringop-overflow
                                             -Wno-stringop-overread)
  endif()
  if(EMSCRIPTEN)
    # Its targets are compiled with different options, which a precompiled header can't be.
    return()
  endif()
  if(ARG_LIKE)
    target_precompile_headers(${target} REUSE_FROM ${ARG_LIKE})
  elseif(ARG_HEADERS)
    target_precompile_headers(${target} PRIVATE ${ARG_HEADERS})
  endif()
endfunction()

# The room of a source, as a name; empty for what is generated.
function(vramlab_group_of source result)
  cmake_path(GET source PARENT_PATH room)
  cmake_path(IS_PREFIX PROJECT_BINARY_DIR "${room}" is_generated)
  if(is_generated)
    set(${result} "" PARENT_SCOPE)
    return()
  endif()
  cmake_path(RELATIVE_PATH room BASE_DIRECTORY "${PROJECT_SOURCE_DIR}")
  foreach(together IN LISTS ARGN)
    cmake_path(IS_PREFIX together "${room}" is_below)
    if(is_below)
      set(room "${together}")
    endif()
  endforeach()
  string(REPLACE "/" "_" room "${room}")
  set(${result} "${room}" PARENT_SCOPE)
endfunction()
