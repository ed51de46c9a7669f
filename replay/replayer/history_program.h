// A recorded history as a program: what was asked for and given back, in order, without what the
// allocator answered, so that it can be replayed under other conditions. What the file does not say
// comes from what following it brought to light: pools, emptied caches, frees that waited. A
// release of everything that may have been a refused request's is left to the request.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "replay/recording/compact_program.h"
#include "replay/recording/explained_history.h"
#include "replay/recording/recorded_device.h"
#include "replay/replayer/recorded_memory.h"

namespace vramlab::replay {

/// One device's. Events have the number of the entry of the device's trace that they come from.
/// At each request as much memory is there as explains that it was granted or refused, as if others
/// held the rest: those events can be left out (CompactKind::of_recorded_memory).
struct HistoryProgram {
  traces::DeviceIndex device;
  ProgramPart part;
  RecordedMemory memory;
  /// The addresses of its expandable segments.
  Bytes reservation;
  RecordedPlaces places;
  DeviceFidelity fidelity;
  std::vector<EmptiedCache> emptied;
  /// Frees of what was not there: they are left out.
  std::uint64_t unmatched_frees = 0;
  /// Emptied caches that held nothing, guessed from the rhythm of the others.
  std::size_t emptied_in_vain = 0;
  /// Requests come from several threads of the program.
  bool has_threads = false;
  /// Requests that failed: they are tried, and given back at once.
  std::uint64_t failed_requests = 0;
};

/// `texts`: takes the texts of the program's events.
HistoryProgram program_of(const DeviceHistory& history, const ExplainedHistory& explained,
                          traces::TextTable& texts);

/// Sentences: what a replay under these conditions assumes. `settings`: those it runs under.
std::vector<std::string> notes_on(const HistoryProgram& history, const ReplayConditions& conditions,
                                  const allocator::Settings& settings);

}  // namespace vramlab::replay
