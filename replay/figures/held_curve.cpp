#include "replay/figures/held_curve.h"

#include <algorithm>

#include "allocator/words/check.h"

namespace vramlab::replay {

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
    // What is held until a border is no part of the step that begins there.
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
