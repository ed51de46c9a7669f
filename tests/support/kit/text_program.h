// Programs written as lines of a native trace.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tests/support/kit/memory_source.h"
#include "traces/formats/open_trace.h"

namespace vramlab::support {

inline constexpr std::uint64_t mebibyte = 1U << 20;

/// An open file named `program` with these lines below a header.
inline traces::OpenTrace open_program(const std::string& lines) {
  return traces::open_trace(traces::open_bytes(
      support::make_memory_source("{\"format\":\"vramlab-trace\",\"version\":1}\n" + lines),
      "program"));
}

inline std::string malloc_line(std::uint64_t id, std::uint64_t bytes,
                               const std::string& more = "") {
  return "{\"malloc\":" + std::to_string(id) + ",\"bytes\":" + std::to_string(bytes) + more + "}\n";
}

inline std::string free_line(std::uint64_t id, const std::string& more = "") {
  return "{\"free\":" + std::to_string(id) + more + "}\n";
}

}  // namespace vramlab::support
