// VectorClock: for each line of a program (a stream, a branch of a graph, a host thread), the last
// place on it that its owner follows. An Epoch is one place on one line: whether it comes before
// other work is one comparison with the clock of that work.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace vramlab::streams {

struct LineIndex {
  std::uint32_t value = 0;
  friend constexpr bool operator==(LineIndex, LineIndex) = default;
};

/// The first tick of a line is 1.
struct Epoch {
  LineIndex line;
  std::uint64_t tick = 0;
  friend constexpr bool operator==(Epoch, Epoch) = default;
};

class VectorClock {
 public:
  std::uint64_t operator[](LineIndex line) const {
    return line.value < ticks_.size() ? ticks_[line.value] : 0;
  }
  bool covers(Epoch epoch) const { return (*this)[epoch.line] >= epoch.tick; }

  void set(Epoch epoch) {
    if (ticks_.size() <= epoch.line.value) ticks_.resize(epoch.line.value + 1);
    ticks_[epoch.line.value] = epoch.tick;
  }
  /// Afterwards it covers all that either of both covers.
  void join(const VectorClock& other) {
    if (ticks_.size() < other.ticks_.size()) ticks_.resize(other.ticks_.size());
    std::uint64_t* own = ticks_.data();
    const std::uint64_t* theirs = other.ticks_.data();
    for (std::size_t i = 0, n = other.ticks_.size(); i < n; ++i)
      own[i] = own[i] < theirs[i] ? theirs[i] : own[i];
  }
  /// Afterwards it covers only what both cover.
  void meet(const VectorClock& other) {
    if (ticks_.size() > other.ticks_.size()) ticks_.resize(other.ticks_.size());
    for (std::size_t i = 0; i < ticks_.size(); ++i)
      ticks_[i] = std::min(ticks_[i], other.ticks_[i]);
  }

 private:
  std::vector<std::uint64_t> ticks_;
};

inline bool is_covered(Epoch epoch, std::span<const VectorClock* const> clocks) {
  return std::ranges::any_of(clocks,
                             [&](const VectorClock* clock) { return clock->covers(epoch); });
}

/// A run along a line, with the clock of all that it follows, itself included. Its own tick grows
/// whenever it follows more, so a clock that covers an epoch covers all that was followed there.
struct Strand {
  LineIndex line;
  VectorClock clock;

  Epoch now() const { return {line, clock[line]}; }
  void advance() { clock.set({line, clock[line] + 1}); }
};

/// The lines of the clocks that are taken. A line whose stream is gone is taken again once no
/// access is left that must be ordered with work on it; its ticks go on from where they were.
class ClockLines {
 public:
  /// A strand on a free line; it follows nothing.
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
  /// Whether the epoch belongs to the present owner of the line, not to one before: only then does
  /// covering the epoch mean covering all that was followed there.
  bool is_current(Epoch epoch) const { return epoch.tick >= first_ticks_[epoch.line.value]; }

  void retire(Epoch last) {
    retired_.push_back(last.line);
    first_ticks_[last.line.value] = last.tick + 1;
  }
  /// Whether looking through memory for retired lines is worth it.
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
