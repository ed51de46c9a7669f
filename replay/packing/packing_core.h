// The common ground of searches for a packing: how they run their attempts (SearchRuns), and the
// buffers that they place (PackingCore). Buffers decide the height of a packing if they are live
// while the load is near its peak. Searches place these; the others are put around them.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <vector>

#include "replay/packing/buffer.h"

namespace vramlab::replay {

/// Runs tasks 0 to count-1, in any order, on any number of threads.
using TaskRunner =
    std::function<void(std::size_t count, const std::function<void(std::size_t)>& task)>;

/// Runs all tasks on this thread.
inline void run_one_by_one(std::size_t count, const std::function<void(std::size_t)>& task) {
  for (std::size_t i = 0; i < count; ++i) task(i);
}

/// How a search runs. Its answer is the same with any runner, unless the search is ended early.
struct SearchRuns {
  TaskRunner run = run_one_by_one;
  /// Whether the best packing so far is enough; asked again and again, by all threads.
  std::function<bool()> is_over = [] { return false; };
};

class PackingCore {
 public:
  /// Keeps references to both.
  PackingCore(const std::vector<Buffer>& buffers, const Sections& sections);

  const std::vector<Buffer>& buffers() const { return is_all_ ? all_ : buffers_; }
  const Sections& sections() const { return is_all_ ? all_sections_ : sections_; }
  /// Puts the others at the lowest offsets that this packing of the core leaves free. Empty if that
  /// takes more than `most_work` looks at taken ranges.
  std::optional<Packing> complete(Packing packing, std::uint64_t most_work) const;

 private:
  const std::vector<Buffer>& all_;
  const Sections& all_sections_;
  bool is_all_ = false;
  /// Indices of the buffers in the core, and of the others, the largest first.
  std::vector<std::uint32_t> indices_;
  std::vector<std::uint32_t> others_;
  std::vector<Buffer> buffers_;
  Sections sections_;
};

}  // namespace vramlab::replay
