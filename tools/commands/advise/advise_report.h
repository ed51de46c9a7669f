// What `vramlab advise` prints.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "replay/whatif/advise.h"

namespace vramlab::tools {

struct AdviseOutcome {
  std::string file;
  std::string reference;
  std::string conditions;
  replay::Trust trust = replay::Trust::exact;
  /// The origin of the costs of device calls.
  std::string costs_origin;
  /// The device's memory; empty without a limit.
  std::optional<allocator::Bytes> memory;
  std::vector<std::string> notes;
  /// What keeps memory at the peak, where nothing helps: sentences.
  std::vector<std::string> pinners;
  replay::Advice advice;
};

/// Why nothing helps, or why it does not fit; empty where something helps and it fits.
std::vector<std::string> advise_reasons(const AdviseOutcome& outcome);
std::string advise_text(const AdviseOutcome& outcome);
std::string advise_json(const AdviseOutcome& outcome);

}  // namespace vramlab::tools
