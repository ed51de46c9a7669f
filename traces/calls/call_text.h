// Calls as text for people, in the words and the order of the recorded cases.
#pragma once

#include <string>

#include "traces/calls/call.h"

namespace vramlab::traces {

/// Such as `malloc, 5, 1000, 0`.
std::string call_text(const Call& call);

}  // namespace vramlab::traces
