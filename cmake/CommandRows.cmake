# vramlab_collect_commands(<target> <room>... [WITHOUT <command>...]): every source NAME_command of the rooms and of those
# below them defines `Command NAME_command()` (tools/cli/kit/commands.h). Adds a source to the target that
# lists what these functions give, by name.
function(vramlab_collect_commands target)
  cmake_parse_arguments(ARG "" "" "WITHOUT" ${ARGN})
  vramlab_room_sources(sources ${ARG_UNPARSED_ARGUMENTS})
  list(FILTER sources INCLUDE REGEX "_command[.]cpp$")
  foreach(command IN LISTS ARG_WITHOUT)
    list(FILTER sources EXCLUDE REGEX "/${command}_command[.]cpp$")
  endforeach()
  set(declarations "")
  set(rows "")
  foreach(source IN LISTS sources)
    cmake_path(GET source STEM function)
    string(APPEND declarations "Command ${function}();\n")
    list(APPEND rows "${function}()")
  endforeach()
  list(SORT rows)
  list(JOIN rows ",\n          " rows)
  set(file "${PROJECT_BINARY_DIR}/generated/${target}_commands")
  file(CONFIGURE OUTPUT "${file}.cpp" @ONLY CONTENT "\
#include \"tools/cli/kit/commands.h\"

namespace vramlab::tools {
@declarations@
std::vector<Command> all_commands() {
  return {@rows@};
}
}  // namespace vramlab::tools
")
  target_sources(${target} PRIVATE "${file}.cpp")
endfunction()
