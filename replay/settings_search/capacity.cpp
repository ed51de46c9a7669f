#include "replay/settings_search/capacity.h"

#include <algorithm>

#include "traces/io/input_error.h"

namespace vramlab::replay {
namespace {

struct Try {
  bool runs = false;
  /// The next size that may do otherwise, in whole granules.
  Bytes next;
  /// On larger ones only the order of addresses can make a difference.
  bool refuses_nothing = false;
  std::uint64_t events = 0;
};

class CapacitySearch {
 public:
  CapacitySearch(const Recording& recording, ReplayConditions conditions)
      : recording_(recording), conditions_(std::move(conditions)) {
    conditions_.on_out_of_memory = OnOutOfMemory::stop;
    conditions_.keeps_ranges = streams::KeepsRanges::yes;
    answer_.live = live_bounds(recording_, recording_.settings_for(conditions_));
  }

  CapacityAnswer find(const CapacityEffort& effort) {
    if (!find_limitless()) return answer_;
    const Bytes held = conditions_.held_by_others.value_or(Bytes{});
    Bytes size =
        round_up(held, device_granule) + (answer_.live ? answer_.live->on_device : Bytes{});
    size = std::max(size, device_granule);
    Try tried = try_size(size);
    while (!tried.runs) {
      if (tried.next >= boundless_memory) return answer_;
      size = tried.next;
      tried = try_size(size);
    }
    answer_.least = size;
    look_above(tried, effort);
    return answer_;
  }

 private:
  /// Whether it runs at all.
  bool find_limitless() {
    conditions_.memory = boundless_memory;
    ++answer_.replays;
    const ReplayReport report = recording_.figures(conditions_);
    for (const DeviceReport& device : report.devices)
      answer_.peak_reserved = std::max(answer_.peak_reserved, device.peak_reserved.bytes);
    return !report.has_failures();
  }

  Try try_size(Bytes size) {
    conditions_.memory = size;
    ++answer_.replays;
    ReplayReport report;
    try {
      report = recording_.figures(conditions_);
    } catch (const traces::InputError&) {
      // What was there at the start does not fit.
      return {.next = size + device_granule};
    }
    return next_after(size, report);
  }

  Try next_after(Bytes size, const ReplayReport& report) {
    Try tried{!report.has_failures(), boundless_memory, true, report.events};
    for (const DeviceReport& device : report.devices) {
      if (device.same_below >= boundless_memory) continue;
      tried.next = std::min(tried.next, round_up(device.same_below, device_granule));
      tried.refuses_nothing = false;
    }
    const Bytes first = size + device_granule;
    for (const DeviceReport& device : report.devices)
      if (device.places)
        tried.next = device.places->first_other_order({first, device_granule, tried.next});
    tried.next = std::max(tried.next, first);
    answer_.left_out_sizes = answer_.left_out_sizes || tried.next > first;
    return tried;
  }

  /// `tried`: the least size.
  void look_above(Try tried, const CapacityEffort& effort) {
    std::uint64_t replays = 0;
    std::uint64_t events = 0;
    // Who looks no further than this where nothing is refused any more leaves out only what another
    // order of addresses would do with twice the memory that is ever reserved.
    const Bytes far_enough = answer_.peak_reserved * 2;
    for (Bytes size = *answer_.least; size < boundless_memory;) {
      if (replays == effort.replays_above || events >= effort.events_above) {
        answer_.looked_up_to = size;
        return;
      }
      if (replays++ > 0) tried = try_size(size);
      events += tried.events;
      if (!tried.runs) add_failing({size, tried.next});
      size = tried.next;
      if (!tried.refuses_nothing || size < far_enough || size >= boundless_memory) continue;
      answer_.looked_up_to = size;
      return;
    }
  }

  void add_failing(const SizeRange& range) {
    auto& ranges = answer_.fails_above;
    if (!ranges.empty() && ranges.back().below == range.from)
      ranges.back().below = range.below;
    else
      ranges.push_back(range);
  }

  const Recording& recording_;
  ReplayConditions conditions_;
  CapacityAnswer answer_;
};

}  // namespace

CapacityAnswer find_capacity(const Recording& recording, const ReplayConditions& conditions,
                             const CapacityEffort& effort) {
  return CapacitySearch(recording, conditions).find(effort);
}

}  // namespace vramlab::replay
