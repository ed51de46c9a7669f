// HostReport: what the pinned host memory of a program came to, as a value.
#pragma once

#include <cstdint>
#include <vector>

#include "allocator/types/host_values.h"
#include "replay/metrics/memory_curve.h"
#include "replay/metrics/metrics.h"

namespace vramlab::replay {

/// A call of the system, and the event of the program that caused it.
struct HostCallAt {
  std::uint64_t event = 0;
  HostSystemCall call;
};

struct HostReport {
  std::uint64_t requests = 0;
  std::uint64_t frees = 0;
  /// All requests together, as asked for and as given out.
  Bytes requested;
  Bytes given;
  /// What the program asked for and has not freed.
  ReachedPeak peak_requested;
  /// Blocks that the program holds, or that wait for streams.
  ReachedPeak peak_active;
  /// Obtained from the system, cached blocks and the reserve segment included.
  ReachedPeak peak_pinned;
  Bytes end_active;
  Bytes end_pinned;
  HostStatisticValues statistics;
  std::vector<HostCallAt> calls;
  /// Sentences: what was assumed.
  std::vector<std::string> notes;
};

MetricValues host_metrics(const HostReport& report);

}  // namespace vramlab::replay
