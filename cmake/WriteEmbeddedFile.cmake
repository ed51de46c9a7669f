# Run by vramlab_embed_file: writes OUTPUT, a source file whose FUNCTION gives the bytes of INPUT.
file(READ "${INPUT}" hex HEX)
string(REGEX REPLACE "(..)" "'\\\\x\\1'," bytes "${hex}")
file(WRITE "${OUTPUT}"
"#include <string_view>

namespace vramlab::tools {
namespace {
constexpr char bytes[] = {${bytes}};
}
std::string_view ${FUNCTION}();
std::string_view ${FUNCTION}() { return {bytes, sizeof bytes}; }
}  // namespace vramlab::tools
")
