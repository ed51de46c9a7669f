// The answers of an executor of a stream program, as values: a GPU through CUDA's runtime, or the
// simulator. Only stamps and elapsed times depend on how long anything took.
#pragma once

#include <compare>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "tests/support/programs/stream_program.h"

namespace vramlab::tests {

/// Work, by its tag, runs once; captured work once for each launch of its graph, counted from 0.
struct WorkRun {
  std::uint64_t tag = 0;
  std::uint32_t number = 0;
  friend constexpr auto operator<=>(WorkRun, WorkRun) = default;
};
using WorkRuns = std::set<WorkRun>;

/// Nanoseconds by a clock of the executor's.
struct StampSpan {
  std::uint64_t begin_ns = 0;
  std::uint64_t end_ns = 0;
};

struct RunAnswer {
  /// The work that it saw to have ended when it began.
  WorkRuns ended_before;
  /// Host functions have none: the clock is the device's.
  std::optional<StampSpan> stamps;
};

struct CallAnswer {
  /// Such as `cudaErrorNotReady`.
  std::string error;
  /// The time that passed in ns, the mode before, whether a stream captures and how many nodes its
  /// next one depends on.
  std::vector<std::int64_t> figures;
  /// The work that the host saw to have ended when the call had returned.
  WorkRuns ended;
};

struct DeviceAnswers {
  /// By call.
  std::vector<CallAnswer> calls;
  /// Every run that ended, when nothing was left to do.
  std::map<WorkRun, RunAnswer> runs;
};

/// No work of a program for an executor runs more often.
inline constexpr std::uint32_t most_runs_of_a_work = 4;

/// Makes a program's calls one after another, each when the one before has returned.
class DeviceExecutor {
 public:
  DeviceExecutor() = default;
  DeviceExecutor(const DeviceExecutor&) = delete;
  DeviceExecutor& operator=(const DeviceExecutor&) = delete;
  virtual ~DeviceExecutor() = default;

  virtual DeviceAnswers run(const StreamProgram& program) = 0;
};

/// The figures of a simulator's answer, as an executor gives them.
std::vector<std::int64_t> device_figures(const StreamCall& call, const StreamAnswer& answer);

/// Such as "work 7, run 0".
std::string work_run_text(WorkRun run);

}  // namespace vramlab::tests
