// The native traces in tests/traces/samples.
#pragma once

#include <fstream>
#include <sstream>
#include <string>

#include "tests/support/processes/places.h"

namespace vramlab::support {

/// All that can be in a snapshot.
inline constexpr const char* every_shape = "every_shape.vtrace.jsonl";
/// Every kind of event of a program.
inline constexpr const char* whole_program = "program.vtrace.jsonl";

inline std::string native_sample(const std::string& name) {
  std::ostringstream bytes;
  bytes << std::ifstream(source_dir() + "/tests/traces/samples/" + name).rdbuf();
  return bytes.str();
}

}  // namespace vramlab::support
