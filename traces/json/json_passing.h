// Passing over values in JSON text: their grammar is checked, and nothing of them is kept. For
// readers of formats of which they need little.
#pragma once

#include <cstddef>

#include "traces/json/json_tokens.h"

namespace vramlab::traces {

inline constexpr std::size_t deepest_passed_value = 1000;

/// The value that begins where the tokens are, of any shape.
void pass_value(JsonTokens& tokens);

}  // namespace vramlab::traces
