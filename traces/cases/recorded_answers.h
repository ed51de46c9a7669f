// What the reference answered, out of a recorded case's file. For recorded_case.cpp only.
#pragma once

#include "traces/cases/recorded_case.h"
#include "traces/json/json_value.h"

namespace vramlab::traces {

/// From the object `expect`. The program says which keys must be there.
RecordedAnswers read_recorded_answers(const JsonValue& expect, const RecordedProgram& program);

}  // namespace vramlab::traces
