// HostRecording: pinned host memory seen as that of a device, number 0. A recording's sections
// `host_segments` and `host_traces` become its segments and its entries, a program's events about
// pinned memory become requests, uses and frees; what is about GPUs' memory is left out. Whoever
// shows who holds memory can show this as well.
//
// Recordings know sizes of blocks only, not of requests.
#pragma once

#include <string_view>
#include <unordered_map>

#include "traces/model/program_event.h"
#include "traces/model/snapshot_tables.h"
#include "traces/model/snapshot_values.h"

namespace vramlab::traces {

inline constexpr std::string_view host_segments_key = "host_segments";
inline constexpr std::string_view host_traces_key = "host_traces";

class HostRecording final : public SnapshotSink, public ProgramSink {
 public:
  /// The tables are those that the reader fills. Both must outlive it.
  HostRecording(SnapshotTables& tables, NativeSinks shown) : tables_(tables), shown_(shown) {}

  void settings(const GenericPointer& settings) override { shown_.recorded.settings(settings); }
  /// Takes the two sections, and leaves out others.
  void unknown_section(TextId key, const GenericPointer& value) override;

  void header(const TraceHeader& header) override { shown_.program.header(header); }
  void program_event(const ProgramEvent& event) override;

  NativeSinks sinks() { return {*this, *this}; }

 private:
  void give_segments(const GenericValue& list);
  void give_entries(const GenericValue& list);
  SegmentValue segment_of(const GenericValue& object);
  TraceEntry entry_of(const GenericValue& object);
  /// Null where it has none of this name.
  const GenericValue* item(const GenericValue& object, std::string_view name) const;
  std::uint64_t number(const GenericValue& object, std::string_view name) const;
  PoolId pool(const GenericValue& object, std::string_view name) const;
  StackId stack(const GenericValue& object);
  FrameId frame(const GenericValue& object);

  SnapshotTables& tables_;
  NativeSinks shown_;
  /// Lists of frames that were met before; files share them.
  std::unordered_map<const GenericValue*, StackId> stacks_;
};

}  // namespace vramlab::traces
