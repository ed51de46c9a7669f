# vramlab_embed_file(<target> <file> <function>) puts the file's bytes into the target, as what the
# function of namespace vramlab::tools gives. Written anew where the file is newer.
function(vramlab_embed_file target file function)
  set(source "${PROJECT_BINARY_DIR}/generated/${function}.cpp")
  # Two programs of one build may have the same file in them.
  get_property(is_written SOURCE "${source}" PROPERTY GENERATED)
  if(NOT is_written)
    add_custom_command(
      OUTPUT "${source}"
      COMMAND ${CMAKE_COMMAND} "-DINPUT=${file}" "-DOUTPUT=${source}" "-DFUNCTION=${function}"
              -P "${PROJECT_SOURCE_DIR}/cmake/WriteEmbeddedFile.cmake"
      DEPENDS "${file}" "${PROJECT_SOURCE_DIR}/cmake/WriteEmbeddedFile.cmake"
      VERBATIM)
  endif()
  target_sources(${target} PRIVATE "${source}")
endfunction()
