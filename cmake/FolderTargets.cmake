# A folder is one library, a program is one folder of sources. A folder without sources yields a
# library without code, so that a folder of headers alone needs no special treatment.

# vramlab_folder_library(<folder> [WITHOUT <file>...] [USES <target>...]) makes the library
# vramlab_<folder>; the files left out belong to another.
function(vramlab_folder_library folder)
  cmake_parse_arguments(PARSE_ARGV 1 ARG "" "" "WITHOUT;USES")
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/${folder}/*.cpp")
  # What needs the CUDA Toolkit's headers is a library of its own (CMakeLists.txt).
  list(FILTER sources EXCLUDE REGEX "/streams/live/")
  list(TRANSFORM ARG_WITHOUT PREPEND "${PROJECT_SOURCE_DIR}/")
  list(REMOVE_ITEM sources ${ARG_WITHOUT})
  vramlab_source_library(vramlab_${folder} SOURCES ${sources} USES ${ARG_USES})
endfunction()

# vramlab_source_library(<name> SOURCES <file>... [USES <target>...])
function(vramlab_source_library name)
  cmake_parse_arguments(PARSE_ARGV 1 ARG "" "" "SOURCES;USES")
  if(ARG_SOURCES)
    add_library(${name} STATIC ${ARG_SOURCES})
    target_link_libraries(${name} PUBLIC ${ARG_USES} PRIVATE vramlab_build_options)
    target_include_directories(${name} PUBLIC "${PROJECT_SOURCE_DIR}")
  else()
    add_library(${name} INTERFACE)
    target_link_libraries(${name} INTERFACE ${ARG_USES})
    target_include_directories(${name} INTERFACE "${PROJECT_SOURCE_DIR}")
  endif()
endfunction()

# vramlab_program(<name> FOLDER <folder> [USES <target>...]) makes a program of the folder's
# own sources (not of the folders below it). Without sources there is no program.
function(vramlab_program name)
  cmake_parse_arguments(PARSE_ARGV 1 ARG "" "FOLDER" "USES")
  file(GLOB sources CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/${ARG_FOLDER}/*.cpp")
  if(sources)
    add_executable(${name} ${sources})
    target_link_libraries(${name} PRIVATE ${ARG_USES} vramlab_build_options)
  endif()
endfunction()

# vramlab_compile_cheaply(<target>) for sources that run for moments but are many or large: what
# they call in the libraries stays fully optimised, and checked for undefined behaviour where the
# build does that.
function(vramlab_compile_cheaply target)
  target_compile_options(${target} PRIVATE $<$<CONFIG:Release>:-O0>)
  if(VRAMLAB_SANITIZE)
    target_compile_options(${target} PRIVATE -O0 -fno-sanitize=undefined)
  endif()
endfunction()
