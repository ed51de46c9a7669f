// SnapshotSink: who takes what a reader of a memory snapshot finds, one finished value at a time
// and in the order of the file. Every format feeds the same sink; what the ids in the values mean
// is in the SnapshotTables that the reader was given.
//
// Promises of a reader: `section` comes before what is in it, `device_trace` before the entries of
// that device. A value is gone when the call returns. Sections come in any order, each at most
// once.
#pragma once

#include <cstdint>
#include <optional>

#include "traces/model/snapshot_values.h"

namespace vramlab::traces {

enum class SnapshotSection : std::uint8_t {
  segments,
  device_traces,
  allocator_settings,
  external_annotations,
};

/// The key of the top level under which a section stands.
constexpr KnownText key_of(SnapshotSection section) {
  return static_cast<KnownText>(static_cast<std::uint32_t>(KnownText::segments) +
                                static_cast<std::uint32_t>(section));
}
static_assert(key_of(SnapshotSection::external_annotations) == KnownText::external_annotations);

/// The section that stands under a key; null for every other key.
constexpr std::optional<SnapshotSection> section_of(TextId key) {
  const std::uint32_t number = key.value - static_cast<std::uint32_t>(KnownText::segments);
  if (number > static_cast<std::uint32_t>(SnapshotSection::external_annotations)) return {};
  return static_cast<SnapshotSection>(number);
}

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
