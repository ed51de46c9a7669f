# Run in the build: writes OUTPUT, a source with all functions that INPUT (driver_functions.txt)
# knows: a table of them, and an answer for each that no source in SOURCES has by hand.
#
# The symbol of a name's first version is the name, that of its second ends in _v2, and so on; a
# variant for per-thread streams belongs to the latest version that is not newer.
cmake_minimum_required(VERSION 3.25)
file(STRINGS "${INPUT}" lines REGEX "^cu")

# What is written by hand.
set(written "")
file(GLOB sources "${SOURCES}/*.cpp")
foreach(source IN LISTS sources)
  file(STRINGS "${source}" calls REGEX "STAND_IN_(CALL|TWINS)\\(cu")
  foreach(call IN LISTS calls)
    string(REGEX MATCH "STAND_IN_(CALL|TWINS)\\((cu[A-Za-z0-9_]+)(, (_pt[ds][sz]))?" found "${call}")
    list(APPEND written "${CMAKE_MATCH_2}")
    if(CMAKE_MATCH_1 STREQUAL "TWINS")
      list(APPEND written "${CMAKE_MATCH_2}${CMAKE_MATCH_4}")
    endif()
  endforeach()
endforeach()

set(declarations "")
set(answers "")
set(entries "")
foreach(line IN LISTS lines)
  string(REPLACE " " ";" versions "${line}")
  list(POP_FRONT versions name)
  foreach(version IN LISTS versions)
    set(place 0)
    string(REGEX MATCH "^[0-9]+" number "${version}")
    foreach(other IN LISTS versions)
      if(other MATCHES "^[0-9]+$" AND other LESS_EQUAL number)
        math(EXPR place "${place} + 1")
      endif()
    endforeach()
    set(symbol "${name}")
    if(place GREATER 1)
      string(APPEND symbol "_v${place}")
    endif()
    set(variant plain)
    if(version MATCHES "(_(ptsz|ptds))$")
      set(variant per_thread)
      string(APPEND symbol "${CMAKE_MATCH_1}")
    endif()
    set(origin written)
    if(NOT symbol IN_LIST written)
      set(origin unknown)
      string(APPEND answers "STAND_IN_UNKNOWN(${symbol})\n")
    endif()
    string(APPEND declarations "extern \"C\" CUresult STAND_IN_SYMBOL(${symbol})();\n")
    string(APPEND entries "      {\"${name}\", \"${symbol}\", ${number}, StreamVariant::${variant}, Origin::${origin},\n"
                          "       reinterpret_cast<void*>(&STAND_IN_SYMBOL(${symbol}))},\n")
  endforeach()
endforeach()

# Addresses are all that is wanted of functions here, so they are declared without parameters.
file(WRITE "${OUTPUT}"
"#include \"tools/cuda_standins/driver/driver_functions.h\"
#include \"tools/cuda_standins/driver/driver_symbols.h\"
#include \"tools/cuda_standins/driver/unknown_function.h\"

${declarations}
#define STAND_IN_UNKNOWN(symbol)                                           \\
  STAND_IN_EXPORT CUresult STAND_IN_SYMBOL(symbol)() {                     \\
    return vramlab::dry_run::answer_unknown(#symbol);                      \\
  }
${answers}
namespace vramlab::dry_run {

std::span<const DriverFunction> driver_functions() {
  static const DriverFunction functions[] = {
${entries}  };
  return functions;
}

}  // namespace vramlab::dry_run
")
