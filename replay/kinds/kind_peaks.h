// The most that each kind of memory held, each at a moment of its own.
#pragma once

#include "replay/kinds/block_kinds.h"
#include "replay/metrics/metrics.h"
#include "replay/recording/explained_history.h"

namespace vramlab::replay {

/// Metrics such as `peak_activations`, of kinds that held anything, in the order of the table.
MetricValues kind_metrics(const DeviceHistory& history, const StartedHistory& started,
                          const BlockKinds& kinds);

}  // namespace vramlab::replay
