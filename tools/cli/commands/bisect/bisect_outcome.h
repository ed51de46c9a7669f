// The answer of `bisect`: the dry runs of a program, one for each environment, and the first two of
// them whose peaks differ, compared; as text for people and as JSON
// (docs/reference/schemas/bisect.schema.json).
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "replay/compare/comparison.h"

namespace vramlab::tools {

/// The run in one environment. The figures are those of the process that reserves most.
struct EnvironmentRun {
  /// Such as `2.6.0`.
  std::string name;
  std::string python;
  /// The version that PyTorch told; empty if it told none.
  std::string torch;
  int status = 0;
  /// The exception that ended the program, with its line; empty without one.
  std::string error;
  bool ran_out_of_memory = false;
  std::uint64_t peak_allocated = 0;
  std::uint64_t peak_reserved = 0;
  /// Such as `rank 3`; empty for the only process.
  std::string worst_process;
  /// The name of the history that was kept; empty if none was.
  std::string history;
  /// Null if nothing was recorded.
  std::shared_ptr<replay::Recording> recording;

  bool has_same_peaks(const EnvironmentRun& other) const;
};

struct BisectOutcome {
  std::vector<std::string> program;
  std::vector<EnvironmentRun> runs;
  /// The number of the first run whose peaks differ from those of the run before it.
  std::optional<std::size_t> first_other;
  /// These two; empty if one of them recorded nothing.
  std::optional<replay::Comparison> comparison;
};

std::string bisect_text(const BisectOutcome& outcome);
std::string bisect_json(const BisectOutcome& outcome);

}  // namespace vramlab::tools
