// The search for the largest value that fits, as a function from what is known to the runs that are
// wanted next. It promises an answer that is proven: a value whose run fits, and the next value,
// whose run does not. Guesses only choose where to look, from the least memory that runs without a
// limit need.
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <set>
#include <vector>

#include "allocator/types/bytes_and_ids.h"

namespace vramlab::replay {

/// The facts known about the values of one search, each by its index.
struct SearchFacts {
  /// The allowed values, rising.
  std::vector<double> values;
  /// The memory of the GPU.
  Bytes memory;
  /// The least memory on which the run's history replays.
  std::map<std::size_t, Bytes> needs;
  /// The same of another GPU: about right, but for a constant.
  std::map<std::size_t, Bytes> hints;
  /// Whether a run with the GPU's memory fit.
  std::map<std::size_t, bool> fits;
  /// Values whose runs without a limit told no need.
  std::set<std::size_t> runs_without_need;
};

enum class RunLimit : bool { none, memory_of_gpu };

struct WantedRun {
  std::size_t index = 0;
  RunLimit limit = RunLimit::none;
  friend bool operator==(const WantedRun&, const WantedRun&) = default;
};

/// The runs wanted next, the most useful first; empty once the answer is proven. Runs that follow
/// the first are useful in most cases, so they may be made at the same time.
std::vector<WantedRun> wanted_runs(const SearchFacts& facts);

struct LargestValue {
  /// The largest that fits; empty if the least does not.
  std::optional<std::size_t> fits;
  /// The value after it, which does not fit; empty after the last one.
  std::optional<std::size_t> next;
  /// Values below the answer that do not fit.
  std::vector<std::size_t> failed_below;
};

/// The largest value that should fit, by the least memory that runs without a limit need; empty if
/// none should, or too little is known.
std::optional<std::size_t> guessed_largest(const SearchFacts& facts);

/// As far as it is known: the answer once no run is wanted.
LargestValue largest_value(const SearchFacts& facts);

}  // namespace vramlab::replay
