#include "replay/waiting/eager_frees.h"

#include <algorithm>
#include <map>

#include "replay/run/device_replay.h"

namespace vramlab::replay {
namespace {

using allocator::Bytes;

using PeaksByDevice = std::map<std::uint32_t, PeakFigures>;

void raise(Bytes& peak, const allocator::PooledStatistic& statistic) {
  const std::int64_t now = std::max<std::int64_t>(statistic.all.current, 0);
  peak = std::max(peak, Bytes{static_cast<std::uint64_t>(now)});
}

/// Once what was there at the start is laid out. Until then what waited counts as in use, which the
/// statistics' own peaks remember.
void raise_to_now(PeakFigures& peaks, const DeviceReplay& device) {
  const allocator::StatisticValues now = device.statistics();
  raise(peaks.allocated, now.allocated_bytes);
  raise(peaks.active, now.active_bytes);
  raise(peaks.requested, now.requested_bytes);
  raise(peaks.reserved, now.reserved_bytes);
}

ReplayReport run(const Recording& recording, FreeTiming timing, PeaksByDevice& peaks) {
  ReplayConditions conditions;
  conditions.timing = timing;
  conditions.on_out_of_memory = OnOutOfMemory::skip;
  ReplayWatch watch;
  watch.at_start = [&](DeviceReplay& device) {
    raise_to_now(peaks[device.device().value], device);
  };
  watch.after_event = [&](DeviceReplay& device, const traces::ProgramEvent& event, std::uint64_t) {
    // Nothing else takes memory.
    const auto found = peaks.find(device.device().value);
    if (found != peaks.end() && event.kind == traces::ProgramEventKind::malloc)
      raise_to_now(found->second, device);
  };
  watch.at_end = [&](DeviceReplay& device) {
    PeakFigures& figures = peaks[device.device().value];
    raise_to_now(figures, device);
    figures.failed_requests = device.failures().size();
  };
  return recording.run(conditions, watch);
}

}  // namespace

bool EagerFrees::is_exact() const {
  return followed == FidelityLabel::exact && as_recorded.requested == recorded_requested &&
         as_recorded.reserved == recorded_reserved;
}

EagerReplay replay_eagerly(const Recording& recording) {
  PeaksByDevice as_recorded;
  PeaksByDevice eager;
  run(recording, FreeTiming::recorded, as_recorded);
  const ReplayReport report = run(recording, FreeTiming::eager, eager);
  EagerReplay result;
  result.notes = report.notes;
  for (const DeviceReport& device : report.devices) {
    EagerFrees& frees = result.devices.emplace_back();
    frees.device = device.device.value;
    if (const HistoryProgram* history = recording.history(frees.device))
      frees.followed = history->fidelity.label;
    frees.recorded_requested = device.recorded_peak_requested.value_or(Bytes{});
    frees.recorded_reserved = device.recorded_peak_reserved.value_or(Bytes{});
    frees.as_recorded = as_recorded[device.device.value];
    frees.eager = eager[device.device.value];
  }
  return result;
}

}  // namespace vramlab::replay
