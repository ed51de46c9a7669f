#include "replay/packing/skyline_search.h"

#include <algorithm>
#include <array>
#include <limits>
#include <memory>
#include <numeric>
#include <tuple>

#include "replay/packing/free_ranges.h"
#include "traces/workloads/workload_random.h"

namespace vramlab::replay {
namespace {

constexpr std::uint32_t no_item = std::numeric_limits<std::uint32_t>::max();

/// The end of the links from a place, which leads to itself. Shortens the way for the next time.
std::uint32_t end_of_links(std::vector<std::uint32_t>& links, std::uint32_t from) {
  std::uint32_t end = from;
  while (links[end] != end) end = links[end];
  while (links[from] != end) from = std::exchange(links[from], end);
  return end;
}

/// Sections are changed faster than they are searched.
std::uint64_t work_of_changing(SectionSpan span) {
  constexpr std::uint64_t changed_at_once = 16;
  return 1 + (span.last - span.first) / changed_at_once;
}

/// The states of a fill on its way; if it arrived, everything has its place in the last one.
struct Way {
  std::vector<std::shared_ptr<const SkylineFill>> states;
  std::uint64_t work = 0;
  bool has_arrived = false;

  Bytes height() const { return states.back()->height(); }
};

class SkylineSearch {
 public:
  SkylineSearch(const SkylineProblem& problem, const SkylineBudget& budget)
      : problem_(problem),
        budget_(budget),
        random_(budget.seed),
        step_(problem.index.item_count() / states_on_way(problem.index.item_count()) + 1) {}

  std::optional<Packing> run() {
    best_.states = {std::make_shared<SkylineFill>(problem_)};
    go_up(best_, {}, budget_.first_work);
    if (!best_.has_arrived) return std::nullopt;
    for (std::uint64_t used = 0; used < budget_.work && !is_done();) used += run_round();
    return best_.states.back()->packing();
  }

 private:
  static constexpr std::size_t round_size = 16;

  /// How many states are kept: fewer of large problems, as a state remembers every item.
  static std::size_t states_on_way(std::size_t items) {
    constexpr std::size_t most_remembered = 2'000'000;
    return std::clamp<std::size_t>(most_remembered / items, 1, 16);
  }

  /// Goes on until the fill arrives, would get too high or has taken more work.
  void go_up(Way& way, const SkylineRules& rules, std::uint64_t most_work) const {
    const std::uint64_t before = way.states.back()->work();
    bool goes_on = true;
    while (goes_on && way.states.back()->waiting() > 0) {
      auto next = std::make_shared<SkylineFill>(*way.states.back());
      goes_on = next->go_on_until(next->waiting() - std::min(step_, next->waiting()), rules);
      // Copying a state is work as well.
      way.work = next->work() - before + problem_.index.item_count();
      goes_on = goes_on && way.work <= most_work;
      way.states.push_back(std::move(next));
    }
    way.has_arrived = goes_on;
    if (!goes_on) way.states.clear();
  }

  bool is_done() const { return best_.height() <= budget_.enough || budget_.runs.is_over(); }

  struct Attempt {
    SkylineRules rules;
    Way way;
  };

  /// An attempt from any state of the best way but its last.
  Attempt next_attempt() {
    constexpr std::array<std::uint64_t, 3> detours = {8, 32, 128};
    Attempt attempt;
    attempt.rules = {best_.height() - Bytes{1}, detours[random_.index_below(detours.size())],
                     random_.next()};
    const std::size_t count = 1 + random_.index_below(best_.states.size() - 1);
    attempt.way.states.assign(best_.states.begin(),
                              best_.states.begin() + static_cast<std::ptrdiff_t>(count));
    return attempt;
  }

  /// The lowest way of all is the best one from here on. Returns the work that it took.
  std::uint64_t run_round() {
    std::array<Attempt, round_size> attempts;
    std::ranges::generate(attempts, [this] { return next_attempt(); });
    budget_.runs.run(round_size, [&](std::size_t i) {
      go_up(attempts[i].way, attempts[i].rules, std::numeric_limits<std::uint64_t>::max());
    });
    std::uint64_t work = 0;
    for (Attempt& attempt : attempts) {
      work += attempt.way.work;
      if (attempt.way.has_arrived && attempt.way.height() < best_.height())
        best_ = std::move(attempt.way);
    }
    return work;
  }

  const SkylineProblem& problem_;
  const SkylineBudget& budget_;
  traces::WorkloadRandom random_;
  /// How many items are placed from one state of a way to the next.
  std::size_t step_;
  Way best_;
};

}  // namespace

Skyline::Skyline(std::uint32_t section_count)
    : section_count_(section_count),
      lasts_(section_count),
      heights_(section_count),
      before_(section_count) {
  add({0, section_count}, 0);
}

auto Skyline::lowest() const -> Stretch {
  const auto [height, first] = *by_height_.begin();
  return {{first, lasts_[first]}, height};
}

std::uint64_t Skyline::height_beside_lowest() const {
  const SectionSpan span = lowest().span;
  std::uint64_t height = std::numeric_limits<std::uint64_t>::max();
  if (span.first > 0) height = heights_[before_[span.first]];
  if (span.last < section_count_) height = std::min(height, heights_[span.last]);
  return height;
}

void Skyline::add(SectionSpan span, std::uint64_t height) {
  by_height_.emplace(height, span.first);
  lasts_[span.first] = span.last;
  heights_[span.first] = height;
  if (span.last < section_count_) before_[span.last] = span.first;
}

void Skyline::join_with_one_before(std::uint32_t first) {
  if (first == 0 || first == section_count_) return;
  const std::uint32_t before = before_[first];
  if (heights_[before] != heights_[first]) return;
  by_height_.erase({heights_[first], first});
  lasts_[before] = lasts_[first];
  if (lasts_[first] < section_count_) before_[lasts_[first]] = before;
}

void Skyline::raise_lowest(std::uint64_t height) {
  const SectionSpan span = lowest().span;
  by_height_.erase(by_height_.begin());
  add(span, height);
  join_with_one_before(span.last);
  join_with_one_before(span.first);
}

void Skyline::build_in_lowest(SectionSpan span, std::uint64_t height) {
  const Stretch floor = lowest();
  by_height_.erase(by_height_.begin());
  if (floor.span.first < span.first) add({floor.span.first, span.first}, floor.height);
  add(span, height);
  if (span.last < floor.span.last) add({span.last, floor.span.last}, floor.height);
  join_with_one_before(span.last);
  join_with_one_before(span.first);
}

SpanIndex::SpanIndex(const std::vector<Buffer>& buffers, const Sections& sections)
    : sections_(sections), slots_(buffers.size(), no_item) {
  std::vector<std::uint32_t> order = indices_by(buffers, [](const Buffer&) { return 0; });
  std::erase_if(order, [&](std::uint32_t i) { return buffers[i].size.count == 0; });
  item_count_ = order.size();
  std::ranges::stable_sort(order, {}, [&](std::uint32_t i) {
    const SectionSpan span = sections.spans[i];
    return std::tuple(span.first, ~span.last, ~buffers[i].size.count);
  });
  std::size_t next = 0;
  for (std::uint32_t section = 0; section < sections.loads.size(); ++section) {
    begins_.push_back(static_cast<std::uint32_t>(items_.size()));
    for (; next < order.size() && sections.spans[order[next]].first == section; ++next) {
      slots_[order[next]] = static_cast<std::uint32_t>(items_.size());
      items_.push_back(order[next]);
    }
    items_.push_back(no_item);
  }
  begins_.push_back(static_cast<std::uint32_t>(items_.size()));
}

WaitingSpans::WaitingSpans(const SpanIndex& index)
    : index_(&index),
      count_(index.item_count()),
      next_slot_(index.slot_count()),
      next_section_(index.section_count() + 1) {
  std::iota(next_slot_.begin(), next_slot_.end(), 0U);
  std::iota(next_section_.begin(), next_section_.end(), 0U);
  for (std::uint32_t s = 0; s < index.section_count(); ++s)
    if (index.begins_[s] + 1 == index.begins_[s + 1]) next_section_[s] = s + 1;
}

std::uint32_t WaitingSpans::slot_from(std::uint32_t slot) { return end_of_links(next_slot_, slot); }

std::uint32_t WaitingSpans::section_from(std::uint32_t section) {
  return end_of_links(next_section_, section);
}

std::uint32_t WaitingSpans::end_of(std::uint32_t slot) const {
  return index_->sections_.spans[index_->items_[slot]].last;
}

std::optional<std::uint32_t> WaitingSpans::longest_within(SectionSpan stretch,
                                                          std::optional<std::uint32_t> but,
                                                          std::uint64_t& work) {
  std::optional<std::uint32_t> longest;
  std::uint32_t length = 0;
  const auto can_be_longer = [&](std::uint32_t s) {
    return s < stretch.last && stretch.last - s > length;
  };
  for (std::uint32_t s = section_from(stretch.first); can_be_longer(s); s = section_from(s + 1)) {
    ++work;
    const std::uint32_t empty = index_->begins_[s + 1] - 1;
    std::uint32_t low = index_->begins_[s];
    for (std::uint32_t high = empty; low < high;) {
      const std::uint32_t middle = low + (high - low) / 2;
      if (end_of(middle) <= stretch.last)
        high = middle;
      else
        low = middle + 1;
    }
    std::uint32_t slot = slot_from(low);
    if (slot != empty && index_->items_[slot] == but) slot = slot_from(slot + 1);
    if (slot == empty || end_of(slot) - s <= length) continue;
    length = end_of(slot) - s;
    longest = index_->items_[slot];
  }
  return longest;
}

void WaitingSpans::remove(std::uint32_t item) {
  const std::uint32_t slot = index_->slots_[item];
  next_slot_[slot] = slot + 1;
  --count_;
  const std::uint32_t section = index_->sections_.spans[item].first;
  if (slot_from(index_->begins_[section]) == index_->begins_[section + 1] - 1)
    next_section_[section] = section + 1;
}

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

std::optional<Packing> skyline_search(const std::vector<Buffer>& buffers, const Sections& sections,
                                      const SkylineBudget& budget) {
  const SkylineProblem problem(buffers, sections);
  if (problem.index.item_count() == 0) return Packing{{buffers.size(), Bytes{0}}, {}};
  return SkylineSearch(problem, budget).run();
}

}  // namespace vramlab::replay
