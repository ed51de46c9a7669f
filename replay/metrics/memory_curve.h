// Memory over time as sums and curves of a few figures, however long a program or a recording is:
// the peak of a sum, the most held in each step of a program, and the most held in each stretch of
// time. No peak is lost when a curve is made shorter. Whose memory is counted is for others to say.
#pragma once

#include <algorithm>
#include <compare>
#include <cstdint>
#include <optional>
#include <vector>

#include "allocator/types/bytes_and_ids.h"

namespace vramlab::replay {

/// Peak: a sum of bytes that events change, and its highest value. It counts from the memory held
/// before the first event, whose size it need not know: the sum may be below 0 on the way, and
/// wraps where a file is nonsense.
class Peak {
 public:
  /// Whether the sum is higher than ever.
  bool add(allocator::Bytes bytes, std::uint64_t moment = 0) {
    now_ += bytes.count;
    if (now() <= highest_) return false;
    highest_ = now();
    moment_ = moment;
    return true;
  }
  void subtract(allocator::Bytes bytes) { now_ -= bytes.count; }

  std::int64_t now() const { return static_cast<std::int64_t>(now_); }
  allocator::Bytes bytes_now() const { return {now_}; }
  std::int64_t now_and(allocator::Bytes more) const {
    return static_cast<std::int64_t>(now_ + more.count);
  }
  /// The sum at the start, where `total` is the sum now.
  std::int64_t start_for(allocator::Bytes total) const {
    return static_cast<std::int64_t>(total.count - now_);
  }
  std::int64_t highest() const { return highest_; }
  /// The moment at which the peak was reached first; 0 where the sum never exceeded the start.
  std::uint64_t moment() const { return moment_; }

  /// The peak where the sum was `start` at the start.
  allocator::Bytes above(std::int64_t start) const {
    const std::uint64_t sum =
        static_cast<std::uint64_t>(start) + static_cast<std::uint64_t>(highest_);
    return {static_cast<std::uint64_t>(std::max<std::int64_t>(0, static_cast<std::int64_t>(sum)))};
  }
  allocator::Bytes bytes() const { return above(0); }

 private:
  std::uint64_t now_ = 0;
  std::int64_t highest_ = 0;
  std::uint64_t moment_ = 0;
};

/// A moment at which more was held than ever before.
struct ReachedPeak {
  allocator::Bytes bytes;
  std::uint64_t event = 0;
  std::optional<std::uint64_t> time_ns;
};

struct MemoryLevel {
  allocator::Bytes allocated;
  allocator::Bytes reserved;
  friend bool operator==(const MemoryLevel&, const MemoryLevel&) = default;
};

/// MemoryCurve: how much a device held over a program, in steps of equally many events: when there
/// are too many steps, each two become one. Each step keeps the most held after any of its events.
class MemoryCurve {
 public:
  static constexpr std::size_t usual_steps = 512;

  MemoryCurve() : MemoryCurve(usual_steps) {}
  /// Requires: two steps at least.
  explicit MemoryCurve(std::size_t most_steps);

  /// Notes the level held after the event and until the next event told. An event may be told
  /// again; an event before the last counts as the last.
  void note(std::uint64_t event, const MemoryLevel& level) {
    last_event_ = std::max(last_event_, event);
    if ((last_event_ >> doublings_) >= steps_.size()) [[unlikely]]
      reach_last_event();
    raise(steps_.back(), level);
    level_ = level;
  }

  /// From event 0 to the last event told; the last step may have fewer events than the others.
  const std::vector<MemoryLevel>& steps() const { return steps_; }
  std::uint64_t events_per_step() const { return std::uint64_t{1} << doublings_; }
  std::uint64_t last_event() const { return last_event_; }

 private:
  static void raise(MemoryLevel& step, const MemoryLevel& level) {
    step.allocated = std::max(step.allocated, level.allocated);
    step.reserved = std::max(step.reserved, level.reserved);
  }
  void reach_last_event();
  void join_pairs();

  std::vector<MemoryLevel> steps_;
  std::size_t most_steps_;
  unsigned doublings_ = 0;
  std::uint64_t last_event_ = 0;
  MemoryLevel level_;
};

inline constexpr std::uint64_t microseconds_per_second = 1'000'000;

/// ByteTime: memory times how long it was held, exactly, in integers. It is not rounded; a product
/// that does not fit stays at the largest that does.
struct ByteTime {
  std::uint64_t byte_seconds = 0;
  /// The remainder in byte-microseconds; below a million.
  std::uint64_t rest = 0;

  friend constexpr auto operator<=>(const ByteTime&, const ByteTime&) = default;
  ByteTime& operator+=(const ByteTime& other);
};

/// The cost of holding `bytes` for so long.
ByteTime held_for(allocator::Bytes bytes, std::uint64_t microseconds);

/// Sum and product; where they do not fit, the largest number.
std::uint64_t bounded_sum(std::uint64_t a, std::uint64_t b);
std::uint64_t bounded_product(std::uint64_t a, std::uint64_t b);

struct HeldStep {
  /// [from, to) in the clock of the curve; the last step reaches to its end.
  std::uint64_t from = 0;
  std::uint64_t to = 0;
  allocator::Bytes most;
};

/// HeldCurve: how much was held over time, in a few steps of equal length however long it goes on.
/// Each step keeps the most held at any moment in it.
class HeldCurve {
 public:
  /// Makes fewer steps where the time is shorter than `step_count`. Requires: begin is not after
  /// end, and at least one step is wanted.
  HeldCurve(std::uint64_t begin, std::uint64_t end, std::uint32_t step_count);

  /// Notes the level held from now on. Requires: times don't go back, and are within the curve.
  void change(std::uint64_t now, allocator::Bytes level);
  /// The steps, with the last level held until the end of the curve.
  std::vector<HeldStep> finish();

 private:
  std::size_t step_at(std::uint64_t time) const;
  /// Counts the current level in every step up to that of `now`.
  void carry_to(std::uint64_t now);

  std::vector<HeldStep> steps_;
  std::size_t at_ = 0;
  allocator::Bytes level_;
};

}  // namespace vramlab::replay
