// HistoryFindings: the history of one process, found by following it, with what it shows of each
// device; and a replayer, which finds the smallest GPU and the setting to use.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "replay/explain/device_overview.h"
#include "replay/kinds/step_growth.h"
#include "replay/replayer/replayer.h"

namespace vramlab::tools {

struct HistoryFindings {
  /// Devices with events or memory, by number.
  std::vector<replay::DeviceOverview> devices;
  std::uint64_t event_count = 0;
  /// The memory that grows from step to step, by the number of its device; of histories that say
  /// kinds.
  std::map<std::int64_t, replay::StepGrowth> growth;
  /// Null if nothing was recorded.
  std::shared_ptr<replay::Recording> recording;
  /// Replays the recording; null if it has no events.
  std::unique_ptr<replay::Replayer> replayer;

  bool ran_out_of_memory() const;
  /// The device that reserves most; null without devices.
  const replay::DeviceOverview* worst() const;
  /// All devices together.
  replay::MetricValues metrics() const;
};

/// `release` is the PyTorch that made the history; if it is empty, the history itself tells the
/// version of its rules. Throws InputError.
HistoryFindings find_in_history(const std::string& path, std::string_view release);

}  // namespace vramlab::tools
