// RecordedRun: a history replayed as it was recorded, its entries compared one by one with the
// file's. A history that is followed exactly can still be replayed otherwise, as nobody knows all
// of the memory that the recorded run had.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "allocator/types/snapshot.h"
#include "replay/recording/fidelity.h"
#include "replay/recording/recorded_history.h"
#include "replay/recording/recording.h"
#include "replay/replayer/history_program.h"
#include "replay/replayer/replay_setup.h"
#include "traces/io/long_sequence.h"

namespace vramlab::replay {

/// The entries that a replay makes beside those of its recording. Of completed frees that follow
/// each other the order does not matter. Pools are named differently, and so is nothing else.
class EntryComparison {
 public:
  /// The history must outlive it.
  explicit EntryComparison(const DeviceHistory& recorded);

  /// The next entries that the replay made.
  void add(std::span<const AllocatorEvent> made);
  /// The replay makes no more. `agreement`: entries of the recording that were made before the
  /// first difference.
  void finish();

  const Agreement& agreement() const { return agreement_; }
  const std::optional<ReplayDifference>& difference() const { return difference_; }

 private:
  void add_one(const AllocatorEvent& made);
  void take_begun_free();
  void compare(const AllocatorEvent* recorded, const AllocatorEvent* made);
  void compare_completed();
  const AllocatorEvent* next();

  traces::SequenceReader<AllocatorEvent> recorded_;
  std::size_t recorded_count_;
  bool requests_frees_;
  /// The next entry of the recording.
  std::size_t at_ = 0;
  /// A free between whose two entries the recording begins.
  std::optional<AllocatorEvent> begun_free_;
  /// Made and not compared yet.
  std::vector<AllocatorEvent> completed_;
  Agreement agreement_;
  std::optional<ReplayDifference> difference_;
};

struct RecordedRun {
  /// The moments at which memory was short are taken from the recording: the amount that explains
  /// them leads elsewhere.
  bool follows_course = false;
  Agreement entries;
  /// Empty if every entry is made again.
  std::optional<ReplayDifference> departure;
};

/// `setup`: recorded_setup(). Requires: PyTorch's own allocator made the history.
RecordedRun run_as_recorded(const DeviceHistory& recorded, const HistoryProgram& program,
                            const ReplaySetup& setup, const traces::TextTable& texts);

/// For a replay of one device of a recording as it was recorded.
ReplaySetup recorded_setup(const std::string& file, const VerifyConditions& rules,
                           const HistoryProgram& program);

/// How faithfully each device's history is followed, and replayed as recorded: where the replay
/// does otherwise, it is not exact. Throws InputError.
Fidelity verify(Recording& recording);

}  // namespace vramlab::replay
