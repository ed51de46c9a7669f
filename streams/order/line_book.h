// LineBook: which lines of the vector clocks are taken. A line whose stream is gone is taken again
// once nothing is left that must be ordered with what stood on it; its ticks go on from where they
// were.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "streams/order/vector_clock.h"

namespace vramlab::streams {

class LineBook {
 public:
  /// It follows nothing.
  Strand take() {
    if (free_.empty()) {
      free_.push_back({static_cast<std::uint32_t>(first_ticks_.size())});
      first_ticks_.push_back(1);
    }
    Strand strand{free_.back(), {}};
    free_.pop_back();
    strand.clock.set({strand.line, first_ticks_[strand.line.value]});
    return strand;
  }
  /// It is of those that have the line now, not of those before: only then does covering the
  /// epoch mean covering what was followed there.
  bool is_current(Epoch epoch) const { return epoch.tick >= first_ticks_[epoch.line.value]; }

  void retire(Epoch last) {
    retired_.push_back(last.line);
    first_ticks_[last.line.value] = last.tick + 1;
  }
  /// Looking through memory for retired lines is worth it.
  bool has_many_retired() const { return retired_.size() >= worth_looking_; }
  /// `is_used`: by line, whether something still stands on it.
  void free_retired(const std::vector<bool>& is_used) {
    std::erase_if(retired_, [&](LineIndex line) {
      const bool is_free = line.value >= is_used.size() || !is_used[line.value];
      if (is_free) free_.push_back(line);
      return is_free;
    });
    worth_looking_ = 2 * retired_.size() + least_worth_looking;
  }
  std::size_t line_count() const { return first_ticks_.size(); }

 private:
  static constexpr std::size_t least_worth_looking = 16;

  std::vector<std::uint64_t> first_ticks_;
  std::vector<LineIndex> free_;
  std::vector<LineIndex> retired_;
  std::size_t worth_looking_ = least_worth_looking;
};

}  // namespace vramlab::streams
