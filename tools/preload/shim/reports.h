// Reports of the shim: their texts and their files. ReportFile is a file of one process under a
// name that other processes may have as well: each writes its own beside the place, and gives it
// the name when it is whole.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "allocator/types/snapshot.h"
#include "tools/preload/shim/arena.h"

namespace vramlab::shim {

class ReportFile {
 public:
  /// The name as a user gives it (tools/preload/names), or `stderr`; empty: nothing is written. A
  /// file that was last written before this time, in nanoseconds, is of an earlier run, and
  /// removed.
  ReportFile(const std::string& pattern, std::uint64_t since_ns);

  bool is_wanted() const { return !pattern_.empty(); }
  /// Whether another process of the program has written a file of this name already.
  bool is_another_there() const;
  /// Finds out this process's name, while a thread of the program's may read the environment.
  void begin();
  /// Replaces this process's earlier file. If another process wrote a file of this name, the name
  /// ends in the number of this process. Failures are told on standard error.
  void write(std::string_view text);

 private:
  bool write_beside(std::string_view text);
  bool take_name(const std::string& part);
  bool is_of_earlier_run() const;

  std::string pattern_;
  std::uint64_t since_ns_;
  std::string name_;
  pid_t process_ = 0;
  /// The file of this name is this process's.
  bool has_name_ = false;
};

// The texts: statistics as lines, and a snapshot that `vramlab info`, `snapshot` and `diff` read.
// They are spelled by hand: the shim is loaded into any process and brings no library with it.

using ArenaHistory = std::vector<HistoryEntry>;

struct ArenaReport {
  int device = 0;
  StatisticValues statistics;
  Snapshot snapshot;
  ArenaHistory history{};
};

/// One device's list of `device_traces`, by time: each arena has memory of its own.
std::string history_json(const std::vector<const ArenaHistory*>& arenas, const TakenStacks& stacks);
std::string statistics_text(const std::vector<ArenaReport>& arenas);
std::string snapshot_json(const std::vector<ArenaReport>& arenas, const std::string& settings,
                          const TakenStacks& stacks);

/// Adds the arena's report; none if nothing was allocated in it.
void add_report(std::vector<ArenaReport>& reports, Arena& arena);

}  // namespace vramlab::shim
