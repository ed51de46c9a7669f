# Libraries and programs are made of rooms: a room is a folder, written from the root, with all that
# is below it. No source is named here. Rooms without sources yield a library without code, so that
# headers alone need no special treatment.

# vramlab_room_sources(<result> <room>...) sets the result to the sources of the rooms.
function(vramlab_room_sources result)
  set(sources)
  foreach(room IN LISTS ARGN)
    file(GLOB_RECURSE found CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/${room}/*.cpp")
    list(APPEND sources ${found})
  endforeach()
  set(${result} ${sources} PARENT_SCOPE)
endfunction()

# vramlab_sources_in(<result> ROOMS <room>... SOURCES <file>...): the sources that lie in these rooms
# themselves, not below them.
function(vramlab_sources_in result)
  cmake_parse_arguments(PARSE_ARGV 1 ARG "" "" "ROOMS;SOURCES")
  set(kept)
  foreach(source IN LISTS ARG_SOURCES)
    cmake_path(GET source PARENT_PATH room)
    cmake_path(RELATIVE_PATH room BASE_DIRECTORY "${PROJECT_SOURCE_DIR}")
    if(room IN_LIST ARG_ROOMS)
      list(APPEND kept ${source})
    endif()
  endforeach()
  set(${result} ${kept} PARENT_SCOPE)
endfunction()

# vramlab_rooms_library(<name> [HIDDEN] ROOMS <room>... [WITHOUT <room>...] [USES <target>...]); rooms
# that are left out belong to another library. HIDDEN: not seen from outside of what it is linked
# into.
function(vramlab_rooms_library name)
  cmake_parse_arguments(PARSE_ARGV 1 ARG "HIDDEN" "" "ROOMS;WITHOUT;USES")
  vramlab_room_sources(sources ${ARG_ROOMS})
  vramlab_room_sources(others ${ARG_WITHOUT})
  list(REMOVE_ITEM sources ${others})
  set(hidden)
  if(ARG_HIDDEN)
    set(hidden HIDDEN)
  endif()
  vramlab_source_library(${name} ${hidden} SOURCES ${sources} USES ${ARG_USES})
endfunction()

# vramlab_source_library(<name> [HIDDEN] [CHEAP] SOURCES <file>... [USES <target>...]); CHEAP: compiled
# cheaply, as below.
function(vramlab_source_library name)
  cmake_parse_arguments(PARSE_ARGV 1 ARG "HIDDEN;CHEAP" "" "SOURCES;USES")
  if(NOT ARG_SOURCES)
    add_library(${name} INTERFACE)
    target_link_libraries(${name} INTERFACE ${ARG_USES})
    target_include_directories(${name} INTERFACE "$<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}>")
    return()
  endif()
  add_library(${name} STATIC ${ARG_SOURCES})
  target_link_libraries(${name} PUBLIC ${ARG_USES} PRIVATE $<BUILD_INTERFACE:vramlab_build_options>)
  target_include_directories(${name} PUBLIC "$<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}>")
  if(ARG_HIDDEN)
    set_target_properties(${name} PROPERTIES CXX_VISIBILITY_PRESET hidden
                          VISIBILITY_INLINES_HIDDEN ON)
    vramlab_build_fast(${name})
  elseif(ARG_CHEAP)
    vramlab_compile_cheaply(${name})
    vramlab_build_fast(${name})
  elseif(name MATCHES "^vramlab_(allocator|traces|replaying|replay)$")
    # Readers and replays are compiled with an option of their own, which precompiled headers decide.
    vramlab_build_fast(${name} HEADERS ${vramlab_standard_headers})
  else()
    vramlab_build_fast(${name} LIKE vramlab_allocator)
  endif()
endfunction()

# vramlab_program(<name> FOLDER <folder> [ROOMS <room>...] [USES <target>...]) makes a program of
# the folder's own sources (not of the folders below it) and of rooms. Without sources there is none.
function(vramlab_program name)
  cmake_parse_arguments(PARSE_ARGV 1 ARG "" "FOLDER" "ROOMS;USES")
  file(GLOB sources CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/${ARG_FOLDER}/*.cpp")
  vramlab_room_sources(room_sources ${ARG_ROOMS})
  if(sources)
    add_executable(${name} ${sources} ${room_sources})
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
