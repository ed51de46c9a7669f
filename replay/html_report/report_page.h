// ReportPage: what a report page shows of a recording or a replay, computed and packed. A part is
// JSON that says what is there, and bytes that the page reads by it (tools/web/report/src).
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "replay/kinds/block_kinds.h"
#include "replay/recording/followed_blocks.h"
#include "replay/recording/recorded_history.h"
#include "replay/timeline/perfetto_timeline.h"

namespace vramlab::replay {

/// How much a page holds of a long history.
struct ReportLimits {
  /// In the timeline of a device.
  std::size_t moments = 40'000;
  /// Blocks that change from one shown state to the next, together.
  std::uint64_t changes = 2'000'000;
  /// In the table of events.
  std::size_t events = 200'000;
  /// Moments at which fragmentation is looked at.
  std::size_t snapshots = 3'000;
  /// Blocks that are drawn one by one.
  std::size_t blocks = 1'000'000;
  /// Call sites that have a colour of their own.
  std::size_t sites = 11;

  /// Half of everything that can be halved.
  ReportLimits halved() const;
  /// The limits to try next where a page becomes too large: first fewer blocks, as they take most
  /// room, then half of everything.
  ReportLimits lowered() const;
};

enum class ReportOrigin : std::uint8_t { recorded, replayed };

/// A device's history and how it came about.
struct ReportDevice {
  const DeviceHistory& history;
  const ExplainedHistory& explained;
};

/// One recording or one replay.
struct ReportInput {
  std::string file;
  /// Tells it from the others on the page.
  std::string title;
  ReportOrigin origin = ReportOrigin::recorded;
  std::string reference;
  std::string options;
  std::vector<std::string> notes;
  std::vector<ReportDevice> devices;
  std::vector<AnnotationSpan> spans;
  /// Null where nobody knows what blocks hold.
  std::shared_ptr<const RecordingKinds> kinds;
  /// Is told now and then how many of so many steps of the work are done; may be empty.
  std::function<void(std::uint64_t done, std::uint64_t total)> progress;
};

/// Everything that the page shows of it: an item of the page's list of runs, and what is added to
/// its bytes. `settings`: those that it was made under. Requires: no history has an impossible
/// part.
nlohmann::ordered_json report_run(const ReportInput& input, const traces::SnapshotTables& tables,
                                  const Settings& settings, const ReportLimits& limits,
                                  std::string& bytes);

}  // namespace vramlab::replay
