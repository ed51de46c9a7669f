// HazardProgram: a small program of host threads, streams, events, graphs and memory, as the
// hazard checker and the interleavings beside it are given it.
#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "streams/hazards/hazard.h"
#include "streams/stream_model/open_captures.h"
#include "streams/stream_model/work.h"

namespace vramlab::tests {

enum class StepKind : std::uint8_t {
  work,
  blocking_copy,
  write_flag,
  await_flag,
  record,
  wait,
  sync_stream,
  sync_event,
  sync_device,
  query_stream,
  query_event,
  hand_out,
  use,
  free,
  launch,
  create_stream,
  destroy_stream,
};

struct HazardStep {
  StepKind kind = StepKind::work;
  std::uint32_t thread = 0;
  streams::StreamAt stream{};
  /// The event, the flag, the block or the graph.
  std::uint64_t subject = 0;
  std::vector<streams::BlockNumber> read{};
  std::vector<streams::BlockNumber> written{};
  /// An allocation's range, in units of 1 KiB.
  std::uint64_t first_unit = 0;
  std::uint64_t unit_count = 0;
  /// A query was successful in the run.
  bool is_successful = false;
  /// For create_stream.
  bool is_blocking = true;
  std::uint64_t tag = 0;
};

/// The captured items, in the order of the capture: work, records and waits. The first stream is
/// the origin; it joins the others at the end.
using CapturedSteps = std::vector<HazardStep>;

struct HazardProgram {
  std::vector<streams::StreamAt> blocking_streams;
  std::vector<streams::StreamAt> other_streams;
  std::vector<CapturedSteps> graphs;
  std::vector<HazardStep> steps;
  /// Something waited for ever in the run.
  bool is_stuck = false;
};

/// The kind, and the tags of both sides.
using FoundHazards = std::set<std::tuple<streams::HazardKind, std::uint64_t, std::uint64_t>>;

/// The program as text, a line for each step.
std::string text_of(const HazardProgram& program);
std::string text_of(const FoundHazards& found);

/// Notes in the program which queries were successful and whether a thread waited for ever, and
/// removes the steps that threads never reached because of that.
FoundHazards hazards_by_checker(HazardProgram& program);

struct HazardProgramTraits {
  std::uint32_t threads = 1;
  bool has_graphs = false;
  bool has_memory_reuse = true;
  bool has_flags = false;
  std::uint32_t works = 8;
};
HazardProgram random_hazard_program(const HazardProgramTraits& traits, std::uint64_t seed);

}  // namespace vramlab::tests
