// ProgramCalls: collects a program's events as calls, for what runs programs in memory. Marks that
// only people read are left out, and so are times. Pools are numbered by when they come first, as a
// call has no place for both halves of an id.
#pragma once

#include <map>
#include <utility>
#include <vector>

#include "traces/values/program_sink.h"
#include "traces/values/snapshot_tables.h"

namespace vramlab::traces {

class ProgramCalls : public ProgramSink {
 public:
  /// The tables are those of whoever calls the sink.
  explicit ProgramCalls(const SnapshotTables& tables) : tables_(tables) {}

  /// Requires: an event that is waited for was recorded before.
  void program_event(const ProgramEvent& event) override;

  const std::vector<Call>& calls() const { return calls_; }
  std::vector<Call> take_calls() { return std::move(calls_); }

 private:
  std::uint64_t pool_number(allocator::PoolId pool);

  const SnapshotTables& tables_;
  std::vector<Call> calls_;
  std::map<allocator::PoolId, std::uint64_t> pools_{{allocator::default_pool, 0}};
  /// By event: the stream that recorded it last.
  std::map<allocator::EventId, allocator::StreamId> recorded_on_;
};

}  // namespace vramlab::traces
