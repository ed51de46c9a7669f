// SnapshotSink: who takes what a reader of a memory snapshot finds, one finished value at a time
// and in the order of the file. Every format feeds the same sink; what the ids in the values mean
// is in the SnapshotTables that the reader was given.
//
// Promises of a reader: `section` comes before what is in it, `device_trace` before the entries of
// that device. A value is gone when the call returns. Sections come in any order, each at most
// once.
#pragma once

#include <cstdint>

#include "traces/values/snapshot_values.h"

namespace vramlab::traces {

enum class SnapshotSection : std::uint8_t {
  segments,
  device_traces,
  allocator_settings,
  external_annotations,
};

/// A device's place in the list of traces.
struct DeviceIndex {
  std::uint32_t value = 0;
  friend constexpr auto operator<=>(DeviceIndex, DeviceIndex) = default;
};

class SnapshotSink {
 public:
  SnapshotSink() = default;
  SnapshotSink(const SnapshotSink&) = delete;
  SnapshotSink& operator=(const SnapshotSink&) = delete;
  virtual ~SnapshotSink() = default;

  /// The file is a mere list of segments, not a dict of sections.
  virtual void bare_list() {}
  virtual void section(SnapshotSection) {}
  virtual void segment(const SegmentValue&) {}
  /// Also of a device without entries.
  virtual void device_trace(DeviceIndex) {}
  virtual void trace_entry(DeviceIndex, const TraceEntry&) {}
  /// All settings at once, a dict.
  virtual void settings(const GenericPointer&) {}
  virtual void annotation(const AnnotationValue&) {}
  /// A key of the top level that is none of the sections, with its value.
  virtual void unknown_section(TextId, const GenericPointer&) {}
};

}  // namespace vramlab::traces
