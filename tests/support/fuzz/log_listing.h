// The program that a reader makes of a log, as lines of a native trace, to compare with.
#pragma once

#include <string>

#include "traces/logs/address_program.h"

namespace vramlab::support {

struct LogListing {
  /// Without the header's line.
  std::string lines;
  std::string header;
  traces::LogFacts facts;
  /// The reader's error; empty where it read all.
  std::string error;
};

/// Reads a log out of memory, given to the reader a number of bytes at a time.
LogListing read_profiler_bytes(const std::string& bytes, std::size_t bytes_at_a_time = 1 << 20);
LogListing read_rmm_bytes(const std::string& bytes, std::size_t bytes_at_a_time = 1 << 20);
LogListing read_bfc_bytes(const std::string& bytes, std::size_t bytes_at_a_time = 1 << 20);
/// The same as out of a pipe, which can be read only once.
LogListing read_piped_rmm_bytes(const std::string& bytes, std::size_t bytes_at_a_time = 1 << 20);
LogListing read_piped_bfc_bytes(const std::string& bytes, std::size_t bytes_at_a_time = 1 << 20);

}  // namespace vramlab::support
