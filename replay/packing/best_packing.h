// BestPacking: places the lifetimes of a whole history on one range of addresses, knowing all of
// them beforehand: what a planner with perfect foresight could do. Several heuristics of the
// literature are tried and the lowest result is kept; which are tried depends on how many buffers
// there are.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "replay/packing/buffer.h"
#include "replay/packing/floor_search.h"

namespace vramlab::replay {

struct PackingLimits {
  std::uint64_t seed = 1;
  /// More buffers get only place_in_time() and the first of the orders, then only place_in_time().
  std::size_t most_for_all_orders = 300'000;
  std::size_t most_for_one_order = 3'000'000;
  /// Ranges to look at while they are placed in one order; more, and the order is given up.
  std::uint64_t most_work_of_order = 100'000'000;
  /// Pairs of buffers to compare while an order is improved; 0: it is not.
  std::uint64_t climb_work = 60'000'000;
  /// More pairs that are there at the same time are not searched in.
  std::uint64_t most_pairs = 2'000'000;
  /// More buffers are not searched through from the ground up. A walk through so many takes 3 MiB
  /// of stack.
  std::size_t most_for_floor_search = 5'000;
  std::uint64_t floor_states = 1'500'000;
  /// A packing so low is low enough: the search goes for it, and ends there.
  std::optional<Bytes> target = std::nullopt;
  /// Runs walks of the search side by side; the packing is the same with any.
  TaskRunner run = run_one_by_one;
};

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

  /// No packing can be lower.
  bool is_optimal() const { return packing.height == load_bound; }
};

/// Requires: sizes that add up to less than 2^62, fewer than 2^32 buffers.
PackingResult best_packing(const std::vector<Buffer>& buffers, const PackingLimits& limits = {});

}  // namespace vramlab::replay
