// What a replay came to, as metrics.
#pragma once

#include "replay/figures/metrics.h"
#include "replay/run/replay_report.h"

namespace vramlab::replay {

MetricValues run_metrics(const DeviceReport& device);
/// Of all devices together: sums, of peaks too, as each device has memory of its own.
MetricValues run_metrics(const ReplayReport& report);

}  // namespace vramlab::replay
