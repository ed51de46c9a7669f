// ProcessNotes: the notes that the stand-ins (PID.json) and the hook for Python (python.PID.json)
// wrote about a process in the folder of the run; a process that was killed may have left only one
// of them. The histories of the processes lie in the same folder, which is removed at the end:
// those that were asked for are copied to their own names before.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "traces/io/byte_sink.h"

namespace vramlab::tools {

struct NotedPlace {
  std::string place;
  std::uint64_t count = 0;
};

struct Note {
  /// `unknown`, `modelled`, `beside_peak`, `host_read` and others.
  std::string kind;
  std::string subject;
  std::uint64_t count = 0;
  /// The place of the last note; empty if nobody knows.
  std::string last_place;
  std::vector<NotedPlace> places;
};

/// Memory by the driver's own account, without the context.
struct NotedGpu {
  std::int64_t index = 0;
  std::uint64_t peak_used_bytes = 0;
  /// Managed memory at its own peak, and at that of the GPU's memory.
  std::uint64_t peak_managed_bytes = 0;
  std::uint64_t managed_at_peak_bytes = 0;
  /// The peak of both together.
  std::uint64_t peak_with_managed_bytes = 0;
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

/// An exception that nobody caught.
struct NotedError {
  std::string type;
  std::string place;
  /// Not if it is one of the program's text, or of what is installed.
  bool may_come_from_values = false;
};

/// A place at which made-up values decided how many elements were chosen.
struct NotedSize {
  std::string place;
  std::uint64_t count = 0;
  /// How often nothing was chosen.
  std::uint64_t none = 0;
};

/// A file that decides what the program does, as it was at the program's end.
struct NotedFile {
  std::string path;
  /// Below 0 for a file that is missing.
  std::int64_t bytes = 0;
  std::int64_t changed_ns = 0;
};

/// The notes of the hook for Python.
struct PythonNotes {
  std::string torch;
  /// Such as 12.4; empty if this PyTorch was built without CUDA.
  std::string torch_cuda;
  /// The architectures that its kernels are compiled for, such as `sm_90`.
  std::vector<std::string> kernel_code;
  bool has_cuda = false;
  bool cuda_came_up = false;
  /// Empty without one.
  std::string history;
  /// The name that was asked for, with this process's number and variables filled in.
  std::string output;
  std::string rank;
  std::uint64_t steps = 0;
  bool ended_after_steps = false;
  std::optional<NotedError> error;
  /// The place at which the program waited for a made-up value and was ended; empty if it did not.
  std::string waits_at;
  std::vector<NotedSize> sizes;
  std::uint64_t failure_count = 0;
  std::vector<NotedFailure> failures;
  /// Functions that PyTorch looks for and no stand-in has; they were added for this run.
  std::vector<std::string> missing_functions;
  /// Empty unless they were asked for.
  std::vector<NotedFile> files;
  /// It told all that it did; false for one that was killed before.
  bool has_ended = false;
  /// Marks at functions of an inference engine, for `serve`; null unless they were asked for.
  nlohmann::ordered_json serving;
  /// Errors inside the hook.
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
  /// The recorded driver's calls of a process without a history of PyTorch; empty without any.
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
  /// Empty if nobody knows.
  std::vector<std::string> kernel_code() const {
    return python ? python->kernel_code : std::vector<std::string>();
  }
  std::vector<const Note*> of_kind(const std::string& kind) const;
  /// The place at which a made-up value was read last; empty if none was.
  std::string last_read() const;
  /// The place at which made-up values were read most; null if none was, or nobody knows.
  std::optional<NotedPlace> most_read() const;
  /// Among several processes: `rank 3`, or `process 4711`.
  std::string name() const;
};

/// The place with two parts of its path, as call sites have everywhere.
std::string short_place(const std::string& place);

/// In order of the processes' numbers. Unreadable notes are left out, with a sentence in
/// `troubles`.
std::vector<ProcessNotes> read_process_notes(const std::string& folder,
                                             std::vector<std::string>& troubles);

struct NamedHistories {
  /// The process of the program itself.
  int process = 0;
  traces::Overwrite overwrite = traces::Overwrite::refused;
};

/// Copies each history to the name that its process asked for, and returns the names by process. If
/// several processes asked for one name, the program's own process gets it, else the largest
/// history; the names of the others end in their process. Throws InputError if a file can't be
/// written.
std::map<int, std::string> name_histories(const std::vector<ProcessNotes>& processes,
                                          const NamedHistories& named);

}  // namespace vramlab::tools
