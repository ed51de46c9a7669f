# The component `development`: headers, static libraries, a CMake package and pkg-config files, so
# that other programs link the allocator, the simulated devices and replays. Each library is
# vramlab::NAME in CMake and vramlab-NAME for pkg-config. Libraries of instrumented builds would need
# their options in every program, so these builds install none.
if(VRAMLAB_SANITIZE OR VRAMLAB_COVERAGE)
  return()
endif()
include(CMakePackageConfigHelpers)

set(package_place "${CMAKE_INSTALL_LIBDIR}/cmake/vramlab")
set(header_place "${CMAKE_INSTALL_INCLUDEDIR}/vramlab")
set(generated "${PROJECT_BINARY_DIR}/generated")

foreach(folder allocator streams traces replay)
  install(DIRECTORY "${PROJECT_SOURCE_DIR}/${folder}" DESTINATION "${header_place}" COMPONENT development
          FILES_MATCHING PATTERN "*.h" PATTERN samples EXCLUDE)
endforeach()
configure_file("${PROJECT_SOURCE_DIR}/cmake/vramlab_version.h.in" "${generated}/vramlab_version.h" @ONLY)
install(FILES "${generated}/vramlab_version.h" DESTINATION "${header_place}" COMPONENT development)

# vramlab_install_libraries(<part> <library>...): the part of the package with these libraries.
function(vramlab_install_libraries part)
  foreach(library IN LISTS ARGN)
    set_target_properties(vramlab_${library} PROPERTIES EXPORT_NAME ${library})
    target_compile_features(vramlab_${library} INTERFACE cxx_std_20)
  endforeach()
  list(TRANSFORM ARGN PREPEND vramlab_ OUTPUT_VARIABLE targets)
  install(TARGETS ${targets} EXPORT vramlab-${part} COMPONENT development
          ARCHIVE DESTINATION "${CMAKE_INSTALL_LIBDIR}" INCLUDES DESTINATION "${header_place}")
  install(EXPORT vramlab-${part} NAMESPACE vramlab:: DESTINATION "${package_place}" COMPONENT development)
endfunction()

vramlab_install_libraries(allocator allocator)
vramlab_install_libraries(streams streams)
vramlab_install_libraries(replay traces replaying replay)

configure_package_config_file("${PROJECT_SOURCE_DIR}/cmake/vramlab-config.cmake.in"
                              "${generated}/vramlab-config.cmake" INSTALL_DESTINATION "${package_place}"
                              NO_SET_AND_CHECK_MACRO)
# Below 1.0 a minor version may change what is stable.
write_basic_package_version_file("${generated}/vramlab-config-version.cmake" COMPATIBILITY SameMinorVersion)
install(FILES "${generated}/vramlab-config.cmake" "${generated}/vramlab-config-version.cmake"
              "${PROJECT_SOURCE_DIR}/cmake/FindZstd.cmake"
        DESTINATION "${package_place}" COMPONENT development)

# From the folder of a pkg-config file to the prefix, so that an installed folder may be moved.
file(RELATIVE_PATH prefix_place "/${CMAKE_INSTALL_LIBDIR}/pkgconfig" "/")
string(REGEX REPLACE "/$" "" prefix_place "${prefix_place}")
function(vramlab_install_pkg_config name description requires libraries)
  configure_file("${PROJECT_SOURCE_DIR}/cmake/vramlab.pc.in" "${generated}/vramlab-${name}.pc" @ONLY)
  install(FILES "${generated}/vramlab-${name}.pc" DESTINATION "${CMAKE_INSTALL_LIBDIR}/pkgconfig"
          COMPONENT development)
endfunction()
vramlab_install_pkg_config(allocator "PyTorch's CUDA caching allocator, simulated" "" "-lvramlab_allocator")
vramlab_install_pkg_config(streams "simulated GPUs for vramlab's allocator" "vramlab-allocator"
                           "-lvramlab_streams -ldl")
vramlab_install_pkg_config(replay "recordings of GPU memory, replayed" "vramlab-streams zlib libzstd"
                           "-lvramlab_replay -lvramlab_replaying -lvramlab_traces -pthread")

install(DIRECTORY "${PROJECT_SOURCE_DIR}/docs/examples" DESTINATION "${CMAKE_INSTALL_DOCDIR}"
        COMPONENT development)
