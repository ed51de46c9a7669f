// ProgramRules: a sink that knows the rules of every program, counts events, and says the first few
// broken rules, as sentences. It is made for generated programs, whose events all have a time and a
// stack.
#pragma once

#include <array>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "traces/model/program_event.h"
#include "traces/model/snapshot_tables.h"

namespace vramlab::support {

class ProgramRules : public traces::ProgramSink {
 public:
  explicit ProgramRules(const traces::SnapshotTables& tables) : tables_(tables) {}

  void header(const traces::TraceHeader& header) override;
  void program_event(const traces::ProgramEvent& event) override;
  /// After the last event: scopes that are open now are never closed.
  void finish();

  const std::vector<std::string>& broken() const { return broken_; }
  std::uint64_t count(traces::ProgramEventKind kind) const {
    return counts_[static_cast<std::size_t>(kind)];
  }
  std::uint64_t event_count() const { return event_count_; }
  /// The bytes that were never freed.
  std::uint64_t live_bytes() const { return live_bytes_; }
  std::uint64_t peak_bytes() const { return peak_bytes_; }
  std::uint64_t requested_bytes() const { return requested_bytes_; }

 private:
  void expect(bool holds, const std::string& otherwise);
  void check_time_and_place(const traces::ProgramEvent& event);
  void check_memory(const traces::ProgramEvent& event);
  void check_host_memory(const traces::ProgramEvent& event);
  void check_streams(const traces::ProgramEvent& event);
  void check_pools(const traces::ProgramEvent& event);
  void check_ranges(const traces::ProgramEvent& event);

  const traces::SnapshotTables& tables_;
  std::vector<std::string> broken_;
  std::array<std::uint64_t, traces::program_event_kind_count> counts_{};
  std::uint64_t event_count_ = 0;
  int header_count_ = 0;
  std::uint32_t version_ = 1;
  std::uint64_t time_ns_ = 0;
  std::map<std::uint64_t, std::uint64_t> live_;
  std::set<std::uint64_t> live_host_ids_;
  std::uint64_t live_bytes_ = 0;
  std::uint64_t peak_bytes_ = 0;
  std::uint64_t requested_bytes_ = 0;
  std::vector<std::string> ranges_;
  std::set<allocator::StreamId> capturing_;
  std::set<allocator::EventId> recorded_;
  std::set<allocator::PoolId> open_pools_;
  /// By pool: begun and not yet released.
  std::map<allocator::PoolId, std::uint64_t> pool_uses_;
};

}  // namespace vramlab::support
