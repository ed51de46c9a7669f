#include "replay/kinds/kind_peaks.h"

#include <array>
#include <unordered_map>

#include "allocator/types/check.h"
#include "replay/recording/placed_events.h"

namespace vramlab::replay {
namespace {

class KindPeaks : public PlacedEvents {
 public:
  KindPeaks(const DeviceHistory& history, const StartedHistory& started, const BlockKinds& kinds)
      : PlacedEvents(history, &started), kinds_(kinds) {}

  std::int64_t peak(std::size_t kind) const { return peaks_[kind].highest(); }

 private:
  struct Held {
    std::size_t kind = 0;
    Bytes bytes;
  };

  void block_was_before(const LiveBlock& block) override { add(block); }
  void passed(const MemoryEvent& event) override {
    if (event.kind == MemoryEventKind::allocated) add(event.block);
    const bool ends =
        event.kind == MemoryEventKind::freed || event.kind == MemoryEventKind::free_completed;
    if (ends) remove(event.block.key);
  }
  void add(const LiveBlock& block) {
    remove(block.key);
    const auto kind = static_cast<std::size_t>(kinds_.of(block).kind);
    peaks_[kind].add(block.bytes);
    held_[block.key] = {kind, block.bytes};
  }
  void remove(std::uint64_t key) {
    const auto found = held_.find(key);
    if (found == held_.end()) return;
    peaks_[found->second.kind].subtract(found->second.bytes);
    held_.erase(found);
  }

  const BlockKinds& kinds_;
  std::array<Peak, traces::memory_kind_names.size()> peaks_;
  /// Looked up only.
  std::unordered_map<std::uint64_t, Held> held_;
};

}  // namespace

MetricValues kind_metrics(const DeviceHistory& history, const StartedHistory& started,
                          const BlockKinds& kinds) {
  KindPeaks peaks(history, started, kinds);
  peaks.run();
  MetricValues values;
  for (std::size_t kind = 0; kind < traces::memory_kind_names.size(); ++kind) {
    if (peaks.peak(kind) == 0) continue;
    const Metric* const metric =
        find_metric("peak_" + std::string(traces::memory_kind_names[kind]));
    check(metric != nullptr, "each kind of memory has a metric");
    values.push_back({metric->name, peaks.peak(kind)});
  }
  return values;
}

}  // namespace vramlab::replay
