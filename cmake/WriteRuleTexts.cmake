# Run by vramlab_embed_rule_texts: writes OUTPUT from PAGE and the headers in FOLDER.
file(READ "${PAGE}" page)
file(GLOB headers "${FOLDER}/*.h" "${FOLDER}/policy/*.h")
set(rules)
foreach(header IN LISTS headers)
  file(READ "${header}" text)
  string(REGEX MATCHALL "(acted\\(|Rule){[0-9]+, [0-9]+}" found "${text}")
  list(APPEND rules ${found})
endforeach()
list(TRANSFORM rules REPLACE "[^0-9]*([0-9]+), ([0-9]+)}" "\\1.\\2")
list(REMOVE_DUPLICATES rules)
list(SORT rules COMPARE NATURAL)
set(rows)
foreach(rule IN LISTS rules)
  string(REPLACE "." "\\." pattern "${rule}")
  if(NOT page MATCHES "\n\\| ${pattern} \\| ([^|]*) \\|")
    message(FATAL_ERROR "docs/reference/fidelity.md has no row of rule ${rule} of allocator/")
  endif()
  string(REPLACE "." ", " numbers "${rule}")
  string(APPEND rows "    {{${numbers}}, R\"rule(${CMAKE_MATCH_1})rule\"},\n")
endforeach()
file(WRITE "${OUTPUT}"
"#include \"tools/cli/commands/steps/rule_texts.h\"

namespace vramlab::tools {
namespace {
constexpr RuleText texts[] = {
${rows}};
}
std::span<const RuleText> rule_texts() { return texts; }
}  // namespace vramlab::tools
")
