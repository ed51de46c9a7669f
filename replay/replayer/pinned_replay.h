// HostReport: what the pinned host memory of a program came to, as a value.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <unordered_map>
#include <vector>

#include "allocator/pinned/pinned_allocator.h"
#include "allocator/types/host_values.h"
#include "allocator/types/snapshot.h"
#include "replay/metrics/memory_curve.h"
#include "replay/metrics/metrics.h"
#include "replay/recording/recorded_history.h"
#include "replay/replayer/replay_host.h"
#include "traces/model/snapshot_tables.h"

namespace vramlab::replay {

/// A call of the system, and the event of the program that caused it.
struct HostCallAt {
  std::uint64_t event = 0;
  HostSystemCall call;
};

struct HostReport {
  std::uint64_t requests = 0;
  std::uint64_t frees = 0;
  /// All requests together, as asked for and as given out.
  Bytes requested;
  Bytes given;
  /// Memory that the program asked for and has not freed.
  ReachedPeak peak_requested;
  /// Blocks that the program holds, or that wait for streams.
  ReachedPeak peak_active;
  /// Obtained from the system, cached blocks and the reserve segment included.
  ReachedPeak peak_pinned;
  Bytes end_active;
  Bytes end_pinned;
  HostStatisticValues statistics;
  std::vector<HostCallAt> calls;
  /// Sentences: what was assumed.
  std::vector<std::string> notes;
};

MetricValues host_metrics(const HostReport& report);

// HostReplay: PyTorch's allocator of pinned host memory as a program's events drive it. It is told
// every event of the program, in order, and takes those that matter to it.

/// Whether a free waits for the streams that used the block.
enum class HostFrees : std::uint8_t { wait_for_streams, complete_at_once };
/// Whether the program's own changes of options count.
enum class HostOptions : std::uint8_t { as_the_program_sets_them, as_given };

/// Whether what happens is kept as a recording would have it.
enum class KeepsHostHistory : bool { no, yes };

/// The history, with the event of the program that each entry is of.
struct KeptHostHistory {
  DeviceHistory history;
  std::vector<std::uint64_t> numbers;
};

struct HostConditions {
  /// Must outlive the replay.
  const ReferenceVersion& version;
  Settings settings;
  HostFrees frees = HostFrees::wait_for_streams;
  HostOptions options = HostOptions::as_the_program_sets_them;
  /// Streams in virtual time, which must outlive the replay; null where work ends when the program
  /// says so.
  StreamProgram* streams = nullptr;
  KeepsHostHistory keeps = KeepsHostHistory::no;
};

class HostReplay {
 public:
  explicit HostReplay(const HostConditions& conditions);

  /// Throws AllocatorError where the event must not be, or DeviceError.
  void apply(const traces::ProgramEvent& event, std::uint64_t number,
             const traces::TextTable& texts);
  /// Whether there was an event about pinned memory.
  bool has_events() const { return has_events_; }
  HostReport report() const;
  /// The state now. A block is handed out whole, so it is a segment.
  Snapshot state() const;
  HostStatisticValues statistics() const { return engine_.statistics(); }
  /// Null for a request of nothing, and for an id that is free.
  std::optional<Address> address_of(std::uint64_t id) const;
  /// Requires: the conditions say that the history is kept.
  std::vector<HostEvent> history() const { return engine_.history(); }
  std::size_t history_size() const { return engine_.history_size(); }
  /// Requires: the conditions say that it is kept.
  KeptHostHistory kept_history() const;

 private:
  using Event = traces::ProgramEvent;
  struct Held {
    Address address;
    Bytes requested;
  };
  void apply_to_host(const Event& event);
  void apply_to_pools(const Event& event);
  void request(const Event& event);
  void free(const Event& event);
  void use(const Event& event);
  void set_options(std::string_view text);
  Held held(const Event& event, const char* purpose) const;
  StreamId stream_of(const Event& event);
  StreamFilter filter_of(const Event& event);
  Bytes active_now() const;
  void note_peaks(const Event& event, std::uint64_t number);
  void note_calls(std::uint64_t number);
  void note_entries(const Event& event, std::uint64_t number);

  const ReferenceVersion& version_;
  HostFrees frees_;
  HostOptions options_;
  ReplayHost host_;
  allocator::PinnedAllocator engine_;
  bool has_events_ = false;
  bool had_background_threads_ = false;
  /// Addresses by id; 0 for a request of nothing.
  std::unordered_map<std::uint64_t, Held> held_;
  Bytes requested_now_;
  /// Pools of graphs, with how often their scopes were opened and they were not released.
  std::map<PoolId, std::uint64_t> graph_pool_users_;
  HostReport report_;
  /// For each entry of the history that is kept: its event, and when that was.
  struct EntryOrigin {
    std::uint64_t number = 0;
    std::uint64_t time_us = 0;
  };
  std::vector<EntryOrigin> entry_origins_;
};

}  // namespace vramlab::replay
