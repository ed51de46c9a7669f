// SkylineSearch: many ways up (skyline_fill.h). The best one so far is kept with states on its way;
// others begin at one of these, take a detour now and then, and end where they can't get lower.
#pragma once

#include <optional>

#include "replay/packing/buffer.h"
#include "replay/packing/search_runs.h"

namespace vramlab::replay {

struct SkylineBudget {
  /// Sections to look at by the first way; more, and there is none.
  std::uint64_t first_work = 0;
  /// And by all others.
  std::uint64_t work = 0;
  std::uint64_t seed = 1;
  /// A packing so low ends the search.
  Bytes enough;
  SearchRuns runs = {};
};

/// Empty if the first way takes more than its budget.
std::optional<Packing> skyline_search(const std::vector<Buffer>& buffers, const Sections& sections,
                                      const SkylineBudget& budget);

}  // namespace vramlab::replay
