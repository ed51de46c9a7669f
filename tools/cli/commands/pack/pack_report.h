// The output of `vramlab pack`: lower bounds, and how low the packings are. Other commands show the
// best packing beside their own answers: how far an allocator is from perfect foresight.
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "replay/packing/best_packing.h"
#include "replay/packing/pack_input.h"
#include "replay/replayer/replayer.h"

namespace vramlab::tools {

/// The reason why the searches ended before their budgets of work did.
enum class EndedBy : std::uint8_t { nothing, time, interrupt };

struct PackOutcome {
  /// The file as it was named.
  std::string file;
  replay::PackInput input;
  /// One for each group of the input.
  std::vector<replay::PackingResult> results;
  std::optional<Bytes> capacity;
  EndedBy ended_by = EndedBy::nothing;

  /// Requires: there is a capacity.
  bool fits(std::size_t group) const { return results[group].packing.height <= *capacity; }
  bool all_fit() const;
  bool was_ended() const;
};

/// The peaks of the first few streams.
std::string stream_peaks_text(const replay::LowerBounds& bounds);
/// How low the packing is, by which heuristic, and how far that is from the lowest possible.
std::string best_packing_text(const replay::PackGroup& group, const replay::PackingResult& result);
std::string pack_text(const PackOutcome& outcome);
std::string pack_json(const PackOutcome& outcome);

/// The best packing, which the checker has confirmed.
replay::PackingResult checked_packing(const replay::PackGroup& group,
                                      const replay::PackingLimits& limits);
/// One for each group.
std::vector<replay::PackingResult> checked_packings(const replay::PackInput& input,
                                                    const replay::PackingLimits& limits);

nlohmann::ordered_json pack_groups_json(const PackOutcome& outcome);

/// A packing with smaller budgets than those of `vramlab pack`, so that it takes no longer than the
/// replays beside it. The result says what was left out.
replay::PackingResult packing_beside(const replay::PackGroup& group);

/// Packings of the live memory over time in a replay without a limit, one for each device with
/// memory.
PackOutcome packing_beside(const replay::Replayer& replayer,
                           const replay::ReplayConditions& conditions);

/// The packing of the device that needs most; empty if nothing is packed.
std::optional<std::size_t> largest_packing(const PackOutcome& outcome);

/// Null without a result.
nlohmann::ordered_json best_packing_json(const replay::PackingResult* result);

}  // namespace vramlab::tools
