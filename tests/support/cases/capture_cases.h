// Small stream programs about captures, one or more for each rule of
// docs/reference/stream_model.md, section 9, for its decisions D11 to D16, and for handles that
// nobody made. An executor and the simulator run them, and every error is compared.
#pragma once

#include <string>
#include <vector>

#include "tests/support/cases/stream_script.h"
#include "tests/support/programs/stream_program.h"

namespace vramlab::tests {

struct CaptureCase {
  /// A rule of docs/reference/stream_model.md, such as "9.7" or "D11".
  std::string rule;
  /// A sentence with underscores.
  std::string name;
  StreamProgram program;
};

using CaptureCases = std::vector<CaptureCase>;

void add(CaptureCases& cases, const char* rule, const char* name, const StreamScript& script);

/// Rules that NVIDIA wrote down.
std::vector<CaptureCase> capture_rule_cases();
/// Rules that nobody wrote down: a device's answer is worth knowing.
std::vector<CaptureCase> capture_decision_cases();

}  // namespace vramlab::tests
