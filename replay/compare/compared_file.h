// ComparedFile: what two files are compared by: metrics, and who held memory at a moment. It
// depends neither on addresses nor on the order of a file.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "replay/call_sites/call_sites.h"
#include "replay/call_sites/holdings.h"
#include "replay/compare/event_order.h"
#include "replay/metrics/metrics.h"
#include "replay/replayer/replay_conditions.h"
#include "traces/formats/open_trace.h"
#include "traces/io/byte_source.h"
#include "traces/io/long_sequence.h"

namespace vramlab::replay {

struct ComparedFile {
  std::string name;
  /// Such as `a recording`.
  std::string kind;
  /// One device's, or the sum of all.
  MetricValues metrics;
  /// Whether it says who held memory; a report of figures does not.
  bool has_groups = false;
  /// All devices together, by key.
  std::vector<HeldGroup> groups;
  /// When that was, where the file has one device or one was asked for.
  std::optional<std::uint64_t> event;
  bool is_at_end = false;
  /// The recording itself, where it is one, without the devices that were not asked for.
  std::shared_ptr<const RecordedFile> recorded;
  /// Sentences: what is not sure.
  std::vector<std::string> notes;
};

struct CompareConditions {
  Moment moment;
  /// What tells one block from another; nothing for its place in an iteration, and its size.
  std::optional<GroupBy> by = GroupBy::site;
  /// Only this device.
  std::optional<std::int64_t> device;
  /// With that of the host, metrics, groups and events are those of pinned host memory.
  traces::ShownMemory memory = traces::ShownMemory::device;
  /// For long histories.
  traces::ScratchPlace scratch;
};

/// A recording, a program, or the JSON report of a replay. Throws InputError.
ComparedFile read_compared_file(const std::string& path, const CompareConditions& conditions,
                                const traces::ProgressListener& listener);

/// Who held memory, from one pass over the file; two more where positions tell blocks apart.
void add_groups(const std::string& path, const CompareConditions& conditions,
                const traces::ProgressListener& listener, ComparedFile& compared);

/// Replays the program, twice where it is looked at before its end.
void add_program_metrics(const std::string& path, const CompareConditions& conditions,
                         const traces::ProgressListener& listener, ComparedFile& compared);

/// Counted from the recording itself.
void add_recorded_metrics(const std::string& path, const CompareConditions& conditions,
                          const traces::ProgressListener& listener, ComparedFile& compared);

/// Empty if the file is not JSON of vramlab's own commands.
std::optional<ComparedFile> read_report(const std::string& path,
                                        const CompareConditions& conditions);

}  // namespace vramlab::replay
