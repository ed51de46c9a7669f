// VectorClock: for each line of a program (a stream, a branch of a graph, a host thread), how far
// along it everything has come that something follows. An Epoch is one place on one line: whether
// it comes before something else is one comparison with that one's clock.
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
  /// What either of both covers.
  void join(const VectorClock& other) {
    if (ticks_.size() < other.ticks_.size()) ticks_.resize(other.ticks_.size());
    std::uint64_t* own = ticks_.data();
    const std::uint64_t* theirs = other.ticks_.data();
    for (std::size_t i = 0, n = other.ticks_.size(); i < n; ++i)
      own[i] = own[i] < theirs[i] ? theirs[i] : own[i];
  }
  /// What both cover.
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

/// What goes on along a line, and what it follows: itself included. Its own tick grows whenever it
/// follows more, so a clock that covers an epoch covers all that was followed there.
struct Strand {
  LineIndex line;
  VectorClock clock;

  Epoch now() const { return {line, clock[line]}; }
  void advance() { clock.set({line, clock[line] + 1}); }
};

}  // namespace vramlab::streams
