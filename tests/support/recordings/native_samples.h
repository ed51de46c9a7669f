// The samples in tests/traces/samples.
#pragma once

#include <string>

#include "tests/support/processes/places.h"

namespace vramlab::support {

/// Every shape that can be in a snapshot.
inline constexpr const char* every_shape = "every_shape.vtrace.jsonl";
/// Every kind of event of a program.
inline constexpr const char* whole_program = "program.vtrace.jsonl";

inline std::string sample_bytes(const std::string& name) {
  return content_of(source_dir() + "/tests/traces/samples/" + name);
}

}  // namespace vramlab::support
