// ComparedFile: a file as it is compared with another: its metrics, and who held memory at a
// moment. It depends neither on addresses nor on the order of a file. A recording's metrics are
// counted from the recording itself, a program's come from a replay, and a report has them already.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "replay/call_sites/call_sites.h"
#include "replay/call_sites/holdings.h"
#include "replay/compare/event_order.h"
#include "replay/metrics/metrics.h"
#include "replay/recording/recording.h"
#include "replay/replayer/replay_conditions.h"
#include "traces/io/byte_source.h"

namespace vramlab::replay {

struct ComparedFile {
  std::string name;
  /// Such as `a recording`.
  std::string kind;
  /// The metrics of one device, or the sum of all.
  MetricValues metrics;
  /// The file says who held memory; a report of figures does not.
  bool has_groups = false;
  /// All devices together, by key.
  std::vector<HeldGroup> groups;
  /// Kinds by module then, where a recording says them.
  std::optional<std::vector<HeldGroup>> modules;
  /// The moment of the groups, where the file has a single device or one was asked for.
  std::optional<std::uint64_t> event;
  bool is_at_end = false;
  /// The recording itself, where it has histories.
  std::shared_ptr<Recording> recorded;
  /// Only this device counts.
  std::optional<std::int64_t> device;
  /// Sentences about all that is not sure.
  std::vector<std::string> notes;

  /// The devices of the recording that count.
  std::vector<const DeviceHistory*> devices() const;
};

struct CompareConditions {
  Moment moment;
  /// The property that blocks are grouped by; empty for the place in an iteration, and the size.
  std::optional<GroupBy> by = GroupBy::site;
  /// Only this device.
  std::optional<std::int64_t> device;
  /// For recordings that do not say what blocks hold.
  KindsFrom kinds_otherwise = KindsFrom::notes;
};

/// A recording or a program. Throws InputError.
ComparedFile compared_file_of(std::shared_ptr<Recording> recording,
                              const CompareConditions& conditions);

/// Whether a file that begins so is JSON of vramlab's own commands.
bool is_report(std::string_view start);
/// The figures of such a report. Throws InputError.
ComparedFile read_report(traces::OpenBytes& bytes, const CompareConditions& conditions);

}  // namespace vramlab::replay
