# Run by vramlab_embed_rule_texts: writes OUTPUT from the rows of PAGE for the named rules of RULES.
# A rule without a row is an error, and so is a name that no header in FOLDER announces.
cmake_minimum_required(VERSION 3.25)

file(READ "${PAGE}" page)
file(READ "${RULES}" text)
string(REGEX MATCHALL "constexpr Rule [a-z0-9_]+{[0-9]+, [0-9]+}" rules "${text}")
if(NOT rules)
  message(FATAL_ERROR "${RULES} names no rule, such as: constexpr Rule NAME{SECTION, NUMBER}")
endif()

file(GLOB headers "${FOLDER}/*.h" "${FOLDER}/policy/*.h")
set(announced)
foreach(header IN LISTS headers)
  file(READ "${header}" text)
  string(REGEX MATCHALL "rules::[a-z0-9_]+" found "${text}")
  list(APPEND announced ${found})
endforeach()

set(rows)
foreach(rule IN LISTS rules)
  string(REGEX MATCH "Rule ([a-z0-9_]+){([0-9]+), ([0-9]+)}" matched "${rule}")
  set(name "${CMAKE_MATCH_1}")
  set(numbers "${CMAKE_MATCH_2}, ${CMAKE_MATCH_3}")
  set(place "${CMAKE_MATCH_2}.${CMAKE_MATCH_3}")
  if(NOT "rules::${name}" IN_LIST announced)
    message(FATAL_ERROR "no header of allocator/ announces rules::${name} (${place})")
  endif()
  if(NOT page MATCHES "\n\\| ${CMAKE_MATCH_2}\\.${CMAKE_MATCH_3} \\| ([^|]*) \\|")
    message(FATAL_ERROR "${PAGE} has no row ${place}, which allocator/ announces as rules::${name}")
  endif()
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
