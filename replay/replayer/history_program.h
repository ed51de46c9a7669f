// A recorded history as a program: what was asked for and given back, in order, without what the
// allocator answered, so that it can be replayed under other conditions. What the file does not say
// comes from what following it brought to light: pools, emptied caches, frees that waited. A
// release of everything that may have been a refused request's is left to the request.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "replay/recording/compact_program.h"
#include "replay/recording/explained_history.h"
#include "replay/recording/recorded_device.h"
#include "replay/replayer/recorded_course.h"
#include "replay/replayer/recorded_memory.h"
#include "replay/replayer/replay_report.h"

namespace vramlab::replay {

/// A request of this entry, whose block began at this address because its caller chose it.
struct PlacedRequest {
  std::uint64_t event = 0;
  Address address;
  PoolId pool;
  /// The request of a private pool whose block began there last: in another run the place is where
  /// that block was.
  std::optional<std::uint64_t> former = {};
};

/// One device's. Events have the number of the entry of the device's trace that they come from.
/// At each request as much memory is there as explains that it was granted or refused, as if others
/// held the rest: those events can be left out (CompactKind::of_recorded_memory).
struct HistoryProgram {
  traces::DeviceIndex device;
  ProgramPart part;
  RecordedMemory memory;
  RecordedCourse course;
  /// Requests whose callers chose the place, in order.
  std::vector<PlacedRequest> placed;
  /// The former requests of these, in order.
  std::vector<std::uint64_t> formers = {};
  /// In the device's trace.
  std::uint64_t event_count = 0;
  /// The size of the device that its expandable segments show; empty where they show none.
  std::optional<Bytes> shown_device;
  /// The size of the device, as the program was told it when it set a share of it.
  std::optional<Bytes> told_memory = {};
  RecordedPlaces places;
  /// Told where a driver's rules placed all segments.
  std::optional<FirstWorks> drivers_places;
  DeviceFidelity fidelity;
  std::vector<EmptiedCache> emptied;
  /// Frees of what was not there: they are left out.
  std::uint64_t unmatched_frees = 0;
  /// Emptied caches that held nothing, guessed from the rhythm of the others.
  std::size_t emptied_in_vain = 0;
  /// Requests come from several threads of the program.
  bool has_threads = false;
  /// How many of the failed requests the recorded run went on after: its last event may be one.
  std::size_t caught_count = 0;

  /// Whether memory was short or was given back in the recorded run.
  bool has_course() const { return !course.releases.empty() || !part.failed.empty(); }
  /// Whether the recorded run went on after this request had failed.
  bool went_on_after(std::uint64_t number) const;
  /// The first request before `end` that failed in the recorded run and is not among `failures`,
  /// which ascend. What the program does from there on is not in the recording.
  std::optional<std::uint64_t> first_passed(const std::vector<FailedRequest>& failures,
                                            std::uint64_t end) const;
};

/// `texts`: takes the texts of the program's events.
HistoryProgram program_of(const DeviceHistory& history, const ExplainedHistory& explained,
                          traces::TextTable& texts);

/// Whether the counts and peaks of a whole replay are those of the recording.
bool is_recorded_run(const HistoryProgram& history, const DeviceReport& report);

/// About requests that failed in the recorded run: whether they fail again in a replay. Empty where
/// none failed.
std::optional<std::string> failures_note(const HistoryProgram& history, const DeviceReport& report);

/// About frees whose completion no file tells under other conditions. Empty where there are none.
std::optional<std::string> awaited_note(const HistoryProgram& history);
/// About the turns that the program's threads take. Empty where it has none.
std::optional<std::string> threads_note(const HistoryProgram& history);
/// About a replay on a device whose memory nobody knows.
std::optional<std::string> short_memory_note(const HistoryProgram& history);

/// Sentences: what a replay under these conditions assumes. `settings`: those it runs under.
std::vector<std::string> notes_on(const HistoryProgram& history, const ReplayConditions& conditions,
                                  const allocator::Settings& settings);
/// The same about garbage that was collected, where the recorded course is not followed.
std::vector<std::string> garbage_notes(const HistoryProgram& history,
                                       const ReplayConditions& conditions);

}  // namespace vramlab::replay
