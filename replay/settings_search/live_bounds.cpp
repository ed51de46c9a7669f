#include "replay/settings_search/live_bounds.h"

#include <algorithm>
#include <map>
#include <tuple>

#include "allocator/options/size_rules.h"
#include "replay/metrics/peak.h"

namespace vramlab::replay {
namespace {

using traces::DeviceIndex;

struct LiveBlock {
  Bytes requested;
  Bytes rounded;
  /// Place of its lane.
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
  LiveWalk(const CompactProgram& program, const Settings& settings)
      : program_(program), settings_(settings), blocks_(program.slot_count()) {
    if (program.changes_limits() || !is_native()) settings_.roundup_divisions.fill(0);
  }

  void add_start(const std::vector<StartingSegment>& start, DeviceIndex device) {
    for (const StartingSegment& segment : start)
      for (std::size_t i = 0; i < segment.ids.size(); ++i) {
        if (segment.ids[i] == 0) continue;
        const GivenBlock& given = segment.segment.blocks[i];
        // A large block that is there stays as it is, whatever was asked for.
        add(static_cast<std::uint32_t>(segment.ids[i] - 1),
            {device, given.requested, segment.segment.stream},
            {given.size, segment.segment.kind == PoolKind::small});
      }
  }

  void run() {
    CompactReader reader(program_);
    for (std::size_t i = 0; i < program_.event_count(); ++i) {
      const CompactEvent event = reader[i];
      if (event.kind() == CompactKind::malloc) {
        const EventShape& shape = program_.shape(event);
        if (shape.bytes.count == 0 || shape.bytes >= allocator::request_limit) continue;
        const Bytes rounded = round_request(shape.bytes, settings_);
        add(event.slot(), shape, {rounded, rounded <= allocator::small_limit});
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
    bool is_small;
  };
  void add(std::uint32_t slot, const EventShape& shape, const Place& place) {
    const Bytes rounded = place.rounded;
    LiveBlock& block = blocks_[slot];
    block = {shape.bytes, rounded, lane_of(shape, place), true};
    LiveLane& lane = lanes_[block.lane];
    LiveDevice& device = devices_[lane.device];
    const Bytes before = lane.on_device();
    lane.live += rounded;
    device.on_device.add(lane.on_device() - before);
    device.requested.add(block.requested);
    device.rounded.add(rounded);
  }

  void remove(std::uint32_t slot) {
    LiveBlock& block = blocks_[slot];
    if (!block.is_live) return;
    block.is_live = false;
    LiveLane& lane = lanes_[block.lane];
    LiveDevice& device = devices_[lane.device];
    const Bytes before = lane.on_device();
    lane.live -= block.rounded;
    device.on_device.subtract(before - lane.on_device());
    device.requested.subtract(block.requested);
    device.rounded.subtract(block.rounded);
  }

  std::uint32_t lane_of(const EventShape& shape, const Place& place) {
    const auto [found, is_new] =
        lane_places_.try_emplace({shape.device.value, shape.stream, place.is_small},
                                 static_cast<std::uint32_t>(lanes_.size()));
    // Units of other sizes are not made of whole granules, and CUDA's own pool has no lanes.
    const bool is_whole =
        is_native() && settings_.large_segment_size.count % device_granule.count == 0;
    if (is_new) lanes_.push_back({shape.device.value, {}, is_whole ? device_granule : Bytes{1}});
    return found->second;
  }

  bool is_native() const { return settings_.backend == allocator::Backend::native; }

  const CompactProgram& program_;
  Settings settings_;
  std::vector<LiveBlock> blocks_;
  std::vector<LiveLane> lanes_;
  std::map<std::tuple<std::uint32_t, StreamId, bool>, std::uint32_t> lane_places_;
  std::map<std::uint32_t, LiveDevice> devices_;
};

}  // namespace

std::optional<LiveBounds> live_bounds(const Recording& recording, const Settings& settings) {
  LiveBounds most;
  for (const ProgramPart* part : recording.parts()) {
    if (part->program.needs_ids()) return std::nullopt;
    LiveWalk walk(part->program, settings);
    const auto& devices = part->program.devices();
    walk.add_start(part->start, devices.empty() ? DeviceIndex{} : devices.front());
    walk.run();
    LiveBounds bounds = walk.bounds();
    if (settings.backend == allocator::Backend::native)
      bounds.on_device = std::max(bounds.on_device, reserved_in(part->start));
    bounds.on_device = round_up(bounds.on_device, device_granule);
    raise(most, bounds);
  }
  return most;
}

}  // namespace vramlab::replay
