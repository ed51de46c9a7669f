#include "replay/html_report/report_timeline.h"

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <optional>

#include "allocator/types/check.h"
#include "replay/metrics/fragmentation.h"

namespace vramlab::replay {
namespace {

using allocator::Action;
using allocator::Bytes;

std::array<Bytes, 6> figures_of(const MomentFigures& moment) {
  return {moment.allocated, moment.requested, moment.waiting(),
          moment.reserved,  moment.free(),    moment.largest_free};
}

/// The weight of an event in the choice of listed events; the highest come first.
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

/// The usual number of blocks that an event changes.
constexpr std::uint64_t changes_per_event = 3;

/// Whether the next step of the list is reached; moves on to the step after it. Not every step is a
/// moment, as some events have no place.
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

/// The figures by their names in docs/reference/metrics.md.
constexpr FigureName figure_names[] = {
    {"inactive_split", [](const StateFigures& figures) { return figures.inactive_split; }},
    {"releasable", [](const StateFigures& figures) { return figures.releasable; }},
    {"pool_held", [](const StateFigures& figures) { return figures.pool_held; }},
    {"stranded", [](const StateFigures& figures) { return figures.stranded(); }},
    {"largest_cached", [](const StateFigures& figures) { return figures.largest_cached; }},
};

}  // namespace

ThinnedMoments::ThinnedMoments(std::uint64_t event_count, std::size_t wanted) {
  if (event_count + 1 <= wanted) return;
  // A stretch keeps 13 moments at most, and a few as a rule: figures rise and fall together.
  constexpr std::size_t usually_kept = 8;
  const std::uint64_t stretches = std::max<std::uint64_t>(1, wanted / usually_kept);
  width_ = (event_count + stretches) / stretches;
}

void ThinnedMoments::add(const MomentFigures& figures) {
  if (width_ == 1) {
    kept_.push_back(figures);
    return;
  }
  const std::uint64_t stretch = figures.step / width_;
  if (stretch != stretch_) finish_stretch();
  stretch_ = stretch;
  last_ = figures;
  if (highest_.empty()) {
    highest_.assign(figure_count, figures);
    lowest_ = highest_;
    return;
  }
  const auto now = figures_of(figures);
  for (std::size_t i = 0; i < figure_count; ++i) {
    if (now[i] > figures_of(highest_[i])[i]) highest_[i] = figures;
    if (now[i] < figures_of(lowest_[i])[i]) lowest_[i] = figures;
  }
}

void ThinnedMoments::finish_stretch() {
  if (highest_.empty()) return;
  std::vector<MomentFigures> moments = std::move(highest_);
  moments.insert(moments.end(), lowest_.begin(), lowest_.end());
  moments.push_back(last_);
  std::ranges::sort(moments, {}, &MomentFigures::step);
  const auto is_same = [](const MomentFigures& a, const MomentFigures& b) {
    return a.step == b.step;
  };
  kept_.insert(kept_.end(), moments.begin(), std::unique(moments.begin(), moments.end(), is_same));
  highest_.clear();
  lowest_.clear();
}

std::vector<MomentFigures> ThinnedMoments::take() {
  finish_stretch();
  return std::move(kept_);
}

void WalkOfSites::block_changed(Change change, const LiveBlock& block) {
  if (change == Change::handed_out) {
    sites_.add(texts_.site_of(block.stack), block.bytes);
    kinds_.hand_out(block);
    block_handed_out(block);
  } else if (change == Change::given_back) {
    sites_.take(texts_.site_of(block.stack), block.bytes);
    kinds_.give_back(block);
    block_given_back(block);
  }
}

void WalkOfSites::moment_passed(const MomentFigures& figures, const PlacementBlocks& blocks) {
  constexpr HistoryStep between_tellings = 4096;
  if (passed_ && figures.step % between_tellings == 0) passed_(figures.step);
  walked_to(figures, blocks);
}

ReportSurvey::ReportSurvey(const DeviceHistory& history, const HistoryWalk& walk, PageTexts& texts,
                           ReportKinds kinds, Wanted wanted)
    : WalkOfSites(history, walk, texts, std::move(kinds)),
      thinned_(history.events.size(), wanted.moments),
      sizes_(std::max<std::size_t>(1, wanted.blocks)) {}

void ReportSurvey::walked_to(const MomentFigures& figures, const PlacementBlocks& blocks) {
  thinned_.add(figures);
  most_blocks_ = std::max(most_blocks_, blocks.blocks().size());
  if (figures.allocated > peak_allocated_.allocated || figures.step == 0) peak_allocated_ = figures;
  if (figures.reserved > peak_reserved_.reserved || figures.step == 0) peak_reserved_ = figures;
  last_ = figures;
}

std::vector<std::size_t> choose_events(const DeviceHistory& history, std::size_t most) {
  struct Candidate {
    std::uint64_t weight;
    std::size_t event;
  };
  const auto is_before = [](const Candidate& a, const Candidate& b) {
    return a.weight != b.weight ? a.weight > b.weight : a.event < b.event;
  };
  if (most == 0) return {};
  // The candidates that may be chosen, and the last of them once there are too many.
  std::vector<Candidate> chosen;
  chosen.reserve(std::min(history.events.size(), most + most / 2 + 1));
  std::optional<Candidate> last;
  const auto leave_best = [&] {
    const auto end = chosen.begin() + static_cast<std::ptrdiff_t>(most);
    std::ranges::nth_element(chosen, std::prev(end), is_before);
    chosen.erase(end, chosen.end());
    last = chosen.back();
  };
  for (std::size_t i = 0; i < history.events.size(); ++i) {
    const Candidate candidate{weight_of(history.events[i]), i};
    if (last && !is_before(candidate, *last)) continue;
    chosen.push_back(candidate);
    if (chosen.size() >= most + most / 2 + 1) leave_best();
  }
  if (chosen.size() > most) leave_best();
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
                           ReportKinds kinds, Plan plan)
    : WalkOfSites(history, walk, texts, std::move(kinds)),
      plan_(std::move(plan)),
      site_bytes_(plan_.sites.size()),
      kind_bytes_(plan_.kinds.size()),
      module_bytes_(plan_.modules.size()),
      states_(texts, numbered_kinds()),
      blocks_(plan_.blocks, texts) {}

namespace {

void add_moment(ReportDetail::Bands& bands, const GroupBytes& now,
                const std::vector<std::uint32_t>& groups) {
  for (std::size_t i = 0; i < groups.size(); ++i) bands[i].push_back(now.now(groups[i]).count);
}

}  // namespace

void ReportDetail::walked_to(const MomentFigures& figures, const PlacementBlocks& blocks) {
  if (figures.step > 0) {
    const allocator::AllocatorEvent& event = history().events[as_index(figures.step - 1)];
    if (event.action != allocator::Action::oom && event.action != allocator::Action::snapshot)
      states_.touch(event.address, std::max(event.size, allocator::Bytes{1}));
  }
  if (is_due(plan_.states, next_state_, figures.step)) states_.add(figures.step, blocks, *this);
  if (is_due(plan_.moments, next_moment_, figures.step)) {
    add_moment(site_bytes_, sites(), plan_.sites);
    add_moment(kind_bytes_, kinds().kinds(), plan_.kinds);
    add_moment(module_bytes_, kinds().modules(), plan_.modules);
    blocks_.pass_moment();
  }
  if (seen_ && is_due(plan_.snapshots, next_snapshot_, figures.step))
    seen_(figures.step, snapshot_of(blocks, *this, walk().pools), *this);
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
  for (const FigureName& name : figure_names) {
    std::vector<std::uint64_t> numbers;
    for (const StateFigures& figures : figures_) numbers.push_back(name.value(figures).count);
    json[name.name] = add_column_section(bytes, numbers);
  }
  json["pinners_at"] = add_column_section(bytes, offsets_);
  json["pinners"] = add_section(bytes, pinners_.bytes(), steps_.size());
  return json;
}

}  // namespace vramlab::replay
