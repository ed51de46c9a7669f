# Run in the build: from INPUT, the names of all functions of a version of CUDA's runtime, writes MAP,
# the version script of LIBRARY, and SOURCE, a weak function for each name. What is written by hand
# takes its place when the library is linked.
file(STRINGS "${INPUT}" names REGEX "^[_a-z]")
set(globals "")
set(functions "")
foreach(name IN LISTS names)
  string(APPEND globals "    ${name};\n")
  string(APPEND functions "STAND_IN(${name})\n")
endforeach()
string(APPEND globals "    vramlab_dry_run_unknown_runtime_function;\n")
file(WRITE "${MAP}" "${LIBRARY} {\n  global:\n${globals}  local: *;\n};\n")
file(WRITE "${SOURCE}" "// Made in the build by exports.cmake.
#include \"tools/cuda_standins/runtime/errors.h\"

#define STAND_IN(name)                                                                     \\
  extern \"C\" __attribute__((weak, visibility(\"default\"))) int name() {                     \\
    static vramlab::dry_run::UnknownFunction function{#name};                              \\
    return vramlab::dry_run::call_unknown(function);                                       \\
  }

${functions}")
