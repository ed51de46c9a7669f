// Whether bytes are UTF-8 as everybody reads it: no surrogates, nothing spelled longer than need
// be.
#pragma once

#include <string>
#include <string_view>

namespace vramlab::traces {

bool is_utf8(std::string_view text);

/// The text itself, with the replacement character for each byte that is no UTF-8.
std::string as_utf8(std::string_view text);

}  // namespace vramlab::traces
