#include "replay/html_report/report_detail.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "allocator/types/check.h"
#include "replay/metrics/pinners.h"

namespace vramlab::replay {
namespace {

using allocator::Action;
using allocator::Bytes;

/// The higher, the sooner it is listed.
std::uint64_t weight_of(const allocator::AllocatorEvent& event) {
  switch (event.action) {
    case Action::alloc:
    case Action::free_requested:
    case Action::free_completed:
      return event.size.count;
    default:
      return ~std::uint64_t{0};
  }
}

/// What an event changes at most, as a rule: two blocks go, two come.
constexpr std::uint64_t changes_per_event = 3;

/// Whether a step of the list is reached, which then goes on behind it. Not every step is a moment:
/// some events have no place.
bool is_due(const std::vector<HistoryStep>& steps, std::size_t& next, HistoryStep step) {
  const std::size_t before = next;
  while (next < steps.size() && steps[next] <= step) ++next;
  return next > before;
}

constexpr std::size_t most_pinners = 20;

struct FigureName {
  const char* name;
  Bytes (*value)(const StateFigures&);
};

/// As docs/reference/metrics.md names them.
constexpr FigureName names[] = {
    {"inactive_split", [](const StateFigures& figures) { return figures.inactive_split; }},
    {"releasable", [](const StateFigures& figures) { return figures.releasable; }},
    {"pool_held", [](const StateFigures& figures) { return figures.pool_held; }},
    {"stranded", [](const StateFigures& figures) { return figures.stranded(); }},
    {"largest_cached", [](const StateFigures& figures) { return figures.largest_cached; }},
};

}  // namespace

std::vector<std::size_t> choose_events(const DeviceHistory& history, std::size_t most) {
  struct Candidate {
    std::uint64_t weight;
    std::size_t event;
  };
  const auto is_before = [](const Candidate& a, const Candidate& b) {
    return a.weight != b.weight ? a.weight > b.weight : a.event < b.event;
  };
  // A heap with the one that goes first when a better one comes on top.
  std::vector<Candidate> chosen;
  for (std::size_t i = 0; i < history.events.size(); ++i) {
    const Candidate candidate{weight_of(history.events[i]), i};
    if (chosen.size() == most) {
      if (most == 0 || !is_before(candidate, chosen.front())) continue;
      std::ranges::pop_heap(chosen, is_before);
      chosen.pop_back();
    }
    chosen.push_back(candidate);
    std::ranges::push_heap(chosen, is_before);
  }
  std::vector<std::size_t> events;
  for (const Candidate& one : chosen) events.push_back(one.event);
  std::ranges::sort(events);
  return events;
}

std::vector<HistoryStep> in_order(std::vector<HistoryStep> steps) {
  std::ranges::sort(steps);
  steps.erase(std::unique(steps.begin(), steps.end()), steps.end());
  return steps;
}

std::vector<HistoryStep> choose_steps(HistoryStep last, std::size_t most_blocks,
                                      std::uint64_t most_changes, std::vector<HistoryStep> always) {
  std::uint64_t count = last + 1;
  if (count * changes_per_event > most_changes) {
    const std::uint64_t cost = 2 * std::max<std::uint64_t>(most_blocks, 1);
    count = std::clamp<std::uint64_t>(most_changes / cost, 2, count);
  }
  std::vector<HistoryStep> steps = std::move(always);
  for (std::uint64_t i = 0; i < count; ++i)
    steps.push_back(count == 1 ? 0 : last / (count - 1) * i + last % (count - 1) * i / (count - 1));
  return in_order(std::move(steps));
}

ReportDetail::ReportDetail(const DeviceHistory& history, const HistoryWalk& walk, PageTexts& texts,
                           Plan plan)
    : FollowedBlocks(history, walk),
      texts_(texts),
      plan_(std::move(plan)),
      site_bytes_(plan_.sites.size()),
      states_(texts) {}

void ReportDetail::moment_passed(const MomentFigures& figures, const PlacementBlocks& blocks) {
  if (figures.step > 0) {
    const allocator::AllocatorEvent& event = history().events[as_index(figures.step - 1)];
    if (event.action != allocator::Action::oom && event.action != allocator::Action::snapshot)
      states_.touch(event.address, std::max(event.size, allocator::Bytes{1}));
  }
  if (is_due(plan_.states, next_state_, figures.step)) states_.add(figures.step, blocks, *this);
  if (is_due(plan_.moments, next_moment_, figures.step))
    for (std::size_t i = 0; i < plan_.sites.size(); ++i)
      site_bytes_[i].push_back(sites_.now(plan_.sites[i]).count);
  if (seen_ && is_due(plan_.snapshots, next_snapshot_, figures.step))
    seen_(figures.step, snapshot_of(blocks, *this, walk().pools), *this);
}

void ReportDetail::block_changed(Change change, const LiveBlock& block) {
  if (change == Change::handed_out) sites_.add(texts_.site_of(block.stack), block.bytes);
  if (change == Change::given_back) sites_.take(texts_.site_of(block.stack), block.bytes);
}

void ReportFragmentation::add(HistoryStep step, const allocator::Snapshot& snapshot,
                              const LiveBlocks& in_use) {
  steps_.push_back(step);
  figures_.push_back(find_fragmentation(snapshot, rules_).total);
  offsets_.push_back(pinners_.size());
  const std::vector<Pinner> pinners = find_pinners(snapshot, rules_, most_pinners);
  pinners_.add(pinners.size());
  std::uint64_t before = 0;
  for (const Pinner& pinner : pinners) {
    pinners_.add_step(before, pinner.at.value);
    before = pinner.at.value;
    const LiveBlock& block = *in_use.find(pinner.at.value);
    for (const std::uint64_t number :
         {pinner.size.count, pinner.strands.count, pinner.released_alone.count,
          pinner.segment_size.count, pinner.beside, std::uint64_t{block.life}, step - block.since(),
          std::uint64_t{texts_.node_of(block.stack)}})
      pinners_.add(number);
  }
}

nlohmann::ordered_json ReportFragmentation::take(std::string& bytes) const {
  nlohmann::ordered_json json = {{"step", add_column_section(bytes, steps_)}};
  for (const FigureName& name : names) {
    std::vector<std::uint64_t> numbers;
    for (const StateFigures& figures : figures_) numbers.push_back(name.value(figures).count);
    json[name.name] = add_column_section(bytes, numbers);
  }
  json["pinners_at"] = add_column_section(bytes, offsets_);
  json["pinners"] = add_section(bytes, pinners_.bytes(), steps_.size());
  return json;
}

}  // namespace vramlab::replay
