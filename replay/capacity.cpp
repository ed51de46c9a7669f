#include "replay/capacity.h"

#include <algorithm>

#include "traces/input_error.h"

namespace vramlab::replay {
namespace {

using allocator::Bytes;

struct Try {
  bool runs = false;
  /// The next size that may do otherwise, in whole granules.
  Bytes next;
};

class CapacitySearch {
 public:
  CapacitySearch(const LoadedRecording& recording, ReplayConditions conditions)
      : recording_(recording), conditions_(std::move(conditions)) {
    const allocator::Settings settings = recording_.settings_for(conditions_);
    conditions_.on_out_of_memory = OnOutOfMemory::stop;
    depends_on_shares_ = conditions_.memory_fraction.has_value() ||
                         settings.per_process_memory_fraction < 1 ||
                         settings.throw_on_cudamalloc_oom;
    for (const LoadedPart& part : recording_.parts())
      depends_on_shares_ = depends_on_shares_ || part.program.changes_limits();
    find_live(settings);
  }

  CapacityAnswer find(const CapacityEffort& effort) {
    if (!find_limitless()) return answer_;
    Bytes size = answer_.live ? answer_.live->on_device : Bytes{};
    size = std::max(size, device_granule);
    for (;;) {
      const Try tried = try_size(size);
      if (tried.runs) break;
      if (tried.next >= boundless_memory) return answer_;
      size = tried.next;
    }
    answer_.least = size;
    look_above(size, effort);
    return answer_;
  }

 private:
  void find_live(const allocator::Settings& settings) {
    answer_.live = LiveBounds{};
    for (const LoadedPart& part : recording_.parts()) {
      const auto bounds = live_bounds(part, settings);
      if (!bounds) return answer_.live.reset();
      answer_.live->requested = std::max(answer_.live->requested, bounds->requested);
      answer_.live->rounded = std::max(answer_.live->rounded, bounds->rounded);
      answer_.live->on_device = std::max(answer_.live->on_device, bounds->on_device);
    }
  }

  /// Whether it runs at all.
  bool find_limitless() {
    conditions_.memory = boundless_memory;
    ++answer_.replays;
    const ReplayReport report = recording_.run(conditions_);
    for (const DeviceReport& device : report.devices)
      answer_.peak_reserved = std::max(answer_.peak_reserved, device.peak_reserved.bytes);
    return !report.has_failures();
  }

  Try try_size(Bytes size) {
    conditions_.memory = size;
    ++answer_.replays;
    ReplayReport report;
    try {
      report = recording_.run(conditions_);
    } catch (const traces::InputError&) {
      // What was there at the start does not fit.
      return {false, size + device_granule};
    }
    return {!report.has_failures(), next_after(size, report)};
  }

  Bytes next_after(Bytes size, const ReplayReport& report) {
    Bytes below{UINT64_MAX};
    bool has_reserved = depends_on_shares_;
    for (const DeviceReport& device : report.devices) {
      below = std::min(below, device.same_answers.below);
      has_reserved = has_reserved || device.same_answers.has_reserved;
    }
    if (has_reserved) return size + device_granule;
    if (below >= boundless_memory) return boundless_memory;
    const Bytes next = std::max(round_up(below, device_granule), size + device_granule);
    answer_.left_out_sizes = answer_.left_out_sizes || next > size + device_granule;
    return next;
  }

  /// Up to where nothing is refused any more.
  void look_above(Bytes least, const CapacityEffort& effort) {
    const std::uint64_t most = answer_.replays + effort.replays_above;
    const Bytes end = end_of_refusals(least);
    for (Bytes size = least; size < end;) {
      if (answer_.replays >= most) {
        answer_.looked_up_to = size;
        return;
      }
      const Try tried = try_size(size);
      if (!tried.runs) add_failing({size, tried.next});
      size = tried.next;
    }
  }

  /// From here on nothing is refused: addresses of expandable segments apart, which are as many as
  /// could ever be needed, a larger device makes no difference.
  Bytes end_of_refusals(Bytes least) const {
    return std::max(least, round_up(answer_.peak_reserved, device_granule) + device_granule);
  }

  void add_failing(const SizeRange& range) {
    auto& ranges = answer_.fails_above;
    if (!ranges.empty() && ranges.back().below == range.from)
      ranges.back().below = range.below;
    else
      ranges.push_back(range);
  }

  const LoadedRecording& recording_;
  ReplayConditions conditions_;
  bool depends_on_shares_ = false;
  CapacityAnswer answer_;
};

}  // namespace

CapacityAnswer find_capacity(const LoadedRecording& recording, const ReplayConditions& conditions,
                             const CapacityEffort& effort) {
  return CapacitySearch(recording, conditions).find(effort);
}

}  // namespace vramlab::replay
