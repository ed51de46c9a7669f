// SearchRuns: how searches for a packing run their attempts, and when somebody ends them early.
#pragma once

#include <cstddef>
#include <functional>

namespace vramlab::replay {

/// Runs tasks 0 to count-1, in any order, on any number of threads.
using TaskRunner =
    std::function<void(std::size_t count, const std::function<void(std::size_t)>& task)>;

/// On this thread.
inline void run_one_by_one(std::size_t count, const std::function<void(std::size_t)>& task) {
  for (std::size_t i = 0; i < count; ++i) task(i);
}

/// The answer is the same with any runner, unless somebody ends the search.
struct SearchRuns {
  TaskRunner run = run_one_by_one;
  /// Asked again and again, by all threads: the best so far is enough.
  std::function<bool()> is_over = [] { return false; };
};

}  // namespace vramlab::replay
