// Everything that a reader gives a sink, as lines of text, to compare with.
#pragma once

#include <string>

namespace vramlab::support {

struct SnapshotReading {
  /// A line for each call of the sink.
  std::string lines;
  /// The reader's error; empty where it read all.
  std::string error;
};

/// Reads a pickle out of memory, given to the reader a number of bytes at a time.
SnapshotReading read_pickle_bytes(const std::string& bytes, std::size_t bytes_at_a_time = 1 << 20);
/// The same for JSON.
SnapshotReading read_json_bytes(const std::string& bytes, std::size_t bytes_at_a_time = 1 << 20);

}  // namespace vramlab::support
