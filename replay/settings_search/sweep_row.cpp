#include "replay/settings_search/sweep_row.h"

#include <algorithm>
#include <tuple>

#include "allocator/types/check.h"
#include "replay/replayer/replay_report.h"

namespace vramlab::replay {
namespace {

auto rank_of(const SweepFigures& figures) {
  return std::make_tuple(figures.failed.has_value(), value_of(figures.metrics, "peak_reserved"),
                         device_calls_of(figures.metrics), value_of(figures.metrics, "device_time"),
                         value_of(figures.metrics, "host_peak_pinned"),
                         value_of(figures.metrics, "host_allocs"));
}

}  // namespace

std::int64_t value_of(const MetricValues& metrics, std::string_view name) {
  const MetricValue* value = find_value(metrics, name);
  return value == nullptr ? 0 : value->value;
}

std::int64_t device_calls_of(const MetricValues& metrics) {
  return value_of(metrics, "device_allocs") + value_of(metrics, "device_frees") +
         value_of(metrics, "units_mapped") + value_of(metrics, "units_unmapped");
}

SweepFigures figures_of(const std::string& file, const ReplayReport& report) {
  SweepFigures figures{file, run_metrics(report), std::nullopt};
  for (const DeviceReport& device : report.devices) {
    if (device.failures.empty()) continue;
    const FailedRequest& first = device.failures.front();
    if (figures.failed && figures.failed->event <= first.event) continue;
    figures.failed = {device.device.value, first.event, first.figures.request.count};
  }
  return figures;
}

const SweepFigures& SweepRow::worst() const {
  check(!files.empty(), "a setting that was refused has no figures");
  return *std::ranges::max_element(
      files, [](const SweepFigures& a, const SweepFigures& b) { return is_better(a, b); });
}

bool is_better(const SweepFigures& a, const SweepFigures& b) {
  // The further it gets before it fails, the better.
  if (a.failed && b.failed && a.failed->event != b.failed->event)
    return a.failed->event > b.failed->event;
  return rank_of(a) < rank_of(b);
}

bool is_better(const SweepRow& a, const SweepRow& b) {
  if (a.was_refused() != b.was_refused()) return b.was_refused();
  if (!a.was_refused()) {
    const SweepFigures& worst_a = a.worst();
    const SweepFigures& worst_b = b.worst();
    if (is_better(worst_a, worst_b)) return true;
    if (is_better(worst_b, worst_a)) return false;
  }
  return std::make_tuple(a.conf.size(), a.conf, a.is_recorded) <
         std::make_tuple(b.conf.size(), b.conf, b.is_recorded);
}

void sort_rows(std::vector<SweepRow>& rows) {
  std::ranges::stable_sort(rows,
                           [](const SweepRow& a, const SweepRow& b) { return is_better(a, b); });
}

}  // namespace vramlab::replay
