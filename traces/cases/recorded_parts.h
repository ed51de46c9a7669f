// The parts of a recorded case's file: its calls, and its answers. For recorded_case.cpp only.
#pragma once

#include "traces/cases/recorded_case.h"
#include "traces/json/json_value.h"

namespace vramlab::traces {

/// From the array `ops`.
std::vector<Call> read_recorded_calls(const JsonValue& ops);

/// From the object `expect`. The program says which keys must be there.
RecordedAnswers read_recorded_answers(const JsonValue& expect, const RecordedProgram& program);

/// From an array of segments.
allocator::Snapshot read_recorded_snapshot(const JsonValue& segments);

}  // namespace vramlab::traces
