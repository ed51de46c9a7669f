// What the shim tells of itself: statistics as lines of text, and a snapshot that
// `vramlab info`, `snapshot` and `diff` read. Spelled by hand: the shim is loaded into any process
// and brings no library with it.
#pragma once

#include <string>
#include <vector>

#include "allocator/words/snapshot.h"
#include "allocator/words/statistic_values.h"
#include "tools/preload/shim/arena.h"

namespace vramlab::shim {

using ArenaHistory = std::vector<AllocatorEvent>;

struct ArenaReport {
  int device = 0;
  StatisticValues statistics;
  Snapshot snapshot;
  ArenaHistory history{};
};

/// One device's list of `device_traces`, by time: each arena has memory of its own.
std::string history_json(const std::vector<const ArenaHistory*>& arenas);
std::string statistics_text(const std::vector<ArenaReport>& arenas);
std::string snapshot_json(const std::vector<ArenaReport>& arenas, const std::string& settings);

/// What the arena says now; nothing where nothing was allocated in it.
void add_report(std::vector<ArenaReport>& reports, Arena& arena);
/// To where the options say. What cannot be written is told on standard error.
void write_reports(const std::vector<ArenaReport>& reports, const ShimOptions& options);

/// A signal asks for a report: its handler sets a flag, at which the next call looks.
void listen_for_report_signal(int signal);
/// Whether one came since the last time.
bool take_report_request();

/// Every `%p` is the number of the process, as programs start others with the same environment.
std::string path_for_process(const std::string& path, long process);

}  // namespace vramlab::shim
