#include "replay/packing/skyline_fill.h"

#include <algorithm>

#include "replay/packing/free_ranges.h"
#include "traces/workloads/workload_random.h"

namespace vramlab::replay {
namespace {

/// Sections are changed faster than they are searched.
std::uint64_t work_of_changing(SectionSpan span) {
  constexpr std::uint64_t changed_at_once = 16;
  return 1 + (span.last - span.first) / changed_at_once;
}

}  // namespace

SkylineFill::SkylineFill(const SkylineProblem& problem)
    : problem_(&problem),
      skyline_(static_cast<std::uint32_t>(problem.sections.loads.size())),
      waiting_(problem.index),
      to_come_(problem.sections.loads),
      offsets_(problem.buffers.size(), Bytes{0}) {}

bool SkylineFill::go_on_until(std::size_t waiting, const SkylineRules& rules) {
  traces::WorkloadRandom random(rules.seed + waiting_.count());
  while (waiting_.count() > waiting) {
    const Skyline::Stretch floor = skyline_.lowest();
    auto item = waiting_.longest_within(floor.span, std::nullopt, work_);
    if (item && rules.detour_once_in > 0 && random.one_in(rules.detour_once_in)) {
      const auto second = waiting_.longest_within(floor.span, item, work_);
      item = second ? second : item;
    }
    if (!(item ? put(*item, floor, rules.most_height) : raise(floor, rules.most_height)))
      return false;
  }
  return true;
}

bool SkylineFill::raise(const Skyline::Stretch& floor, Bytes most_height) {
  const std::uint64_t height = skyline_.height_beside_lowest();
  work_ += work_of_changing(floor.span);
  for (std::uint32_t s = floor.span.first; s < floor.span.last; ++s)
    if (to_come_[s] > 0 && height + to_come_[s] > most_height.count) return false;
  skyline_.raise_lowest(height);
  return true;
}

bool SkylineFill::put(std::uint32_t item, const Skyline::Stretch& floor, Bytes most_height) {
  const Buffer& buffer = problem_->buffers[item];
  const SectionSpan span = problem_->sections.spans[item];
  offsets_[item] = {aligned_up(floor.height, buffer.alignment.count)};
  const Bytes top = offsets_[item] + buffer.size;
  height_ = std::max(height_, top);
  work_ += work_of_changing(span);
  for (std::uint32_t s = span.first; s < span.last; ++s) to_come_[s] -= buffer.size.count;
  skyline_.build_in_lowest(span, top.count);
  waiting_.remove(item);
  return top <= most_height;
}

}  // namespace vramlab::replay
