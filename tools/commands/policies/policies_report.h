// What `vramlab policies` prints: what each policy made of the same requests.
#pragma once

#include <string>
#include <vector>

#include "replay/policies/policy_run.h"

namespace vramlab::tools {

struct PoliciesOfDevice {
  std::int64_t device = 0;
  /// What no policy does with less.
  allocator::Bytes peak_requested;
  std::vector<replay::PolicyRun> runs;
};

struct PoliciesOutcome {
  std::string file;
  /// The options that PyTorch's own run under.
  std::string options;
  std::vector<std::string> notes;
  std::vector<PoliciesOfDevice> devices;
};

std::string policies_text(const PoliciesOutcome& outcome);
std::string policies_markdown(const PoliciesOutcome& outcome);
/// With a line break at its end.
std::string policies_json(const PoliciesOutcome& outcome);

}  // namespace vramlab::tools
