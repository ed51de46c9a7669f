// A text between the quotes of a JSON string.
#pragma once

#include <string_view>

#include "traces/byte_sink.h"

namespace vramlab::traces {

/// Half a pair of surrogates, which Python allows in its texts, becomes an escape; any other byte
/// that is no UTF-8 becomes the replacement character.
void add_json_letters(std::string_view text, ByteCollector& bytes);

}  // namespace vramlab::traces
