#include "replay/recording/whole_block_states.h"

namespace vramlab::replay {
namespace {

/// The last step up to a count that has a place.
class LastStep : public FollowedBlocks {
 public:
  LastStep(const DeviceHistory& history, const HistoryWalk& walk, HistoryStep most)
      : FollowedBlocks(history, walk), most_(most) {}
  HistoryStep step() const { return step_; }

 private:
  void moment_passed(const MomentFigures& figures, const PlacementBlocks&) override {
    if (figures.step <= most_) step_ = figures.step;
  }

  HistoryStep most_;
  HistoryStep step_ = 0;
};

class StateAtStep : public FollowedBlocks {
 public:
  StateAtStep(const DeviceHistory& history, const HistoryWalk& walk, HistoryStep step)
      : FollowedBlocks(history, walk), step_(step) {}
  Snapshot take() { return std::move(snapshot_); }

 private:
  void moment_passed(const MomentFigures& figures, const PlacementBlocks& blocks) override {
    if (figures.step == step_) snapshot_ = snapshot_of(blocks, *this, walk().pools);
  }

  HistoryStep step_;
  Snapshot snapshot_;
};

}  // namespace

Snapshot whole_blocks_after(const DeviceHistory& history, const HistoryWalk& walk,
                            HistoryStep count) {
  LastStep last(history, walk, count);
  watch_placements(history, walk, last);
  StateAtStep state(history, walk, last.step());
  watch_placements(history, walk, state);
  return state.take();
}

}  // namespace vramlab::replay
