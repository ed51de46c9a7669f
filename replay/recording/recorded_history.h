// RecordedHistory: a memory snapshot's events, in order, and final segments of each device, kept as
// a whole. Replays need all of it, because the state at the start is found by running backwards. A
// long history lies in scratch files. Unknown keys are left out.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "allocator/options/settings.h"
#include "allocator/types/reference_version.h"
#include "allocator/types/snapshot.h"
#include "replay/recording/recording_summary.h"
#include "traces/io/long_sequence.h"
#include "traces/model/dry_run_notes.h"
#include "traces/model/snapshot_tables.h"
#include "traces/model/snapshot_values.h"

namespace vramlab::replay {

/// An entry's action by the word that snapshots have for it; empty for kinds that no replay knows.
std::optional<Action> action_of(traces::TextId text);
traces::KnownText text_of(Action action);

constexpr bool is_segment_call(Action action) {
  return action == Action::segment_alloc || action == Action::segment_free ||
         action == Action::segment_map || action == Action::segment_unmap;
}
constexpr bool is_release(Action action) {
  return action == Action::segment_free || action == Action::segment_unmap;
}

/// Traits in which files differ: keys and entries that one has and another lacks.
struct HistoryTraits {
  bool names_pools = false;
  bool requests_frees = false;
  /// Events of kinds that no replay knows; they are left out.
  std::uint64_t unknown_event_count = 0;
  /// Requests at an address that the program named.
  std::uint64_t requests_at_addresses = 0;
  /// Requests that restored a checkpoint of a pool.
  std::uint64_t restored_requests = 0;
  /// An `oom` that says nothing of the device's free memory.
  bool lacks_device_free = false;
  /// An event without a time.
  bool lacks_time = false;
  bool segments_say_pool = true;
  /// Blocks are as large as their entries say and are never divided, as those of pinned memory.
  bool has_whole_blocks = false;
};

/// The program's name for the memory in use at an address.
struct MemoryLabel {
  /// How many events were before it.
  std::uint64_t event_count = 0;
  Address address;
  traces::TextId text;
};

/// A history's events in order. Those about segments, failures and markers are few, and are found
/// without a walk through all the others.
// NOLINTNEXTLINE(cppcoreguidelines-slicing): its own moves take the sequence as a part of it.
class RecordedEvents : private traces::LongSequence<AllocatorEvent> {
  using Sequence = traces::LongSequence<AllocatorEvent>;

 public:
  using Sequence::begin, Sequence::end, Sequence::size, Sequence::empty, Sequence::front,
      Sequence::back, Sequence::operator[], Sequence::records_in_memory, Sequence::to_vector,
      Sequence::place, Sequence::const_iterator, Sequence::value_type;

  RecordedEvents() = default;
  explicit RecordedEvents(const traces::ScratchPlace& place) : Sequence(place), rare_(place) {}
  // NOLINTBEGIN(google-explicit-constructor): they are events already.
  RecordedEvents(Sequence events) : Sequence(std::move(events)), rare_(place()) { find_rare(); }
  RecordedEvents(std::vector<AllocatorEvent> events) : Sequence(std::move(events)) { find_rare(); }
  RecordedEvents(std::initializer_list<AllocatorEvent> events) : Sequence(events) { find_rare(); }
  // NOLINTEND(google-explicit-constructor)

  void push_back(const AllocatorEvent& event) {
    if (is_rare(event.action)) rare_.push_back(size());
    Sequence::push_back(event);
  }
  const Sequence& all() const { return *this; }
  /// The numbers of the events that neither hand out nor free a block, ascending.
  const traces::LongSequence<std::size_t>& rare() const { return rare_; }
  static bool is_rare(Action action) {
    return is_segment_call(action) || action >= Action::snapshot;
  }

  friend bool operator==(const RecordedEvents& a, const RecordedEvents& b) {
    return a.all() == b.all();
  }

 private:
  void find_rare();

  traces::LongSequence<std::size_t> rare_;
};

/// Events [first, end) whose requests went to a private pool, as a dry run notes it.
struct NotedScope {
  std::uint64_t first = 0;
  std::uint64_t end = 0;
  PoolId pool;
};

/// The numbers of events before the first kernel and before the first work of a library.
struct FirstWorks {
  std::uint64_t kernel = UINT64_MAX;
  std::uint64_t library = UINT64_MAX;
};

struct DeviceHistory {
  std::int64_t device = 0;
  HistoryTraits traits;
  RecordedEvents events;
  /// By event, in the tables of the reader.
  traces::LongSequence<traces::StackId> stacks;
  /// Requests whose callers chose the place, by their events in order: mallocWithAddress, and a
  /// pool's checkpoint that is restored (find_restored_checkpoints).
  std::vector<std::uint64_t> placed_requests;
  /// In order.
  std::vector<MemoryLabel> labels;
  /// By ascending address.
  std::vector<SnapshotSegment> final_segments;
  /// The stacks of final blocks in use, if the file says them.
  std::map<Address, traces::StackId> final_stacks;
  /// The numbers of the entries that are no events, ascending.
  std::vector<std::uint64_t> entries_left_out;
  /// Calls without an entry, in order, as a dry run notes them. `before` is the number of events
  /// before the call.
  std::vector<traces::NotedCall> noted_calls;
  /// In order and apart.
  std::vector<NotedScope> noted_scopes;
  /// Whether those are all of them; otherwise nobody knows.
  bool knows_calls = false;
  /// The memory that was too little for a request, if a dry run notes it.
  std::optional<Bytes> noted_limit;
  /// Told where a driver's rules placed the segments.
  std::optional<FirstWorks> drivers_places;
};

/// A place among a trace's entries as one among its events: how many of them are before it.
std::uint64_t event_before(const DeviceHistory& history, std::uint64_t entry);

/// Whether the history has an event of this kind. Requires: it is a rare one.
bool has_rare_event(const DeviceHistory& history, Action action);

/// Whether the caller of the event's request chose the place of the block.
bool has_chosen_place(const DeviceHistory& history, std::size_t event);

/// The pool of the event's request; empty where neither its entry nor a note says it.
std::optional<PoolId> told_pool(const DeviceHistory& history, std::size_t event);

/// The calls of this kind that a dry run noted.
bool has_noted(const DeviceHistory& history, traces::ProgramEventKind kind);

/// Whether any event has a stack.
bool has_stacks(const DeviceHistory& history);

/// The stack of an event; the empty one if the history has no stacks.
inline traces::StackId stack_of(const DeviceHistory& history, std::size_t event) {
  return history.stacks.empty() ? traces::StackId{} : history.stacks[event];
}

/// The size of all final segments.
Bytes reserved_at_end(const DeviceHistory& history);

/// The stacks of final blocks without a request among the events: they were there all the time.
std::map<Address, traces::StackId> stacks_from_before(const DeviceHistory& history);

/// The last label of each block, by the event that handed it out.
std::map<std::uint64_t, traces::TextId> labels_by_request(const DeviceHistory& history);

/// Whether requests come from threads that the program started, as their stacks tell: Python's
/// threads begin in its module threading.
bool has_threads(const DeviceHistory& history, const traces::SnapshotTables& tables);

/// The most that was reserved, counted back from the end; empty if the history says nothing of
/// segments.
std::optional<Bytes> peak_reserved_of(const DeviceHistory& history);

/// Something that people named in a recording: its beginning or its end.
struct RecordedAnnotation {
  traces::TextId name;
  /// `start` or `end`, by the word that snapshots have for it.
  traces::TextId stage;
  std::int64_t device = 0;
  std::uint64_t time_us = 0;
  bool has_time = false;
};

struct RecordedHistory {
  std::vector<DeviceHistory> devices;
  /// In the order of the file.
  traces::LongSequence<RecordedAnnotation> annotations;
  /// Null where the file has no settings.
  traces::GenericPointer settings;
  /// The version of PyTorch, if a dry run noted it, such as `2.6.0+cu124`.
  std::string torch;
  /// The architectures that it has kernels for, if a dry run noted them, such as `sm_90`.
  std::vector<std::string> kernel_code;
  /// The option string at the start, if a dry run noted that the program set another one.
  std::optional<std::string> options_at_start;
  /// Keys of the top level that are no sections of devices, such as `host_traces`.
  std::vector<traces::UnknownField> other_sections;
};

/// Says that the collector saw pinned host memory as that of a device
/// (traces/filters/host_recording.h).
void take_as_host(RecordedHistory& history);

/// Takes the notes of a dry run out of the other sections, if they are there. `file` is for
/// messages. Throws InputError.
void take_notes(RecordedHistory& history, const traces::TextTable& texts, const std::string& file);

/// Adds the requests that restored a checkpoint to the placed ones, as their stacks tell.
void find_restored_checkpoints(RecordedHistory& history, const traces::SnapshotTables& tables);

class HistoryCollector : public traces::SnapshotSink {
 public:
  /// Long histories go to scratch files there; without a place they are in memory.
  explicit HistoryCollector(traces::ScratchPlace place = {}) : place_(std::move(place)) {
    history_.annotations = traces::LongSequence<RecordedAnnotation>(place_);
  }

  void segment(const traces::SegmentValue& segment) override;
  void device_trace(traces::DeviceIndex device) override { device_of(device.value); }
  void trace_entry(traces::DeviceIndex index, const traces::TraceEntry& entry) override;
  void settings(const traces::GenericPointer& settings) override { history_.settings = settings; }
  void annotation(const traces::AnnotationValue& annotation) override;

  void unknown_section(traces::TextId key, const traces::GenericPointer& value) override {
    history_.other_sections.push_back({key, value});
  }

  /// Once the reader is through; devices by number.
  RecordedHistory take();

 private:
  DeviceHistory& device_of(std::int64_t number);

  traces::ScratchPlace place_;
  RecordedHistory history_;
};

struct SettingsInForce {
  allocator::Settings settings;
  /// Why others may have been in force; empty if the file says them.
  std::string doubt;
};

/// The recorded option string as this version reads it, and over it the single options that the
/// file says. If the program set others while it ran: those at the start.
SettingsInForce recorded_settings(const RecordedHistory& history, const traces::TextTable& texts,
                                  const ReferenceVersion& version);

/// The reference_versions() that the file can be of, the likeliest first. Private pools have
/// expandable segments since 2.5, events that name pools came with 2.12, limits of pinned memory
/// with 2.13, and sections of it with 2.14.
std::vector<const ReferenceVersion*> possible_references(const RecordedHistory& history,
                                                         const traces::TextTable& texts);

/// A span of time that people named in a recording: a beginning with the next end of the same name
/// on the same device. A span whose beginning or end was not recorded reaches to that end of the
/// recording. An annotation whose time is not known is left out.
struct AnnotationSpan {
  std::int64_t device = 0;
  traces::TextId name;
  /// Empty if it was not recorded.
  std::optional<std::uint64_t> begin_us;
  std::optional<std::uint64_t> end_us;
  friend bool operator==(const AnnotationSpan&, const AnnotationSpan&) = default;
};

class AnnotationCollector {
 public:
  /// In the order of the file.
  void add(const RecordedAnnotation& annotation);
  /// In the order in which their first ends were seen.
  const std::vector<AnnotationSpan>& spans() const { return spans_; }

 private:
  std::vector<AnnotationSpan> spans_;
  /// Spans that have not ended, innermost last.
  std::map<std::pair<std::int64_t, traces::TextId>, std::vector<std::size_t>> open_;
};

std::vector<AnnotationSpan> annotation_spans(const RecordedHistory& history);

}  // namespace vramlab::replay
