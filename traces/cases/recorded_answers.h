// What the reference answered, out of a recorded case's file. For the readers in this room only.
#pragma once

#include "traces/cases/recorded_case.h"
#include "traces/json/json_value.h"

namespace vramlab::traces {

/// From the object `expect`. The program says which keys must be there.
RecordedAnswers read_recorded_answers(const JsonValue& expect, const RecordedProgram& program);

/// A whole document; any_case.cpp has looked at it already.
RecordedCase parse_recorded_case(const JsonValue& top);

}  // namespace vramlab::traces
