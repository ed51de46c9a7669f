#include "replay/kinds/kind_peaks.h"

#include <array>

#include "allocator/types/check.h"
#include "replay/kinds/held_by_group.h"

namespace vramlab::replay {
namespace {

class KindPeaks : public HeldByGroup {
 public:
  KindPeaks(const DeviceHistory& history, const StartedHistory& started, const BlockKinds& kinds)
      : HeldByGroup(history, &started), kinds_(kinds) {}

  std::int64_t peak(std::size_t kind) const { return peaks_[kind].highest(); }

 private:
  std::size_t group_of(const LiveBlock& block) override {
    return static_cast<std::size_t>(kinds_.of(block).kind);
  }
  void came(std::size_t kind, Bytes bytes) override { peaks_[kind].add(bytes); }
  void went(std::size_t kind, Bytes bytes) override { peaks_[kind].subtract(bytes); }

  const BlockKinds& kinds_;
  std::array<Peak, traces::memory_kind_names.size()> peaks_;
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
