// Whether bytes are UTF-8 as everybody reads it: no surrogates, nothing spelled longer than need
// be.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace vramlab::traces {

/// One character of more than one byte, or a surrogate spelled like one. 0 bytes long if it is
/// neither.
struct WideLetter {
  std::uint32_t code = 0;
  std::size_t byte_count = 0;
  bool is_surrogate() const { return code >= 0xD800 && code <= 0xDFFF; }
};
/// Requires: the text is not empty.
WideLetter wide_letter_at(std::string_view text);

bool is_utf8(std::string_view text);

/// The text itself, with the replacement character for each byte that is no UTF-8.
std::string as_utf8(std::string_view text);

}  // namespace vramlab::traces
