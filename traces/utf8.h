// Whether bytes are UTF-8 as everybody reads it: no surrogates, nothing spelled longer than need
// be.
#pragma once

#include <string_view>

namespace vramlab::traces {

bool is_utf8(std::string_view text);

}  // namespace vramlab::traces
