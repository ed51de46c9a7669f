// MemoryEvents: a recording of any format as plain events of memory (live_blocks.h): a block is
// allocated or given back, or a request fails.
//
// Events are numbered as everywhere: entries of a recording by device, from 0 on, events of a
// program across all devices.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "allocator/options/settings.h"
#include "allocator/types/reference_version.h"
#include "replay/recording/live_blocks.h"
#include "replay/recording/recording.h"
#include "traces/model/program_event.h"
#include "traces/model/snapshot_tables.h"
#include "traces/model/snapshot_values.h"

namespace vramlab::replay {

class MemoryEventSink {
 public:
  MemoryEventSink() = default;
  MemoryEventSink(const MemoryEventSink&) = delete;
  MemoryEventSink& operator=(const MemoryEventSink&) = delete;
  virtual ~MemoryEventSink() = default;

  virtual void memory_event(const MemoryEvent& event) = 0;
  /// A device is in the file, maybe without events.
  virtual void device_seen(std::int64_t) {}
  /// The file shows a segment of the device as it is at the end; its blocks follow.
  virtual void final_segment(std::int64_t /*device*/) {}
  /// A block that is allocated when a recording ends, as its segments show.
  virtual void final_block(std::int64_t /*device*/, const LiveBlock&) {}
  virtual void annotation(const RecordedAnnotation&) {}
};

/// Gives a recorded history: the end of each device as the file shows it, its events, and
/// annotations. Sizes are those of requests.
void pass_history(const RecordedHistory& history, MemoryEventSink& sink);

/// Reads a program, every request of which is taken as granted.
class ProgramMemoryEvents : public traces::ProgramSink {
 public:
  /// `file` is for messages. The others must outlive it.
  ProgramMemoryEvents(std::string file, const traces::SnapshotTables& tables,
                      MemoryEventSink& sink);

  void header(const traces::TraceHeader& header) override;
  void program_event(const traces::ProgramEvent& event) override;

  std::uint64_t event_count() const { return next_number_; }
  std::uint64_t restore_count() const { return restore_count_; }

 private:
  struct Scope {
    PoolId pool;
    traces::ScopeStreams streams = traces::ScopeStreams::every_stream;
    StreamId stream;
  };
  /// State of a device that decides which pool its requests go to.
  struct Device {
    allocator::Settings settings;
    std::vector<Scope> scopes;
    std::vector<StreamId> capturing;
  };

  Device& device_of(const traces::ProgramEvent& event);
  MemoryEventKind note(Device& device, const traces::ProgramEvent& event);
  LiveBlock block_of(const Device& device, const traces::ProgramEvent& event) const;
  PoolId pool_of(const Device& device, StreamId stream) const;
  allocator::Settings changed_settings(const allocator::Settings& in_force,
                                       std::string_view options, const std::string& position) const;

  std::string file_;
  const traces::SnapshotTables& tables_;
  MemoryEventSink& sink_;
  const ReferenceVersion* version_;
  allocator::Settings settings_;
  std::map<traces::DeviceIndex, Device> devices_;
  std::uint64_t next_number_ = 0;
  std::uint64_t restore_count_ = 0;
};

/// The least size of a block for the request. A request that no allocator grants stays as it is.
Bytes rounded(Bytes request, const allocator::Settings& settings);

/// Gives all of a recording, whatever it is. Throws InputError.
void pass_memory_events(Recording& recording, MemoryEventSink& sink);
/// The same of a program.
void pass_program(Recording& recording, ProgramMemoryEvents& events);

}  // namespace vramlab::replay
