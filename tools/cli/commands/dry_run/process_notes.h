// ProcessNotes: what the stand-ins (PID.json) and the hook for Python (python.PID.json) wrote about
// a process in the folder of notes. A process that was killed may have left only one of them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace vramlab::tools {

struct NotedPlace {
  std::string place;
  std::uint64_t count = 0;
};

struct Note {
  /// `unknown`, `modelled`, `host_read` and others.
  std::string kind;
  std::string subject;
  std::uint64_t count = 0;
  std::vector<NotedPlace> places;
};

/// By the driver's own account, without the context.
struct NotedGpu {
  std::int64_t index = 0;
  std::uint64_t peak_used_bytes = 0;
};

/// A call that pinned host memory or gave it back, such as `host_alloc`.
struct NotedPinnedCall {
  std::string call;
  std::uint64_t bytes = 0;
};

/// Pinned host memory, by the driver's own account.
struct NotedPinned {
  std::uint64_t peak_bytes = 0;
  std::uint64_t count = 0;
  /// The first 100,000.
  std::vector<NotedPinnedCall> calls;
};

struct NotedFailure {
  std::int64_t device = 0;
  std::uint64_t requested_bytes = 0;
  std::string place;
};

/// From the hook for Python.
struct PythonNotes {
  std::string torch;
  /// Such as 12.4; empty of a PyTorch that was built without CUDA.
  std::string torch_cuda;
  bool has_cuda = false;
  bool cuda_came_up = false;
  /// Empty without one.
  std::string history;
  /// The name that was asked for, with the process's own number and variables in it.
  std::string output;
  std::string rank;
  std::uint64_t steps = 0;
  bool ended_after_steps = false;
  std::uint64_t failure_count = 0;
  std::vector<NotedFailure> failures;
  /// PyTorch looks for them and no stand-in has them: they were added for this run.
  std::vector<std::string> missing_functions;
  /// What went wrong in the hook.
  std::vector<std::string> troubles;
};

struct ProcessNotes {
  int process = 0;
  std::string program;
  /// The driver was used.
  bool has_driver_notes = false;
  std::vector<Note> notes;
  std::vector<NotedGpu> gpus;
  NotedPinned pinned;
  std::optional<PythonNotes> python;
  /// The driver's calls, of a program that is no Python; empty where there are none.
  std::string trace;
  /// The name that was asked for it.
  std::string trace_output;

  /// PyTorch's own history, else the driver's calls; empty without either.
  const std::string& history() const {
    return python && !python->history.empty() ? python->history : trace;
  }
  const std::string& output() const {
    return python && !python->history.empty() ? python->output : trace_output;
  }
  std::vector<const Note*> of_kind(const std::string& kind) const;
};

/// By number of the process. What can't be read is left out, with a sentence in `troubles`.
std::vector<ProcessNotes> read_process_notes(const std::string& folder,
                                             std::vector<std::string>& troubles);

}  // namespace vramlab::tools
