// What `vramlab pack` prints: lower bounds, and how low the packings are.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "replay/pack_input.h"
#include "replay/packing/best_packing.h"

namespace vramlab::tools {

struct PackOutcome {
  /// As it was named.
  std::string file;
  replay::PackInput input;
  /// One for each group of the input.
  std::vector<replay::PackingResult> results;
  std::optional<allocator::Bytes> capacity;

  /// Requires: there is a capacity.
  bool fits(std::size_t group) const { return results[group].packing.height <= *capacity; }
  bool all_fit() const;
};

std::string pack_text(const PackOutcome& outcome);
/// With a line break at its end.
std::string pack_json(const PackOutcome& outcome);

}  // namespace vramlab::tools
