// Figures of processes that are watched: lines while they run, a table of one process, the summary
// at the end, and JSON.
#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "tools/cli/commands/watch/watched_processes.h"

namespace vramlab::tools {

/// Allocated memory at the figures before, by process and device: growth is the difference.
class WatchedGrowth {
 public:
  /// `+3.00 MiB`; empty the first time. The next growth begins at these figures.
  std::string since_before(const WatchedProcess& process, const WatchedDevice& device);

 private:
  std::map<std::pair<std::int64_t, std::int64_t>, Bytes> before_;
};

/// A line for each device of each process that runs.
std::string watched_lines(const std::vector<WatchedProcess>& processes, WatchedGrowth& growth);

/// The figures of one process now.
std::string watched_table(const WatchedProcess& process, WatchedGrowth& growth);

/// The peaks of all processes, with what is known of failures. `status` is the program's.
std::string watch_summary(const std::vector<WatchedProcess>& processes, int status);

/// The same as a document.
std::string watch_json(const std::vector<WatchedProcess>& processes, int status);

}  // namespace vramlab::tools
