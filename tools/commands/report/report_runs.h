// The runs that a report page shows: each a recording as it is, or a recording or a program
// replayed under some options.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "replay/page/report_page.h"
#include "tools/kit/progress_bar.h"
#include "tools/kit/replay_arguments.h"

namespace vramlab::tools {

/// What one run is made of.
struct ReportRunRequest {
  std::string file;
  /// Empty for what tells recordings from replays.
  std::string title;
  replay::ReplayConditions conditions;
  /// A recording is replayed under the conditions; otherwise it is shown as it is.
  bool is_replay = false;
};

/// The run as the page holds it, packed, no more than `most_bytes` letters long: where everything
/// does not fit, less of a long history is held.
std::string packed_run(const ReportRunRequest& request, const replay::ReportLimits& limits,
                       std::size_t most_bytes, const traces::ProgressListener& listener);

}  // namespace vramlab::tools
