# vramlab_runs_on_old_systems(<target> [OWN_DLSYM | ONLY_DLSYM] [THROWS])   needs nothing newer than glibc 2.31
#
# The C++ runtime is linked in, and what is newer in the C library is served by tools/packaging/old_libc.
# OWN_DLSYM: the target defines dlsym itself. ONLY_DLSYM: it uses nothing else that is newer. THROWS:
# through frames of its callers, with whom it must share what unwinds stacks. On other platforms than
# x86-64 and 64-bit ARM, with sanitizers (which bring their own versions of these functions) and without
# GNU's C library it does nothing.
set(VRAMLAB_RUNS_ON_OLD_SYSTEMS OFF)
string(REGEX REPLACE "^AMD64$" "x86_64" vramlab_processor "${CMAKE_SYSTEM_PROCESSOR}")
if(CMAKE_SYSTEM_NAME STREQUAL "Linux" AND vramlab_processor MATCHES "^(x86_64|aarch64)$"
   AND NOT VRAMLAB_SANITIZE AND NOT VRAMLAB_COVERAGE
   AND EXISTS "${CMAKE_SYSROOT}/lib/${vramlab_processor}-linux-gnu/libpthread.so.0")
  set(VRAMLAB_RUNS_ON_OLD_SYSTEMS ON)
  foreach(room functions dlsym start)
    vramlab_room_sources(sources "tools/packaging/old_libc/${room}")
    add_library(vramlab_old_${room} OBJECT ${sources})
    target_link_libraries(vramlab_old_${room} PRIVATE vramlab_build_options)
  endforeach()
endif()
# The platform of a wheel, as Python's installers call it.
string(TOLOWER "${CMAKE_SYSTEM_NAME}_${vramlab_processor}" platform)
if(VRAMLAB_RUNS_ON_OLD_SYSTEMS)
  string(REPLACE "linux_" "manylinux_2_31_" platform "${platform}")
endif()
file(WRITE "${PROJECT_BINARY_DIR}/wheel-platform" "${platform}\n")

function(vramlab_runs_on_old_systems target)
  if(NOT VRAMLAB_RUNS_ON_OLD_SYSTEMS)
    return()
  endif()
  cmake_parse_arguments(PARSE_ARGV 1 ARG "OWN_DLSYM;ONLY_DLSYM;THROWS" "" "")
  if(NOT ARG_ONLY_DLSYM)
    target_sources(${target} PRIVATE $<TARGET_OBJECTS:vramlab_old_functions>)
  endif()
  if(NOT ARG_OWN_DLSYM)
    target_sources(${target} PRIVATE $<TARGET_OBJECTS:vramlab_old_dlsym>)
  endif()
  get_target_property(type ${target} TYPE)
  if(type STREQUAL "EXECUTABLE")
    target_sources(${target} PRIVATE $<TARGET_OBJECTS:vramlab_old_start>)
  endif()
  # There the old versions are in libraries of their own, which the newer system has as empty ones.
  target_link_libraries(${target} PRIVATE "-Wl,--push-state,--no-as-needed"
                        -l:libpthread.so.0 -l:libdl.so.2 "-Wl,--pop-state")
  target_link_options(${target} PRIVATE -static-libstdc++)
  if(ARG_THROWS)
    target_link_options(${target} PRIVATE -shared-libgcc)
  else()
    target_link_options(${target} PRIVATE -static-libgcc)
  endif()
endfunction()
