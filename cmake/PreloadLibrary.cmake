# VRAMLAB_NO_PRELOAD_REASON   why libvramlab_preload.so is not built; empty where it is
set(VRAMLAB_NO_PRELOAD_REASON "")
if(NOT CMAKE_SYSTEM_NAME STREQUAL "Linux" OR NOT CMAKE_SYSTEM_PROCESSOR MATCHES
       "^(x86_64|AMD64|aarch64|arm64)$")
  set(VRAMLAB_NO_PRELOAD_REASON "it is written for Linux on x86-64 and 64-bit ARM")
elseif(VRAMLAB_SANITIZE OR VRAMLAB_COVERAGE)
  # Their runtimes would have to be in every program that it is loaded into.
  set(VRAMLAB_NO_PRELOAD_REASON "not with sanitizers or coverage")
endif()

if(VRAMLAB_NO_PRELOAD_REASON)
  message(STATUS "Preload library NOT BUILT: ${VRAMLAB_NO_PRELOAD_REASON}")
else()
  add_subdirectory("${PROJECT_SOURCE_DIR}/tools/preload")
endif()

target_compile_definitions(vramlab PRIVATE
                           VRAMLAB_NO_PRELOAD_REASON="${VRAMLAB_NO_PRELOAD_REASON}")
if(TARGET vramlab_preload)
  add_dependencies(vramlab vramlab_preload)
  # Beside the stand-ins `vramlab dry-run` puts these into a program's environment.
  add_subdirectory("${PROJECT_SOURCE_DIR}/tools/cuda_standins/python")
  add_subdirectory("${PROJECT_SOURCE_DIR}/tools/cuda_standins/smi")
  add_dependencies(vramlab vramlab_dry_run)
endif()
