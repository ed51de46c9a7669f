#include "replay/timeline/phase_figures.h"

#include <algorithm>

#include "allocator/types/bytes_and_ids.h"

namespace vramlab::replay {
namespace {

class MarkedMoments : public FollowedBlocks {
 public:
  /// All must outlive this.
  MarkedMoments(const DeviceHistory& history, const ExplainedHistory& walk,
                const std::vector<HistoryStep>& moments)
      : FollowedBlocks(history, walk), moments_(moments) {}

  std::vector<MarkedMoment> finish() {
    while (found_.size() < moments_.size()) find_next();
    return std::move(found_);
  }

 private:
  /// The state before the event stays that of all moments up to here.
  void moment_passed(const MomentFigures& figures, const PlacementBlocks&) override {
    while (found_.size() < moments_.size() && moments_[found_.size()] < figures.step) find_next();
    now_.allocated = figures.allocated;
    now_.requested = figures.requested;
    now_.reserved = figures.reserved;
    now_.allocated_in_pools = allocated_in_pools_;
    now_.reserved_in_pools = reserved_in_pools_;
    now_.peak_allocated = std::max(now_.peak_allocated, figures.allocated);
    now_.peak_reserved = std::max(now_.peak_reserved, figures.reserved);
    now_.least_reserved_by_default =
        std::min(now_.least_reserved_by_default, now_.reserved_by_default());
  }

  void find_next() {
    found_.push_back(now_);
    now_.peak_allocated = now_.allocated;
    now_.peak_reserved = now_.reserved;
    now_.least_reserved_by_default = now_.reserved_by_default();
  }

  void block_changed(Change change, const LiveBlock& block) override {
    if (!is_in_pool(block.life)) return;
    if (change == Change::handed_out) allocated_in_pools_ += block.bytes;
    if (change == Change::given_back) take(allocated_in_pools_, block.bytes);
  }
  void segment_grew(LifeIndex life, Bytes size) override {
    if (is_in_pool(life)) reserved_in_pools_ += size;
  }
  void segment_shrank(LifeIndex life, Bytes size) override {
    if (is_in_pool(life)) take(reserved_in_pools_, size);
  }

  bool is_in_pool(LifeIndex life) const { return walk().pools[life] != allocator::default_pool; }

  const std::vector<HistoryStep>& moments_;
  std::vector<MarkedMoment> found_;
  /// The latest state, with the peaks since the last moment.
  MarkedMoment now_;
  Bytes allocated_in_pools_;
  Bytes reserved_in_pools_;
};

}  // namespace

std::vector<MarkedMoment> figures_at(const DeviceHistory& history,
                                     const ExplainedHistory& explained,
                                     const std::vector<HistoryStep>& moments) {
  MarkedMoments marked(history, explained, moments);
  watch_placements(history, explained, marked);
  return marked.finish();
}

}  // namespace vramlab::replay
