// Sinks that hand everything on with names in place of what tells whose program it was: functions,
// paths, annotations, metadata, and all texts under unknown keys. The same text gets the same name
// everywhere. Sizes, times, addresses, line numbers, settings, and keys that are identifiers stay.
// Frames of PyTorch itself keep function and file, without the folders before it.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "traces/filters/record_filter.h"
#include "traces/values/snapshot_tables.h"

namespace vramlab::traces {

/// Which name stands for what.
class Pseudonyms {
 public:
  enum class Kind : std::uint8_t { function, file, metadata, annotation, text };

  /// The tables are those that the ids are of; the names come into them too.
  explicit Pseudonyms(SnapshotTables& tables) : tables_(tables) {}

  /// What says nothing stays: the known texts, `??`, `N/A` and the marker of a failed request.
  TextId name_for(TextId text, Kind kind);
  StackId name_frames(StackId stack);
  /// The key of an unknown field: an identifier stays.
  TextId name_key(TextId key);
  void name_fields(std::vector<UnknownField>& fields);
  GenericPointer name_value(const GenericPointer& value);

 private:
  FrameId name_frame(FrameId id);
  GenericValue named_parts(const GenericValue& value);
  std::string new_name(TextId text, Kind kind);

  SnapshotTables& tables_;
  std::map<std::pair<Kind, TextId>, TextId> texts_;
  std::map<Kind, std::uint64_t> counts_;
  std::map<FrameId, FrameId> frames_;
  std::map<StackId, StackId> stacks_;
  /// What was seen is kept, so that no other value gets its address. Looked up only.
  struct Named {
    GenericPointer old_value;
    GenericPointer new_value;
  };
  std::unordered_map<const GenericValue*, Named> values_;
};

class AnonymizedRecording : public PassingSinks {
 public:
  /// The names must live as long.
  AnonymizedRecording(Pseudonyms& names, NativeSinks next) : PassingSinks(next), names_(names) {}

  void segment(const SegmentValue& segment) override;
  void trace_entry(DeviceIndex device, const TraceEntry& entry) override;
  void annotation(const AnnotationValue& annotation) override;
  void unknown_section(TextId key, const GenericPointer& value) override {
    recorded_.unknown_section(names_.name_key(key), names_.name_value(value));
  }
  void header(const TraceHeader& header) override;
  void program_event(const ProgramEvent& event) override;

 private:
  Pseudonyms& names_;
};

}  // namespace vramlab::traces
