#include "replay/explain/ways_out.h"

#include <algorithm>
#include <set>

#include "replay/settings_search/capacity.h"
#include "traces/io/input_error.h"

namespace vramlab::replay {
namespace {

std::optional<Bytes> least_on_device(const Replayer& replayer, const ReplayConditions& conditions) {
  const auto live = live_bounds(replayer, replayer.settings_for(conditions));
  return live ? std::optional(live->on_device) : std::nullopt;
}

/// Whether the GPU is enough; empty if the memory that is there at the start does not fit.
std::optional<SmallestGpu> tried_gpu(const Replayer& replayer, const streams::GpuModel& gpu,
                                     const GpuQuestion& question, const ReplayEffort& effort) {
  ReplayConditions conditions = question.conditions;
  conditions.scratch = effort.scratch;
  conditions.memory = gpu.available();
  if (question.request) conditions.on_out_of_memory = OnOutOfMemory::skip;
  try {
    const ReplayReport report = replayer.figures(conditions);
    if (!question.request && !report.has_failures()) return SmallestGpu{&gpu, 0, true, nullptr};
    if (question.request && passes(report, *question.request))
      return SmallestGpu{&gpu, 0, runs_through(report, *question.request), nullptr};
  } catch (const traces::InputError&) {
    return std::nullopt;
  }
  return std::nullopt;
}

Bytes peak_reserved_of_row(const SweepRow& row) {
  return {static_cast<std::uint64_t>(value_of(row.worst().metrics, "peak_reserved"))};
}

/// The peak with the memory that there was, which may have kept it low: a run without a limit
/// releases nothing. The most there can be for a run that failed.
Bytes peak_as_it_was(const Replayer& replayer, const ReplayConditions& conditions) {
  const ReplayReport report = replayer.figures(conditions);
  if (report.has_failures()) return boundless_memory;
  return {static_cast<std::uint64_t>(value_of(run_metrics(report), "peak_reserved"))};
}

}  // namespace

std::string_view options_variable_of(const ReferenceVersion& version) {
  return version.grammar == allocator::OptionGrammar::single_pass ? "PYTORCH_CUDA_ALLOC_CONF"
                                                                  : "PYTORCH_ALLOC_CONF";
}

std::uint64_t event_count_of(const Replayer& replayer) {
  std::uint64_t count = 0;
  for (const ProgramPart* part : replayer.parts()) count += part->program.event_count();
  return count;
}

std::optional<SmallestGpu> smallest_gpu(const Replayer& replayer, const GpuQuestion& question,
                                        const ReplayEffort& effort) {
  if (event_count_of(replayer) > effort.most_events) return std::nullopt;
  Bytes least = question.least;
  if (!question.request)
    least = std::max(least, least_on_device(replayer, question.conditions).value_or(Bytes{}));
  const Bytes held = question.conditions.held_by_others.value_or(Bytes{});
  const auto runs_there = [code = replayer.kernel_code()](const streams::GpuModel& gpu) {
    return gpu.properties.runs_any_of(code);
  };
  // Several GPUs have the same memory.
  std::set<Bytes> too_small;
  const streams::GpuModel* without_code = nullptr;
  for (const streams::GpuModel& gpu : streams::gpu_models()) {
    const Bytes available = gpu.available();
    if (available < held + std::max(least, Bytes{1})) continue;
    if (too_small.contains(available) || (without_code != nullptr && !runs_there(gpu))) continue;
    auto found = tried_gpu(replayer, gpu, question, effort);
    if (!found) {
      too_small.insert(available);
    } else if (!runs_there(gpu)) {
      without_code = &gpu;
    } else {
      found->larger_count = static_cast<std::size_t>(std::ranges::count_if(
          streams::gpu_models(),
          [&](const auto& other) { return other.available() > available && runs_there(other); }));
      found->without_code = without_code;
      return found;
    }
  }
  return SmallestGpu{nullptr, 0, false, without_code};
}

std::optional<ReservedRange> reserved_range(const Replayer& replayer, std::int64_t device,
                                            Bytes recorded, const ReplayEffort& effort) {
  if (event_count_of(replayer) > effort.most_events) return std::nullopt;
  ReservedRange range{recorded, recorded};
  using enum streams::SegmentOrder;
  for (const streams::SegmentOrder order : {upwards, downwards, by_size}) {
    ReplayConditions conditions;
    conditions.scratch = effort.scratch;
    conditions.segment_order = order;
    const ReplayReport report = replayer.figures(conditions);
    for (const DeviceReport& replayed : report.devices) {
      if (replayed.device.value != device) continue;
      range.least = std::min(range.least, replayed.peak_reserved.bytes);
      range.most = std::max(range.most, replayed.peak_reserved.bytes);
    }
  }
  return range;
}

std::optional<FoundAdvice> find_advice(const Replayer& replayer, const ReplayConditions& asked,
                                       const SettingsRunner& run, const ReplayEffort& effort) {
  if (event_count_of(replayer) > effort.most_for_advice()) return std::nullopt;
  ReplayConditions conditions = asked;
  conditions.scratch = effort.scratch;
  const Bytes as_it_was = peak_as_it_was(replayer, conditions);
  conditions.memory = boundless_memory;
  const Advice advice =
      advise({&replayer}, {conditions}, [&](const std::vector<AskedSetting>& settings) {
        return run(replayer, settings, conditions);
      });
  if (advice.best.was_refused() || advice.recorded.was_refused()) return std::nullopt;
  conditions.options = advice.best.conf;
  return FoundAdvice{advice.best.conf, peak_reserved_of_row(advice.best),
                     std::min(peak_reserved_of_row(advice.recorded), as_it_was),
                     replayer.trust(conditions)};
}

}  // namespace vramlab::replay
