// RecordingSummary: the contents of a recording, gathered while it is read: counts, spans, peaks,
// and what its keys and sums say about its origin and whether its history is whole. A reader feeds
// RecordingSummarizer; its result is a value, and printing it is for others.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "replay/metrics/memory_curve.h"
#include "traces/model/snapshot_tables.h"
#include "traces/model/snapshot_values.h"

namespace vramlab::replay {

struct SegmentFigures {
  std::uint64_t segment_count = 0;
  std::uint64_t expandable_count = 0;
  Bytes reserved;
  Bytes allocated;
  Bytes active;
  /// Requested by active blocks, and by those of them that are not waiting to be freed.
  Bytes requested;
  Bytes requested_in_use;
  std::uint64_t block_count = 0;
  std::uint64_t active_block_count = 0;
};

struct ActionCount {
  std::string action;
  std::uint64_t count = 0;
  friend bool operator==(const ActionCount&, const ActionCount&) = default;
};

struct TimeSpan {
  std::uint64_t first_us = 0;
  std::uint64_t last_us = 0;
};

enum class HistoryKind : std::uint8_t {
  /// Begins with an empty allocator.
  whole,
  /// Something was there before the first event.
  cut,
  /// Hardly any events are in the file.
  segments_only,
  /// Sums of the events and the final blocks disagree.
  inconsistent,
};
std::string_view history_kind_name(HistoryKind kind);

struct DeviceSummary {
  std::int64_t device = 0;
  std::uint64_t event_count = 0;
  /// In order of first appearance.
  std::vector<ActionCount> actions;
  std::optional<TimeSpan> time;
  SegmentFigures segments;
  std::set<StreamId> streams;
  std::set<PoolId> pools;
  HistoryKind history = HistoryKind::segments_only;
  /// A sentence.
  std::string history_reason;
  /// Requested bytes until frees are completed; empty if the history does not tell.
  std::optional<Bytes> peak_requested;
  /// The same until memory is asked back.
  std::optional<Bytes> peak_in_use;
  std::optional<Bytes> peak_reserved;
  /// The device had at least this much: reserved and free together at an out-of-memory event.
  std::optional<Bytes> least_device_memory;
};

enum class Certainty : std::uint8_t { guessed, told };

struct VersionGuess {
  /// Such as `2.10 or 2.11`.
  std::string versions;
  std::string reason;
  Certainty certainty = Certainty::guessed;
};

struct RecordingSummary {
  bool is_bare_list = false;
  std::vector<DeviceSummary> devices;
  VersionGuess version;
  /// Name and value as text, in the order of the file.
  std::vector<std::pair<std::string, std::string>> settings;
  bool has_settings = false;
  std::uint64_t annotation_count = 0;
  std::vector<std::string> unknown_keys;
  /// Words for events and for blocks, in order of first appearance; replays leave such events out.
  std::vector<std::string> unknown_actions;
  std::vector<std::string> unknown_states;
  /// Why the file looks made by a script; empty where it does not.
  std::vector<std::string> signs_of_synthesis;
  /// The ring of events was full (the file says so).
  bool ring_overflowed = false;
  std::uint64_t text_count = 0;
  std::uint64_t frame_count = 0;
  std::uint64_t stack_count = 0;

  std::uint64_t event_count() const;
};

class RecordingSummarizer : public traces::SnapshotSink {
 public:
  /// The tables that the reader fills; they must outlive it.
  explicit RecordingSummarizer(const traces::SnapshotTables& tables) : tables_(tables) {}
  ~RecordingSummarizer() override;

  void bare_list() override { is_bare_list_ = true; }
  void section(traces::SnapshotSection section) override;
  void segment(const traces::SegmentValue& segment) override;
  void device_trace(traces::DeviceIndex device) override;
  void trace_entry(traces::DeviceIndex index, const traces::TraceEntry& entry) override;
  void settings(const traces::GenericPointer& settings) override { settings_ = settings; }
  void annotation(const traces::AnnotationValue& annotation) override;
  void unknown_section(traces::TextId key, const traces::GenericPointer& value) override;

  /// Once the reader is through.
  RecordingSummary finish() const;

 private:
  struct Device {
    std::int64_t number = 0;
    SegmentFigures segments;
    std::uint64_t event_count = 0;
    std::vector<std::pair<traces::TextId, std::uint64_t>> actions;
    std::optional<TimeSpan> time;
    std::set<StreamId> streams;
    std::optional<StreamId> last_stream;
    std::set<PoolId> pools;
    std::optional<PoolId> last_pool;
    /// Requested bytes: given, asked back, really back.
    Peak until_requested;
    Peak until_completed;
    Peak reserved;
    std::optional<std::int64_t> reserved_and_free;
    std::uint64_t count_of(traces::KnownText action) const;
  };

  Device& device_of(std::int64_t number);
  static void count_action(Device& device, traces::TextId action);
  static void note_places(Device& device, const traces::TraceEntry& entry);
  void note_looks(const traces::TraceEntry& entry);
  void note_unknown(const std::vector<traces::UnknownField>& fields);
  void note_state(traces::TextId state);
  std::vector<std::string> unknown_actions() const;
  DeviceSummary summarise(const Device& device) const;
  VersionGuess guess_version() const;
  std::vector<std::string> signs_of_synthesis() const;
  bool ring_is_known_full() const;
  bool setting_is_there(std::string_view name) const;

  const traces::SnapshotTables& tables_;
  bool is_bare_list_ = false;
  std::vector<Device> devices_;
  traces::GenericPointer settings_;
  std::set<traces::SnapshotSection> sections_;
  /// The version that a dry run noted.
  std::string torch_;
  std::set<traces::TextId> unknown_keys_;
  std::vector<traces::TextId> unknown_states_;
  std::uint64_t annotation_count_ = 0;
  bool has_old_blocks_ = false;
  /// Keys that at least one event has.
  traces::KeySet event_keys_;
  traces::KeySet segment_keys_;
  std::uint64_t entry_count_ = 0;
  std::uint64_t with_compile_context_ = 0;
  std::uint64_t misplaced_count_ = 0;
  bool ring_overflowed_ = false;
};

// Conclusions about a recording's origin: the versions that write such keys, and whether the
// history began with an empty allocator. Pure functions over sums and signs.

/// Signs that the keys of a file show.
struct VersionSigns {
  traces::KeySet event_keys;
  bool has_pinned_memory = false;
  bool has_pinned_limits = false;
  bool has_annotate_action = false;
  bool has_stream_reuse_setting = false;
  bool has_annotations = false;
  bool has_settings = false;
  bool has_expandable_flag = false;
  bool has_old_blocks = false;
};
VersionGuess guess_version_from(const VersionSigns& signs);

/// The final state less all changes by events: the state before the first event.
struct HistorySums {
  std::uint64_t event_count = 0;
  std::int64_t live_block_count = 0;
  std::int64_t requested_bytes = 0;
  std::int64_t reserved_bytes = 0;
  bool ring_overflowed = false;
  bool has_final_segments = true;
};
struct HistoryVerdict {
  HistoryKind kind = HistoryKind::segments_only;
  std::string reason;
};
HistoryVerdict judge_history(const HistorySums& sums);

}  // namespace vramlab::replay
