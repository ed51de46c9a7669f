// Events of the binary form and the values they stand for. A decoder believes nothing: an event is
// asked what is wrong with it before it is decoded.
#pragma once

#include <optional>

#include "traces/model/program_event.h"
#include "traces/native/native_layout.h"
#include "traces/native/native_record_reader.h"

namespace vramlab::traces {

/// What an event refers to, by the numbers of the lines.
struct EventNumbers {
  std::uint32_t stack = 0;
  /// The text or the shape.
  std::uint32_t detail = 0;
};

NativeEvent encode(const ProgramEvent& event, EventNumbers numbers);
NativeEvent encode(DeviceIndex device, const TraceEntry& entry, EventNumbers numbers);

/// Says what is wrong, or null. The reader has read the lines before the event.
const char* fault_of(const NativeEvent& event, const NativeRecordReader& reader);

// Requires: nothing is wrong with the event.
ProgramEvent decode_program_event(const NativeEvent& event, const NativeValueReader& values);
TraceEntry decode_entry(const NativeEvent& event, const NativeValueReader& values);

}  // namespace vramlab::traces
