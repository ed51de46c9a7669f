// FitRun: one dry run of `fit`, as it is asked for, and the figures that come back from it. A run
// is a process of its own, so the figures also have a form as JSON.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "tools/cli/commands/dry_run/dry_run_job.h"
#include "tools/cli/commands/dry_run/process_notes.h"

namespace vramlab::tools {

struct FitRun {
  DryRunArguments arguments;
  /// Option strings under which the history is replayed; an empty optional is for the recorded one.
  std::vector<std::optional<std::string>> confs;
  /// The file for what the program prints.
  std::string log;
  /// The socket of a ForkServer that forks the program; below 0 if it is started anew.
  int fork_server = -1;
};

/// The name of all holders of memory that are not named.
inline constexpr const char* rest_of_holders = "all others";

/// Reasons of the command for ending a run.
enum class FitStop : std::uint8_t { none, time, interrupt };

/// The figures are those of the process that reserves most.
struct FitFigures {
  int status = 0;
  FitStop stopped = FitStop::none;
  /// Such as `ValueError at train.py:12 main`; empty if no exception ended the program.
  std::string error;
  /// The reason why there are no figures; mostly empty.
  std::string trouble;
  /// The last lines that the program printed.
  std::string last_words;
  bool ran_out_of_host_memory = false;
  std::uint64_t failures = 0;
  /// The first request that failed.
  std::uint64_t failed_bytes = 0;
  std::string failed_at;
  /// The process that made it, such as `rank 3`; empty for the only one.
  std::string failed_process;
  std::uint64_t peak_allocated = 0;
  std::uint64_t peak_reserved = 0;
  bool used_memory() const { return peak_reserved > 0; }
  /// A holder of allocated memory at its peak.
  struct Held {
    std::string name;
    std::uint64_t bytes = 0;
  };
  /// Kinds of memory where the history says them, else lines of the program; the most bytes first,
  /// and at last the rest together.
  std::vector<Held> held;
  bool is_held_by_kind = false;
  /// Such as `rank 3`; empty for the only process.
  std::string worst_process;
  /// The least memory on which the history replays, for each of the option strings; empty where a
  /// request failed or no memory is enough.
  std::vector<std::optional<std::uint64_t>> needs;
  /// The same text for equal histories.
  std::string history_fingerprint;
  /// The limit of --fail-if that does not hold, with the value; empty if all do.
  std::string broken_limit;
  /// Answers that a GPU may give otherwise and that can move a peak.
  std::uint64_t modelled = 0;
  std::string torch;
  /// The files that decide what the program does; empty if they are not known.
  std::vector<NotedFile> files;
  double processor_s = 0;
  std::uint64_t host_bytes = 0;
};

/// Makes the run and reads what it left. Called in a process of its own.
FitFigures figures_of_run(const FitRun& run, const RunProgram& run_program);

nlohmann::ordered_json figures_json(const FitFigures& figures);
/// Throws nlohmann's exceptions for other JSON.
FitFigures figures_from_json(const nlohmann::ordered_json& json);

}  // namespace vramlab::tools
