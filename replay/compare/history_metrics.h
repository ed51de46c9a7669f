// What a recorded history came to, as metrics: counted from its events and its final segments, not
// from a replay. What only the sizes of blocks tell (peak_allocated) is found by following it.
#pragma once

#include "replay/metrics/metrics.h"
#include "replay/recording/recorded_history.h"
#include "replay/recording/verify.h"

namespace vramlab::replay {

/// One device's. Without a history only the end is known.
MetricValues history_metrics(const DeviceHistory& history, const ExplainedHistory& explained);

/// The same of a history of pinned host memory, whose entries have the sizes of blocks.
MetricValues host_history_metrics(const DeviceHistory& host, const ExplainedHistory& explained);

}  // namespace vramlab::replay
