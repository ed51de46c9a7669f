// MemoryEvents: a recording of any format as plain events of memory (live_blocks.h): a block is
// allocated or given back, or a request fails. Sizes are those of requests; sized_events.h tells
// the same with the sizes of blocks.
//
// Events are numbered as everywhere: entries of a recording by device, from 0 on, events of a
// program across all devices.
#pragma once

#include <cstdint>
#include <functional>
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

struct RestoredBlocks {
  MemoryEvent event;
  std::function<bool(std::uint64_t id)> is_live;
  std::vector<LiveBlock> created;
};

/// Frees the blocks that the checkpoint ended, and hands out those that it created.
void apply_restored(const RestoredBlocks& restored, LiveBlocks& blocks);

class MemoryEventSink {
 public:
  MemoryEventSink() = default;
  MemoryEventSink(const MemoryEventSink&) = delete;
  MemoryEventSink& operator=(const MemoryEventSink&) = delete;
  virtual ~MemoryEventSink() = default;

  virtual void memory_event(const MemoryEvent& event) = 0;
  /// A device is in the file, maybe without events.
  virtual void device_seen(std::int64_t) {}
  /// Blocks of the device come with the sizes that they had, those from before it included.
  virtual void sizes_are_known(std::int64_t /*device*/) {}
  /// A block from before the first event, where sizes are known.
  virtual void earlier_block(std::int64_t /*device*/, const LiveBlock&) {}
  /// The call that the last event ended is the first to reserve so much. Only where sizes are
  /// known.
  virtual void most_is_reserved(std::int64_t /*device*/) {}
  /// A checkpoint was restored: blocks that are gone have no ids any more. Only where sizes are
  /// known.
  virtual void restored(std::int64_t /*device*/, const RestoredBlocks&) {}
  /// The file shows a segment of the device as it is at the end; its blocks follow.
  virtual void final_segment(std::int64_t /*device*/) {}
  /// A block that is allocated when a recording ends, as its segments show.
  virtual void final_block(std::int64_t /*device*/, const LiveBlock&) {}
  virtual void annotation(const RecordedAnnotation&) {}
};

/// Gives a recorded history: the end of each device as the file shows it, its events, and
/// annotations. Sizes are those of requests.
void pass_history(const RecordedHistory& history, MemoryEventSink& sink);

/// The end of a device as the file shows it.
void pass_end(const DeviceHistory& history, MemoryEventSink& sink);

/// Gives the labels of a history between its events. Both must outlive it.
class LabelEvents {
 public:
  LabelEvents(const DeviceHistory& history, MemoryEventSink& sink)
      : history_(history), sink_(sink) {}

  /// Gives labels from before this event that were not given yet.
  void pass_until(std::uint64_t event);

 private:
  const DeviceHistory& history_;
  MemoryEventSink& sink_;
  std::size_t next_ = 0;
};

/// Reads a program, every request of which is taken as granted.
class ProgramMemoryEvents : public traces::ProgramSink {
 public:
  /// `file` is for messages. The others must outlive it. `memory`: whose sizes requests get.
  ProgramMemoryEvents(std::string file, const traces::SnapshotTables& tables, MemoryEventSink& sink,
                      traces::ShownMemory memory = traces::ShownMemory::device);

  void header(const traces::TraceHeader& header) override;
  void program_event(const traces::ProgramEvent& event) override { pass(event_of(event)); }

  /// The event as one of memory; a request is granted its rounded size. Each is asked about once,
  /// in order.
  MemoryEvent event_of(const traces::ProgramEvent& event);
  void pass(const MemoryEvent& event) { sink_.memory_event(event); }

  std::uint64_t event_count() const { return next_number_; }

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
  traces::ShownMemory memory_;
  const ReferenceVersion* version_;
  allocator::Settings settings_;
  std::map<traces::DeviceIndex, Device> devices_;
  std::uint64_t next_number_ = 0;
};

/// The least size of a block for the request. A request that no allocator grants stays as it is.
Bytes rounded(Bytes request, const allocator::Settings& settings);

/// Gives all of a recording, whatever it is. Throws InputError.
void pass_memory_events(Recording& recording, MemoryEventSink& sink);
/// The same of a program.
void pass_program(Recording& recording, ProgramMemoryEvents& events);

}  // namespace vramlab::replay
