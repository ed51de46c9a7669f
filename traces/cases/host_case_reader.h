// Reading a case of pinned memory; for any_case.cpp only.
#pragma once

#include "traces/cases/host_case.h"
#include "traces/json/json_value.h"

namespace vramlab::traces {

HostCase parse_host_case(const JsonValue& top);
// host_answers.cpp
void read_host_answers(const JsonValue& expect, HostCase& recorded);

}  // namespace vramlab::traces
