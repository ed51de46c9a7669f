// The parts of a recorded case's file: its calls, and its answers. For recorded_case.cpp only.
#pragma once

#include "traces/cases/recorded_case.h"
#include "traces/json/json_value.h"

namespace vramlab::traces {

/// From the array `ops`.
void read_recorded_calls(const JsonValue& ops, RecordedProgram& program);

/// From the object `expect`. The program says which keys must be there.
RecordedAnswers read_recorded_answers(const JsonValue& expect, const RecordedProgram& program);

}  // namespace vramlab::traces
