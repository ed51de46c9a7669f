// Sinks that hand everything on with made-up names in place of texts that tell whose program it
// was: functions, paths, annotations, metadata, and all texts under unknown keys. The same text
// gets the same name everywhere. Sizes, times, addresses, line numbers, settings, and keys that are
// identifiers stay. Frames of PyTorch itself keep function and file, without the folders before it.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "traces/filters/record_filter.h"
#include "traces/model/dry_run_notes.h"
#include "traces/model/kinds_notes.h"
#include "traces/model/snapshot_tables.h"

namespace vramlab::traces {

class AnonymizedRecording : public PassingSinks {
 public:
  /// The ids are those of the tables; the new names come into them too. They must live as long.
  AnonymizedRecording(SnapshotTables& tables, NativeSinks next)
      : PassingSinks(next), tables_(tables) {}

  void segment(const SegmentValue& segment) override;
  void trace_entry(DeviceIndex device, const TraceEntry& entry) override;
  void annotation(const AnnotationValue& annotation) override;
  void unknown_section(TextId key, const GenericPointer& value) override {
    // The notes of a dry run hold a version and options, which are no names.
    if (tables_.texts.text(key) == dry_run_key) return recorded_.unknown_section(key, value);
    const bool is_kinds = tables_.texts.text(key) == kinds_key;
    recorded_.unknown_section(name_key(key), is_kinds ? name_kinds(value) : name_value(value));
  }
  void header(const TraceHeader& header) override;
  void program_event(const ProgramEvent& event) override;

 private:
  enum class Kind : std::uint8_t { function, file, metadata, annotation, text };

  /// The new name of a text. Texts that tell nothing stay: the known texts, `??`, `N/A` and the
  /// marker of a failed request.
  TextId name_for(TextId text, Kind kind);
  StackId name_frames(StackId stack);
  /// The key of an unknown field: an identifier stays.
  TextId name_key(TextId key);
  void name_fields(std::vector<UnknownField>& fields);
  GenericPointer name_value(const GenericPointer& value);
  /// The notes of kinds with other names of modules and tensors; numbers in their paths stay.
  GenericPointer name_kinds(const GenericPointer& notes);
  TextId name_path(TextId path);
  FrameId name_frame(FrameId id);
  GenericValue named_parts(const GenericValue& value);
  std::string new_name(TextId text, Kind kind);

  SnapshotTables& tables_;
  std::map<std::pair<Kind, TextId>, TextId> texts_;
  std::map<Kind, std::uint64_t> counts_;
  std::map<FrameId, FrameId> frames_;
  std::map<StackId, StackId> stacks_;
  /// Values that were seen are kept, so that no other value gets their address. Looked up only.
  struct Named {
    GenericPointer old_value;
    GenericPointer new_value;
  };
  std::unordered_map<const GenericValue*, Named> values_;
};

}  // namespace vramlab::traces
