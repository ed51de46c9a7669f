// A program of calls on streams is run by TimedStreams and by NaiveStreams, and all their words are
// compared: each answer, the issued items, the times when they began and ended, and stuck items.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "tests/support/programs/stream_program.h"

namespace vramlab::tests {

/// The first difference, and the call where it begins; empty if both agree.
std::optional<std::string> first_stream_difference(const StreamProgram& program);

/// The same difference with calls left out as long as some difference remains.
std::string explain_stream_difference(StreamProgram program);

/// Counts of the cases that programs reached.
struct StreamTally {
  std::uint64_t programs = 0;
  std::uint64_t calls = 0;
  std::uint64_t refused = 0;
  std::uint64_t never_made = 0;
  std::uint64_t items = 0;
  std::uint64_t graph_nodes = 0;
  std::uint64_t stuck_programs = 0;
  std::uint64_t lost_contexts = 0;
};
std::optional<std::string> first_stream_difference(const StreamProgram& program,
                                                   StreamTally& tally);

}  // namespace vramlab::tests
