# The libraries of others. WebAssembly takes them from the system that tools/web/page/make_root.sh makes,
# all other builds from the system they run on.
if(EMSCRIPTEN)
  foreach(library nlohmann_json::nlohmann_json CLI11::CLI11)
    add_library(${library} INTERFACE IMPORTED)
    target_include_directories(${library} SYSTEM INTERFACE /vramlab/include)
  endforeach()
  foreach(library z zstd)
    add_library(page_${library} STATIC IMPORTED)
    set_target_properties(page_${library} PROPERTIES
      IMPORTED_LOCATION "/vramlab/lib/lib${library}.a"
      INTERFACE_INCLUDE_DIRECTORIES /vramlab/include)
  endforeach()
  add_library(ZLIB::ZLIB ALIAS page_z)
  add_library(Zstd::Zstd ALIAS page_zstd)
  add_library(Threads::Threads INTERFACE IMPORTED)
  return()
endif()

find_package(nlohmann_json 3.10 REQUIRED)
find_package(spdlog REQUIRED)
find_package(CLI11 REQUIRED)
# Linked in where the system has them in that form, so that the program needs neither.
set(ZLIB_USE_STATIC_LIBS ON)
find_package(ZLIB QUIET)
if(NOT ZLIB_FOUND)
  set(ZLIB_USE_STATIC_LIBS OFF)
  find_package(ZLIB REQUIRED)
endif()
find_package(Zstd REQUIRED)
find_package(Threads REQUIRED)
