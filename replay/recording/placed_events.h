// PlacedEvents: the memory events of a recorded history in order, each block as large as it was.
// A file says the sizes of requests; the size of a block follows from the free memory at the place
// where it was handed out. Everything that counts allocated memory derives from it, so that a block
// has one size in every figure. RecordedPeaks: when most was allocated and reserved.
#pragma once

#include <cstddef>
#include <vector>

#include "replay/metrics/memory_curve.h"
#include "replay/recording/live_blocks.h"
#include "replay/recording/placement_walk.h"

namespace vramlab::replay {

/// Blocks in use before the first event, at the beginning of a watched walk.
std::vector<LiveBlock> blocks_from_before(const DeviceHistory& history,
                                          const StartedHistory& started,
                                          const PlacementBlocks& blocks);

class PlacedEvents : public PlacementWatcher {
 public:
  /// Both must outlive this. `started`: null for a history that no allocator can have made, whose
  /// blocks have the sizes of requests.
  PlacedEvents(const DeviceHistory& history, const StartedHistory* started)
      : history_(history), started_(started) {}

  /// Passes all of it, events without a place included, in the order of the file.
  void run();

 protected:
  virtual void block_was_before(const LiveBlock& block) = 0;
  virtual void passed(const MemoryEvent& event) = 0;
  /// The call that the last passed event ended is the first one to reserve so much.
  virtual void most_is_reserved() {}
  /// Memory of segments more than at the beginning, with the event that is passed.
  std::int64_t reserved_since_beginning() const { return reserved_.now(); }

 private:
  void begin(const PlacementBlocks& blocks) final;
  void event_done(std::size_t event, const PlacementBlocks& blocks) final;
  void pass_until(std::size_t end);
  void pass(const MemoryEvent& event);
  void note_segment_call(std::size_t event);

  const DeviceHistory& history_;
  const StartedHistory* started_;
  std::size_t next_ = 0;
  Peak reserved_;
  /// A request under way got more memory than was ever reserved.
  bool request_reserves_most_ = false;
};

/// A sum at its peak, and how many events were done when it was first reached: 0 is the beginning.
struct RecordedPeak {
  Bytes bytes;
  std::size_t step = 0;
};

struct RecordedPeaks {
  /// Blocks in use, as large as they were.
  RecordedPeak allocated;
  /// The step is the end of the call that reserved so much.
  RecordedPeak reserved;
};

RecordedPeaks find_peaks(const DeviceHistory& history, const StartedHistory& started);

/// Blocks in use, as large as they were, and memory of segments, by the event before them.
MemoryCurve memory_over_time(const DeviceHistory& history, const StartedHistory& started,
                             std::size_t most_steps);

}  // namespace vramlab::replay
