// ServeOutcome: the answer of `serve` as a value, and as text for people and JSON for programs
// (docs/reference/schemas/serve.schema.json).
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "replay/fit/utilization_search.h"
#include "tools/cli/commands/dry_run/dry_run_job.h"
#include "tools/cli/commands/dry_run/dry_run_outcome.h"
#include "tools/cli/commands/serve/asked_load.h"
#include "tools/cli/commands/serve/serving_notes.h"
#include "tools/cli/commands/serve/serving_parts.h"

namespace vramlab::tools {

/// A process with the marks of an engine.
struct ServingProcess {
  /// The index of the process in the run.
  std::size_t process = 0;
  ServingNotes notes;
  ServingParts parts;
};

enum class ServerState : std::uint8_t {
  /// The program is a script, which ends by itself.
  no_server,
  answered,
  /// It ended, or the time was over, before it answered.
  silent,
};

/// Requests to a server, and how many of them were answered.
struct ServedLoad {
  AskedLoad asked;
  std::uint64_t answered = 0;
  /// The status line of the first that failed; empty without one.
  std::string failure;
};

/// An engine that was sent to sleep and woken.
struct Sleep {
  unsigned level = 0;
  bool woke_up = false;
};

struct ServeOutcome {
  DryRunOutcome run;
  ServerState server = ServerState::no_server;
  bool was_time_over = false;
  std::optional<ServedLoad> load;
  std::optional<Sleep> sleep;
  /// Processes with marks, in order of their numbers.
  std::vector<ServingProcess> processes;
  /// Figures of the whole engine, told by the process that has them.
  EngineFigures engine;
  /// The time of all processes together, and the memory of the largest.
  double processor_s = 0;
  std::uint64_t host_bytes = 0;
  /// The runs for the largest utilization, if it was asked for.
  std::optional<replay::UtilizationSearch> utilization;

  /// The process that reserves most of those with marks; null without any.
  const ServingProcess* worst() const;
  /// Every process is ready, a server answered, and a script ended with 0.
  bool has_started() const;
  /// It started, answered all requests that it got, and slept and woke if it was asked to.
  bool has_served() const;
};

std::string serve_text(const ServeOutcome& outcome, const DryRunArguments& arguments);
std::string serve_json(const ServeOutcome& outcome, const DryRunArguments& arguments);

}  // namespace vramlab::tools
