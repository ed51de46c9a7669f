// BestPacking: places the lifetimes of a whole history on one range of addresses, knowing all of
// them beforehand, as a planner with perfect foresight could. Several heuristics of the literature
// are tried and the lowest result is kept; the number of buffers decides which ones are tried.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "replay/packing/buffer.h"
#include "replay/packing/packing_core.h"

namespace vramlab::replay {

struct PackingLimits {
  std::uint64_t seed = 1;
  /// With more buffers than the first limit, only place_in_time(), the first order and searches of
  /// the core are tried; with more than the second, only place_in_time().
  std::size_t most_for_all_orders = 300'000;
  std::size_t most_for_one_order = 3'000'000;
  /// Ranges to look at while buffers are placed in one order; if it needs more, it is given up.
  std::uint64_t most_work_of_order = 100'000'000;
  /// Sections to look at while lifetimes are filled from the ground up: in the first fill, which is
  /// given up if it needs more, and in all others.
  std::uint64_t first_skyline_work = 400'000'000;
  std::uint64_t skyline_work = 30'000'000;
  /// More buffers are not searched from the ground up. A walk through so many takes 3 MiB of stack.
  std::size_t most_for_floor_search = 5'000;
  std::uint64_t floor_states = 1'500'000;
  /// A height that is low enough: the search aims at it, and ends there.
  std::optional<Bytes> target = std::nullopt;
  SearchRuns runs = {};
  /// Told of each heuristic when it begins, and of the lowest height so far.
  std::function<void(std::string_view heuristic, Bytes lowest)> listener = nullptr;
};

/// Smaller budgets, so that a packing takes no longer than the replays beside it.
PackingLimits packing_beside_replays();

struct TriedPacking {
  std::string heuristic;
  Bytes height;
};

struct PackingResult {
  /// The name of the heuristic with the lowest packing.
  std::string heuristic;
  Packing packing;
  /// The most live bytes at one time: no packing is lower.
  Bytes load_bound;
  /// In the order of trying.
  std::vector<TriedPacking> tried;
  /// Sentences about heuristics left out because of too many buffers.
  std::vector<std::string> left_out;
  /// The search was ended early, so another run may find another packing.
  bool was_ended = false;

  /// Whether no packing can be lower.
  bool is_optimal() const { return packing.height == load_bound; }
};

/// Requires: sizes that add up to less than 2^62, fewer than 2^32 buffers.
PackingResult best_packing(const std::vector<Buffer>& buffers, const PackingLimits& limits = {});

}  // namespace vramlab::replay
