# Run in the build: writes OUTPUT, a source with all functions that INPUT (cudaTypedefs.h) has types
# for, by name, version and stream variant.
file(STRINGS "${INPUT}" lines REGEX "PFN_cu[A-Za-z0-9]+_v[0-9]+")
set(entries "")
foreach(line IN LISTS lines)
  if(line MATCHES "PFN_(cu[A-Za-z0-9]+)_v([0-9]+)(_ptsz|_ptds)?\\)")
    set(variant plain)
    if(CMAKE_MATCH_3)
      set(variant per_thread)
    endif()
    list(APPEND entries "    {\"${CMAKE_MATCH_1}\", ${CMAKE_MATCH_2}, StreamVariant::${variant}},")
  endif()
endforeach()
list(REMOVE_DUPLICATES entries)
list(JOIN entries "\n" entries)
file(WRITE "${OUTPUT}"
"#include \"tests/fake_cuda/engine/driver_functions.h\"

namespace vramlab::fake {

std::span<const DriverFunction> driver_functions() {
  static const DriverFunction functions[] = {
${entries}
  };
  return functions;
}

}  // namespace vramlab::fake
")
