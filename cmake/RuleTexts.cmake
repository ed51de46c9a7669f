# vramlab_embed_rule_texts(<target>) gives the target the function of
# tools/cli/commands/steps/rule_texts.h: the rules that allocator/listeners/rules.h names, with the
# texts that docs/reference/fidelity.md has for them. A rule without a row there is an error, and so is a rule
# that nothing in allocator/ announces.
function(vramlab_embed_rule_texts target)
  set(function rule_texts)
  set(source "${PROJECT_BINARY_DIR}/generated/${function}.cpp")
  set(page "${PROJECT_SOURCE_DIR}/docs/reference/fidelity.md")
  set(rules "${PROJECT_SOURCE_DIR}/allocator/listeners/rules.h")
  set(script "${PROJECT_SOURCE_DIR}/cmake/WriteRuleTexts.cmake")
  file(GLOB headers CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/allocator/*.h"
       "${PROJECT_SOURCE_DIR}/allocator/policy/*.h")
  # As in EmbeddedFile.
  get_property(is_written SOURCE "${source}" PROPERTY GENERATED)
  if(NOT is_written)
    add_custom_command(
      OUTPUT "${source}"
      COMMAND ${CMAKE_COMMAND} "-DPAGE=${page}" "-DRULES=${rules}"
              "-DFOLDER=${PROJECT_SOURCE_DIR}/allocator" "-DOUTPUT=${source}" -P "${script}"
      DEPENDS "${page}" "${script}" "${rules}" ${headers}
      VERBATIM)
  endif()
  target_sources(${target} PRIVATE "${source}")
endfunction()
