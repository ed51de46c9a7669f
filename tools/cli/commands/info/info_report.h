// What `vramlab info` prints, as text and as JSON.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "replay/recording/recording_summary.h"
#include "traces/logs/address_program.h"
#include "traces/model/program_event.h"

namespace vramlab::tools {

struct InfoOutcome {
  std::string file;
  /// Such as `PyTorch snapshot (pickle)`.
  std::string format;
  /// `gzip`, `zstd` or empty.
  std::string packing;
  /// Such as `protocol 4, written by Python`.
  std::string encoding;
  std::uint64_t bytes = 0;
  replay::RecordingSummary summary;
  /// Pinned host memory, where the recording has it.
  std::optional<replay::DeviceSummary> host;
  /// Set for formats that hold programs.
  std::optional<traces::ProgramSummary> program;
  /// Set for a log that names memory by its address.
  std::optional<traces::LogFacts> log;
};

std::string info_text(const InfoOutcome& outcome);

/// One document over all files, with a line break at its end.
std::string info_json(const std::vector<InfoOutcome>& outcomes);

}  // namespace vramlab::tools
