# Run in the build: writes OUTPUT, a source with all functions that INPUT (driver_functions.txt)
# knows, by name, version and stream variant.
file(STRINGS "${INPUT}" lines REGEX "^cu")
set(entries "")
foreach(line IN LISTS lines)
  string(REPLACE " " ";" versions "${line}")
  list(POP_FRONT versions name)
  foreach(version IN LISTS versions)
    set(variant plain)
    if(version MATCHES "_(ptsz|ptds)$")
      set(variant per_thread)
    endif()
    string(REGEX MATCH "^[0-9]+" version "${version}")
    list(APPEND entries "    {\"${name}\", ${version}, StreamVariant::${variant}},")
  endforeach()
endforeach()
list(JOIN entries "\n" entries)
file(WRITE "${OUTPUT}"
"#include \"tools/dry_run/driver/driver_functions.h\"

namespace vramlab::dry_run {

std::span<const DriverFunction> driver_functions() {
  static const DriverFunction functions[] = {
${entries}
  };
  return functions;
}

}  // namespace vramlab::dry_run
")
