// Metrics of a recorded history, counted from its events and its final segments, not from a replay.
// A metric that needs the sizes of blocks (peak_allocated) is found by following the history.
#pragma once

#include "replay/metrics/metrics.h"
#include "replay/recording/explained_history.h"
#include "replay/recording/recorded_history.h"

namespace vramlab::replay {

/// The metrics of one device. Without events only the end is known.
MetricValues history_metrics(const DeviceHistory& history, const ExplainedHistory& explained);

/// The metrics of a history of pinned host memory, whose entries have the sizes of blocks.
MetricValues host_history_metrics(const DeviceHistory& host, const ExplainedHistory& explained);

}  // namespace vramlab::replay
