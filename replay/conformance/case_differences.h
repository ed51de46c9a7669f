// Differences between recorded and actual answers: the first difference of each part of a case's
// answers, for the caching allocator and for pinned memory, and the first difference of two
// snapshots. Values are written as text, so that expected and actual ones can be printed beside
// each other.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "allocator/types/host_values.h"
#include "allocator/types/snapshot.h"
#include "replay/conformance/case_run.h"

namespace vramlab::replay {

/// A place where a run and a recorded case differ, or two snapshots.
struct Difference {
  /// Such as `results[12]` or `final_stats.segment.all`.
  std::string where = {};
  std::string expected = {};
  std::string actual = {};
  /// The call that caused it; -1 for the settings at the start, empty where it shows at the end.
  std::optional<std::int64_t> call = {};
  /// The place in memory to look at.
  std::optional<Address> address = {};
  /// The entry of a difference in the trace, whose call the answers alone do not tell.
  std::optional<std::size_t> trace_entry = {};
};

/// Empty where all answers agree. Begins with a call that could not be made.
std::vector<Difference> find_differences(const traces::RecordedCase& recorded,
                                         const CaseAnswers& actual);
std::vector<Difference> find_differences(const traces::HostCase& recorded,
                                         const traces::HostAnswers& actual);

/// The first difference; `where` is such as `[2].blocks[5]`, to follow the name of the snapshot.
std::optional<Difference> find_difference(const Snapshot& expected, const Snapshot& actual);

std::string text_of(const AllocatorEvent& event);
std::string text_of(const SnapshotBlock& block);
/// The segment without its blocks.
std::string text_of(const SnapshotSegment& segment);
std::string text_of(const StatisticValue& value);
std::string text_of(const HostEvent& event);
std::string text_of(const HostBlockState& block);

/// A snapshot near one address: the segment that holds it, its neighbours, and the blocks around
/// it. Several lines, each with a line break; the block that holds the address is marked.
std::string segment_map(const Snapshot& snapshot, Address around);

}  // namespace vramlab::replay
