// What `vramlab pack` prints: lower bounds, and how low the packings are.
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "replay/packing/best_packing.h"
#include "replay/packing/pack_input.h"

namespace vramlab::tools {

/// What ended the searches before their budgets of work did.
enum class EndedBy : std::uint8_t { nothing, time, interrupt };

struct PackOutcome {
  /// As it was named.
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

/// Looked at by the check, too.
replay::PackingResult checked_packing(const replay::PackGroup& group,
                                      const replay::PackingLimits& limits);
/// One for each group.
std::vector<replay::PackingResult> checked_packings(const replay::PackInput& input,
                                                    const replay::PackingLimits& limits);

nlohmann::ordered_json pack_groups_json(const PackOutcome& outcome);

}  // namespace vramlab::tools
