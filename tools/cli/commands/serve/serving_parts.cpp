#include "tools/cli/commands/serve/serving_parts.h"

#include <algorithm>
#include <map>

#include "replay/recording/history_checks.h"
#include "replay/timeline/phase_figures.h"

namespace vramlab::tools {
namespace {

using replay::MarkedMoment;

/// A phase that began and ended, by the numbers of its marks.
struct Span {
  std::string phase;
  std::string label;
  std::size_t begin = 0;
  std::size_t end = 0;
};

Bytes growth(Bytes from, Bytes to) { return to > from ? to - from : Bytes{}; }

/// The marks of one device, with the memory at each.
class Phases {
 public:
  Phases(std::vector<ServingMark> marks, std::vector<MarkedMoment> moments)
      : marks_(std::move(marks)), moments_(std::move(moments)) {
    std::vector<std::size_t> open;
    for (std::size_t i = 0; i < marks_.size(); ++i) {
      if (!marks_[i].is_end) {
        open.push_back(i);
        continue;
      }
      // A phase that an error ended has no end.
      while (!open.empty() && marks_[open.back()].phase != marks_[i].phase) open.pop_back();
      if (open.empty()) continue;
      spans_.push_back({marks_[i].phase, marks_[open.back()].label, open.back(), i});
      open.pop_back();
    }
    std::ranges::sort(spans_, {}, &Span::begin);
  }

  const std::vector<Span>& spans() const { return spans_; }
  const ServingMark& mark(std::size_t number) const { return marks_[number]; }
  std::size_t mark_count() const { return marks_.size(); }
  const MarkedMoment& at(std::size_t number) const { return moments_[number]; }

  /// The last one of this name; null without any.
  const Span* last(const std::string& phase, const Span* inside = nullptr) const {
    const Span* found = nullptr;
    for (const Span& span : spans_)
      if (span.phase == phase && (inside == nullptr || is_inside(span, *inside))) found = &span;
    return found;
  }
  /// All of this name inside another one, but not those inside of each other.
  std::vector<const Span*> all(const std::string& phase, const Span& inside) const {
    std::vector<const Span*> found;
    for (const Span& span : spans_)
      if (span.phase == phase && is_inside(span, inside) &&
          (found.empty() || found.back()->end < span.begin))
        found.push_back(&span);
    return found;
  }
  static bool is_inside(const Span& span, const Span& outer) {
    return outer.begin < span.begin && span.end < outer.end;
  }

  /// The most from one mark to another, or to the end of the history.
  Bytes peak(Bytes MarkedMoment::* figure, std::size_t from, std::size_t to) const {
    Bytes most;
    for (std::size_t i = from + 1; i <= to; ++i) most = std::max(most, moments_[i].*figure);
    return most;
  }

 private:
  std::vector<ServingMark> marks_;
  /// One more than marks.
  std::vector<MarkedMoment> moments_;
  std::vector<Span> spans_;
};

/// Models are loaded one after another, and a loader may call another one.
std::optional<Bytes> weights_of(const Phases& phases) {
  std::optional<Bytes> sum;
  std::size_t end = 0;
  for (const Span& span : phases.spans()) {
    if (span.phase != "weights" || (sum && span.begin < end)) continue;
    sum = sum.value_or(Bytes{}) +
          growth(phases.at(span.begin).allocated, phases.at(span.end).allocated);
    end = span.end;
  }
  return sum;
}

std::optional<Bytes> activations_of(const Phases& phases) {
  const Span* const profile = phases.last("profile");
  const Span* const forward = profile == nullptr ? nullptr : phases.last("forward", profile);
  if (forward == nullptr) return std::nullopt;
  return growth(phases.at(forward->end).allocated,
                phases.peak(&MarkedMoment::peak_allocated, forward->begin, forward->end));
}

/// Memory that the device gave in a phase beside what PyTorch reserved then.
std::int64_t outside_growth(const Phases& phases, const Span& span) {
  return phases.mark(span.end).outside.value_or(0) - phases.mark(span.begin).outside.value_or(0);
}

/// An engine may reserve addresses for its cache, for which it gets memory by itself, most of it
/// in a later phase. To PyTorch, the addresses are a pool whose memory is all there.
void find_backed_cache(const Phases& phases, const Span& tensors, ServingParts& parts) {
  const Span* const backing = phases.last("cache_backing");
  if (backing == nullptr) return;
  const Bytes addresses =
      growth(phases.at(tensors.begin).reserved_in_pools, phases.at(tensors.end).reserved_in_pools);
  const std::int64_t backed = static_cast<std::int64_t>(addresses.count) +
                              outside_growth(phases, tensors) + outside_growth(phases, *backing);
  parts.cache = Bytes{static_cast<std::uint64_t>(std::max<std::int64_t>(backed, 0))};
  parts.requested_cache = parts.cache;
  parts.unbacked = growth(*parts.cache, addresses);
}

void find_cache(const Phases& phases, ServingParts& parts) {
  const Span* const made = phases.last("cache");
  const Span* const tensors = made == nullptr ? nullptr : phases.last("cache_tensors", made);
  if (tensors == nullptr) return;
  const MarkedMoment& before = phases.at(tensors->begin);
  const MarkedMoment& after = phases.at(tensors->end);
  parts.cache = growth(before.allocated, after.allocated);
  parts.requested_cache = growth(before.requested, after.requested);
  find_backed_cache(phases, *tensors, parts);
}

void find_sizes(const Phases& phases, const Span& graphs, ServingParts& parts) {
  for (const Span& span : phases.spans()) {
    if (span.phase != "capture" || !Phases::is_inside(span, graphs)) continue;
    if (parts.sizes.empty() || parts.sizes.back().label != span.label)
      parts.sizes.push_back({span.label, 0, {}});
    ++parts.sizes.back().graphs;
    parts.sizes.back().bytes +=
        growth(phases.at(span.begin).reserved_in_pools, phases.at(span.end).reserved_in_pools);
  }
}

/// Graphs that an engine captures to estimate their memory are no part of it.
void find_graphs(const Phases& phases, ServingParts& parts) {
  const Span* const warm_up = phases.last("warm_up");
  if (warm_up == nullptr) return;
  for (const Span* const graphs : phases.all("graphs", *warm_up)) {
    const MarkedMoment& before = phases.at(graphs->begin);
    const MarkedMoment& after = phases.at(graphs->end);
    parts.graphs =
        parts.graphs.value_or(Bytes{}) + growth(before.reserved_in_pools, after.reserved_in_pools);
    // An engine empties the cache before it captures.
    Bytes least = before.reserved_by_default();
    for (std::size_t i = graphs->begin + 1; i <= graphs->end; ++i)
      least = std::min(least, phases.at(i).least_reserved_by_default);
    parts.beside_graphs =
        parts.beside_graphs.value_or(Bytes{}) + growth(least, after.reserved_by_default());
    find_sizes(phases, *graphs, parts);
  }
}

/// The most that PyTorch held of the device once the cache was there.
Bytes peak_with_cache(const Phases& phases, const Span& cache, const ServingParts& parts) {
  const auto peak = [&](std::size_t from, std::size_t to) {
    return phases.peak(&MarkedMoment::peak_reserved, from, to);
  };
  const std::size_t end = phases.mark_count();
  const Span* const backing = phases.last("cache_backing");
  if (backing == nullptr) return peak(cache.begin, end);
  // Before it gets its memory, its addresses have next to none.
  const Bytes unbacked_at_first =
      parts.unbacked + Bytes{static_cast<std::uint64_t>(
                           std::max<std::int64_t>(outside_growth(phases, *backing), 0))};
  return std::max(growth(unbacked_at_first, peak(cache.end, backing->begin)),
                  growth(parts.unbacked, peak(backing->end, end)));
}

void find_outside(const Phases& phases, const Span& warm_up, ServingParts& parts) {
  const auto outside = phases.mark(warm_up.end).outside;
  const std::int64_t with_cache =
      outside.value_or(-1) + static_cast<std::int64_t>(parts.unbacked.count);
  if (outside && with_cache >= 0) parts.outside = Bytes{static_cast<std::uint64_t>(with_cache)};
}

void find_rest(const Phases& phases, std::optional<Bytes> memory, ServingParts& parts) {
  const Span* const warm_up = phases.last("warm_up");
  const Span* const cache = phases.last("cache");
  if (warm_up == nullptr || cache == nullptr) return;
  const MarkedMoment& ready = phases.at(warm_up->end);
  find_outside(phases, *warm_up, parts);
  parts.peak_with_cache = peak_with_cache(phases, *cache, parts);
  if (!parts.weights || !parts.cache) return;
  // An engine that can sleep has weights and cache in pools of its own.
  const auto graphs = phases.all("graphs", *warm_up);
  const Bytes of_graphs =
      graphs.empty()
          ? Bytes{}
          : growth(phases.at(graphs.front()->begin).allocated_in_pools, ready.allocated_in_pools);
  parts.buffers =
      growth(*parts.weights + *parts.cache + parts.unbacked + of_graphs, ready.allocated);
  if (!memory || !parts.outside) return;
  parts.left = growth(*parts.peak_with_cache + *parts.outside, *memory);
  if (!parts.activations) return;
  const Bytes all_else = *parts.weights + *parts.buffers + *parts.activations +
                         ready.reserved_in_pools + *parts.outside;
  parts.possible_cache = growth(all_else, *memory);
}

/// Steps that failed have no end: the history goes on to its own.
void find_steps(const Phases& phases, ServingParts& parts) {
  for (std::size_t i = 0; i < phases.mark_count(); ++i) {
    if (phases.mark(i).phase != "steps" || phases.mark(i).is_end) continue;
    const Span* const steps = phases.last("steps");
    const std::size_t end = steps == nullptr ? phases.mark_count() : steps->end;
    parts.activations_in_steps =
        growth(phases.at(i).allocated, phases.peak(&MarkedMoment::peak_allocated, i, end));
    return;
  }
}

/// PyTorch's counters and the history have to say the same.
void compare_counters(const Phases& phases, std::size_t count, ServingParts& parts) {
  for (std::size_t i = 0; i < count; ++i) {
    const ServingMark& mark = phases.mark(i);
    const MarkedMoment& moment = phases.at(i);
    if (mark.allocated == moment.allocated && mark.reserved == moment.reserved) continue;
    parts.doubts.push_back("at the " + std::string(mark.is_end ? "end" : "beginning") + " of " +
                           mark.phase + " PyTorch counted " + format_bytes(mark.allocated) +
                           " allocated and " + format_bytes(mark.reserved) +
                           " reserved, its history shows " + format_bytes(moment.allocated) +
                           " and " + format_bytes(moment.reserved));
    return;
  }
}

/// The device with most marks; an engine's process has one.
std::int64_t device_of(const ServingNotes& notes) {
  std::map<std::int64_t, std::size_t> counts;
  for (const ServingMark& mark : notes.marks) ++counts[mark.device];
  const auto most =
      std::ranges::max_element(counts, {}, [](const auto& device) { return device.second; });
  return most == counts.end() ? 0 : most->first;
}

}  // namespace

std::optional<std::uint64_t> ServingParts::tokens_in(Bytes bytes, const EngineFigures& says) {
  const auto cache = says.count("cache_bytes");
  const auto blocks = says.count("cache_blocks");
  const auto tokens = says.count("block_tokens");
  if (!cache || !blocks || !tokens || *blocks == 0 || *cache < *blocks) return std::nullopt;
  const std::uint64_t all = bytes.count / (*cache / *blocks) * *tokens;
  const std::uint64_t spare = says.count("spare_tokens").value_or(0);
  return all > spare ? all - spare : 0;
}

ServingParts find_serving_parts(const ServingNotes& notes, replay::Recording& recording,
                                std::optional<Bytes> memory) {
  ServingParts parts;
  parts.device = device_of(notes);
  const replay::DeviceHistory* const history = recording.device(parts.device);
  if (history == nullptr || notes.marks.empty()) return parts;
  if (const std::string reason = impossible_part(*history); !reason.empty()) {
    parts.doubts.push_back(reason);
    return parts;
  }
  std::vector<ServingMark> marks;
  std::vector<replay::HistoryStep> moments;
  for (const ServingMark& mark : notes.marks) {
    if (mark.device != parts.device) continue;
    marks.push_back(mark);
    moments.push_back(mark.before);
  }
  const std::size_t count = marks.size();
  moments.push_back(history->events.size());
  const Phases phases(std::move(marks), figures_at(*history, recording.walk(*history), moments));
  compare_counters(phases, count, parts);
  parts.weights = weights_of(phases);
  parts.activations = activations_of(phases);
  find_cache(phases, parts);
  find_graphs(phases, parts);
  find_rest(phases, memory, parts);
  find_steps(phases, parts);
  return parts;
}

}  // namespace vramlab::tools
