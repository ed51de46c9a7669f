// Reading a case of the option parser; for any_case.cpp only.
#pragma once

#include "traces/cases/option_case.h"
#include "traces/json/json_value.h"

namespace vramlab::traces {

OptionCase parse_option_case(const JsonValue& top, const std::string& file);

}  // namespace vramlab::traces
