#include "replay/metrics/memory_curve.h"

#include <algorithm>
#include <limits>

#include "allocator/types/check.h"

namespace vramlab::replay {
namespace {

constexpr std::uint64_t largest_count = std::numeric_limits<std::uint64_t>::max();

}  // namespace

MemoryCurve::MemoryCurve(std::size_t most_steps) : most_steps_(most_steps) {
  check(most_steps >= 2, "a curve that can be halved has two steps");
}

void MemoryCurve::reach_last_event() {
  while ((last_event_ >> doublings_) >= most_steps_) join_pairs();
  const std::uint64_t last_step = last_event_ >> doublings_;
  if (last_step < steps_.size()) return;
  // Memory held until the first event of a step is no part of that step.
  const bool is_first = last_event_ == last_step << doublings_;
  steps_.resize(as_index(last_step), level_);
  steps_.push_back(is_first ? MemoryLevel{} : level_);
}

void MemoryCurve::join_pairs() {
  for (std::size_t i = 0; i < steps_.size(); ++i) {
    const MemoryLevel step = steps_[i];
    if (i % 2 == 0)
      steps_[i / 2] = step;
    else
      raise(steps_[i / 2], step);
  }
  steps_.resize((steps_.size() + 1) / 2);
  ++doublings_;
}

std::uint64_t bounded_sum(std::uint64_t a, std::uint64_t b) {
  return a > largest_count - b ? largest_count : a + b;
}

std::uint64_t bounded_product(std::uint64_t a, std::uint64_t b) {
  return b != 0 && a > largest_count / b ? largest_count : a * b;
}

ByteTime& ByteTime::operator+=(const ByteTime& other) {
  rest += other.rest;
  byte_seconds =
      bounded_sum(bounded_sum(byte_seconds, other.byte_seconds), rest / microseconds_per_second);
  rest %= microseconds_per_second;
  return *this;
}

/// Both factors are cut at a million, so that only whole byte-seconds can be too large.
ByteTime held_for(allocator::Bytes bytes, std::uint64_t microseconds) {
  const std::uint64_t seconds = microseconds / microseconds_per_second;
  const std::uint64_t below = microseconds % microseconds_per_second;
  ByteTime held{bounded_sum(bounded_product(bytes.count, seconds),
                            bytes.count / microseconds_per_second * below),
                0};
  const std::uint64_t rest = bytes.count % microseconds_per_second * below;
  held += {rest / microseconds_per_second, rest % microseconds_per_second};
  return held;
}

HeldCurve::HeldCurve(std::uint64_t begin, std::uint64_t end, std::uint32_t step_count) {
  check(begin <= end && step_count > 0, "a curve has a beginning, an end and steps");
  const std::uint64_t span = end - begin;
  const std::uint64_t count = std::clamp<std::uint64_t>(span, 1, step_count);
  const auto border = [&](std::uint64_t i) {
    return begin + span / count * i + span % count * i / count;
  };
  for (std::uint64_t i = 0; i < count; ++i) steps_.push_back({border(i), border(i + 1), {}});
}

std::size_t HeldCurve::step_at(std::uint64_t time) const {
  std::size_t at = at_;
  while (at + 1 < steps_.size() && time >= steps_[at].to) ++at;
  return at;
}

void HeldCurve::carry_to(std::uint64_t now) {
  for (const std::size_t last = step_at(now); at_ < last;) {
    ++at_;
    // Memory held until a border is no part of the step that begins there.
    if (now > steps_[at_].from) steps_[at_].most = std::max(steps_[at_].most, level_);
  }
}

void HeldCurve::change(std::uint64_t now, allocator::Bytes level) {
  carry_to(now);
  steps_[at_].most = std::max(steps_[at_].most, level);
  level_ = level;
}

std::vector<HeldStep> HeldCurve::finish() {
  carry_to(steps_.back().to);
  return std::move(steps_);
}

}  // namespace vramlab::replay
