#include "replay/settings_search/capacity.h"

#include <algorithm>
#include <map>
#include <tuple>

#include "allocator/options/size_rules.h"
#include "replay/metrics/memory_curve.h"
#include "traces/io/input_error.h"

namespace vramlab::replay {
namespace {

struct Try {
  bool runs = false;
  /// The next size that may lead to another result, in whole granules.
  Bytes next;
  /// Whether on larger sizes only the order of addresses can make a difference.
  bool refuses_nothing = false;
  std::uint64_t events = 0;
};

class CapacitySearch {
 public:
  CapacitySearch(const Replayer& recording, ReplayConditions conditions)
      : recording_(recording), conditions_(std::move(conditions)) {
    conditions_.on_out_of_memory = OnOutOfMemory::stop;
    conditions_.keeps_ranges = streams::KeepsRanges::yes;
    answer_.live = live_with(FailedRequests::counted);
  }

  CapacityAnswer find(const CapacityEffort& effort) {
    if (!find_limitless()) return answer_;
    Bytes size = first_size(answer_.live);
    Try tried = try_size(size);
    while (!tried.runs) {
      if (tried.next >= boundless_memory) return answer_;
      size = tried.next;
      tried = try_size(size);
    }
    answer_.least = size;
    look_above(tried, effort);
    find_as_it_went_on(effort);
    return answer_;
  }

 private:
  std::optional<LiveBounds> live_with(FailedRequests failed) const {
    const auto options = conditions_.options ? OptionsOnTheWay::left_out : OptionsOnTheWay::hold;
    return live_bounds(recording_, recording_.settings_for(conditions_),
                       {conditions_.starting_memory, failed, options});
  }

  /// The first size to try: the recording runs on none below it.
  Bytes first_size(const std::optional<LiveBounds>& live) const {
    const Bytes held = round_up(conditions_.held_by_others.value_or(Bytes{}), device_granule);
    return std::max(held + (live ? live->on_device : Bytes{}), device_granule);
  }

  /// Whether the recording runs on a device without a limit.
  bool find_limitless() {
    conditions_.memory = boundless_memory;
    ++answer_.replays;
    const ReplayReport report = recording_.figures(conditions_);
    for (const DeviceReport& device : report.devices)
      answer_.peak_reserved = std::max(answer_.peak_reserved, device.peak_reserved.bytes);
    return !report.has_failures();
  }

  /// The least size on which the program gets to its end, where it need not get what it did
  /// without. It stays unknown where finding it takes long beside the answer itself.
  void find_as_it_went_on(const CapacityEffort& effort) {
    constexpr std::uint64_t share = 10;
    if (!recording_.has_caught_failures()) return;
    conditions_.on_out_of_memory = OnOutOfMemory::as_recorded;
    const Bytes enough = *answer_.least;
    std::uint64_t replays = 0;
    std::uint64_t events = 0;
    Bytes size = first_size(live_with(FailedRequests::left_out));
    for (; size < enough; ++replays) {
      if (replays * share > effort.replays_above || events > effort.events_above / share) return;
      const Try tried = try_size(size);
      if (tried.runs) break;
      size = tried.next;
      events += tried.events;
    }
    answer_.least_as_it_went_on = std::min(size, enough);
  }

  Try try_size(Bytes size) {
    conditions_.memory = size;
    ++answer_.replays;
    ReplayReport report;
    try {
      report = recording_.figures(conditions_);
    } catch (const traces::InputError&) {
      // The memory held at the start does not fit.
      return {.next = size + device_granule};
    }
    return next_after(size, report);
  }

  Try next_after(Bytes size, const ReplayReport& report) {
    const bool runs = conditions_.on_out_of_memory == OnOutOfMemory::as_recorded
                          ? !report.stopped_at
                          : !report.has_failures();
    Try tried{runs, boundless_memory, true, report.calls};
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
    // Sizes above this can only change the order of addresses, where no request is refused any
    // more: they have twice the memory that is ever reserved.
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

  const Replayer& recording_;
  ReplayConditions conditions_;
  CapacityAnswer answer_;
};

using traces::DeviceIndex;

struct LiveSlot {
  Bytes requested;
  Bytes rounded;
  /// The least that its block can take.
  Bytes held;
  /// Index of its lane.
  std::uint32_t lane = 0;
  bool is_live = false;
};

/// One stream's blocks of one kind.
struct LiveLane {
  std::uint32_t device = 0;
  Bytes live;
  Bytes granule;
  Bytes on_device() const { return round_up(live, granule); }
};

struct LiveDevice {
  Peak requested;
  Peak rounded;
  Peak on_device;
};

void raise(LiveBounds& most, const LiveBounds& bounds) {
  most.requested = std::max(most.requested, bounds.requested);
  most.rounded = std::max(most.rounded, bounds.rounded);
  most.on_device = std::max(most.on_device, bounds.on_device);
}

class LiveWalk {
 public:
  LiveWalk(const CompactProgram& program, const Settings& settings, OptionsOnTheWay options)
      : program_(program), settings_(settings), blocks_(program.slot_count()) {
    const bool may_change = program.changes_limits() && options == OptionsOnTheWay::hold;
    if (may_change || !is_native()) settings_.roundup_divisions.fill(0);
  }

  void add_start(const ProgramPart& part, StartingMemory memory) {
    const auto& devices = program_.devices();
    const DeviceIndex device = devices.empty() ? DeviceIndex{} : devices.front();
    for (const StartingSegment& segment : part.start)
      for (std::size_t i = 0; i < segment.ids.size(); ++i) {
        if (segment.ids[i] == 0) continue;
        const GivenBlock& given = segment.segment.blocks[i];
        if (memory == StartingMemory::requested_anew) {
          add_request(static_cast<std::uint32_t>(segment.ids[i] - 1),
                      {device, given.known_request(), segment.segment.stream});
          continue;
        }
        const Bytes rounded =
            given.requested == Bytes{} ? given.size : round_request(given.requested, settings_);
        // A block held at the start keeps its size, whatever was requested.
        add(static_cast<std::uint32_t>(segment.ids[i] - 1),
            {device, given.requested, segment.segment.stream},
            {rounded, given.size, segment.segment.kind == PoolKind::small});
      }
  }

  /// `left_out`: numbers of requests that do not count.
  void run(const std::vector<std::uint64_t>& left_out) {
    CompactReader reader(program_);
    for (std::size_t i = 0; i < program_.event_count(); ++i) {
      const CompactEvent event = reader[i];
      if (event.kind() == CompactKind::malloc) {
        if (left_out.empty() || !std::ranges::binary_search(left_out, reader.number(i)))
          add_request(event.slot(), program_.shape(event));
      } else if (event.kind() == CompactKind::free) {
        remove(event.slot());
      }
    }
  }

  LiveBounds bounds() const {
    LiveBounds most;
    for (const auto& [device, live] : devices_)
      raise(most, {live.requested.bytes(), live.rounded.bytes(), live.on_device.bytes()});
    return most;
  }

 private:
  struct Place {
    Bytes rounded;
    Bytes held;
    bool is_small;
  };
  void add_request(std::uint32_t slot, const EventShape& shape) {
    if (shape.bytes.count == 0 || shape.bytes >= allocator::request_limit) return;
    const Bytes rounded = round_request(shape.bytes, settings_);
    add(slot, shape, {rounded, rounded, rounded <= allocator::small_limit});
  }
  void add(std::uint32_t slot, const EventShape& shape, const Place& place) {
    LiveSlot& block = blocks_[slot];
    block = {shape.bytes, place.rounded, place.held, lane_of(shape, place), true};
    LiveLane& lane = lanes_[block.lane];
    LiveDevice& device = devices_[lane.device];
    const Bytes before = lane.on_device();
    lane.live += block.held;
    device.on_device.add(lane.on_device() - before);
    device.requested.add(block.requested);
    device.rounded.add(block.rounded);
  }

  void remove(std::uint32_t slot) {
    LiveSlot& block = blocks_[slot];
    if (!block.is_live) return;
    block.is_live = false;
    LiveLane& lane = lanes_[block.lane];
    LiveDevice& device = devices_[lane.device];
    const Bytes before = lane.on_device();
    lane.live -= block.held;
    device.on_device.subtract(before - lane.on_device());
    device.requested.subtract(block.requested);
    device.rounded.subtract(block.rounded);
  }

  std::uint32_t lane_of(const EventShape& shape, const Place& place) {
    const auto [found, is_new] =
        lane_places_.try_emplace({shape.device.value, shape.stream, place.is_small},
                                 static_cast<std::uint32_t>(lanes_.size()));
    // Units of other sizes are no whole granules, and CUDA's own pool has no lanes.
    const bool is_whole =
        is_native() && settings_.large_segment_size.count % device_granule.count == 0;
    if (is_new) lanes_.push_back({shape.device.value, {}, is_whole ? device_granule : Bytes{1}});
    return found->second;
  }

  bool is_native() const { return settings_.backend == allocator::Backend::native; }

  const CompactProgram& program_;
  Settings settings_;
  std::vector<LiveSlot> blocks_;
  std::vector<LiveLane> lanes_;
  std::map<std::tuple<std::uint32_t, StreamId, bool>, std::uint32_t> lane_places_;
  std::map<std::uint32_t, LiveDevice> devices_;
};

}  // namespace

CapacityAnswer find_capacity(const Replayer& recording, const ReplayConditions& conditions,
                             const CapacityEffort& effort) {
  return CapacitySearch(recording, conditions).find(effort);
}

std::optional<LiveBounds> live_bounds(const Replayer& recording, const Settings& settings,
                                      const LiveCount& count) {
  LiveBounds most;
  const bool is_laid_out = count.start == StartingMemory::as_recorded;
  for (const ProgramPart* part : recording.parts()) {
    if (part->program.needs_ids()) return std::nullopt;
    LiveWalk walk(part->program, settings, count.options);
    walk.add_start(*part, count.start);
    walk.run(count.failed == FailedRequests::left_out ? part->failed
                                                      : std::vector<std::uint64_t>{});
    LiveBounds bounds = walk.bounds();
    if (is_laid_out && settings.backend == allocator::Backend::native)
      bounds.on_device = std::max(bounds.on_device, reserved_in(part->start));
    bounds.on_device = round_up(bounds.on_device, device_granule);
    raise(most, bounds);
  }
  return most;
}

}  // namespace vramlab::replay
