// BestPacking: places the lifetimes of a whole history on one range of addresses, knowing all of
// them beforehand: what a planner with perfect foresight could do. Several heuristics of the
// literature are tried and the lowest result is kept; which are tried depends on how many buffers
// there are.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "replay/packing/buffer.h"
#include "replay/packing/search_runs.h"

namespace vramlab::replay {

struct PackingLimits {
  std::uint64_t seed = 1;
  /// More buffers get only place_in_time(), the first of the orders and searches of few, then only
  /// place_in_time().
  std::size_t most_for_all_orders = 300'000;
  std::size_t most_for_one_order = 3'000'000;
  /// Ranges to look at while they are placed in one order; more, and the order is given up.
  std::uint64_t most_work_of_order = 100'000'000;
  /// Sections to look at while lifetimes are filled from the ground up: for the first time, which
  /// is given up if it needs more, and for all others.
  std::uint64_t first_skyline_work = 400'000'000;
  std::uint64_t skyline_work = 30'000'000;
  /// More buffers are not searched through from the ground up. A walk through so many takes 3 MiB
  /// of stack.
  std::size_t most_for_floor_search = 5'000;
  std::uint64_t floor_states = 1'500'000;
  /// A packing so low is low enough: the search goes for it, and ends there.
  std::optional<Bytes> target = std::nullopt;
  SearchRuns runs = {};
  /// Told of each heuristic when it begins, and of the lowest height so far.
  std::function<void(std::string_view heuristic, Bytes lowest)> listener = nullptr;
};

/// With smaller budgets, so that it takes no longer than the replays beside it.
PackingLimits packing_beside_replays();

struct TriedPacking {
  std::string heuristic;
  Bytes height;
};

struct PackingResult {
  /// The name of the one that was lowest.
  std::string heuristic;
  Packing packing;
  /// The most that is there at once: no packing is lower.
  Bytes load_bound;
  /// In the order in which they were tried.
  std::vector<TriedPacking> tried;
  /// Sentences: what was left out because there are too many buffers.
  std::vector<std::string> left_out;
  /// Somebody ended it, so that another run may find another one.
  bool was_ended = false;

  /// No packing can be lower.
  bool is_optimal() const { return packing.height == load_bound; }
};

/// Requires: sizes that add up to less than 2^62, fewer than 2^32 buffers.
PackingResult best_packing(const std::vector<Buffer>& buffers, const PackingLimits& limits = {});

}  // namespace vramlab::replay
