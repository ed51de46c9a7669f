// HostCase: one run of the reference's allocator of pinned memory over a simulated host, decoded:
// what was asked of it and everything it answered. Reading one never trusts the file.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "allocator/types/host_values.h"
#include "allocator/types/reference_version.h"
#include "traces/cases/recorded_case.h"
#include "traces/model/host_calls.h"

namespace vramlab::traces {

struct HostProgram {
  std::string name;
  const ReferenceVersion* version = nullptr;
  /// The option string in force at the start.
  std::string config;
  std::vector<HostCall> calls;
};

/// Everything that a run answered.
struct HostAnswers {
  /// One for each malloc; a failure counts as out of memory, whatever it was.
  std::vector<HostMallocResult> results;
  /// One for each use: nothing where the id held nothing or the call failed.
  std::vector<std::optional<bool>> uses;
  std::vector<HostSystemCall> system_calls;
  std::vector<RecordedFailure> failures;
  std::vector<HostStatisticValues> statistics;
  std::vector<HostSnapshot> snapshots;
  std::vector<allocator::HostEvent> trace;
  HostSnapshot final_snapshot;
  HostStatisticValues final_statistics;
};

struct HostCase {
  HostProgram program;
  HostAnswers expected;
  /// Whether the version has statistics.
  bool has_statistics = false;
};

}  // namespace vramlab::traces
