#include "replay/call_sites/holdings.h"

#include <algorithm>
#include <set>
#include <utility>

#include "allocator/types/reference_version.h"
#include "replay/call_sites/sized_events.h"

namespace vramlab::replay {
namespace {

/// Requests rounded up by the settings that the file ends with, where sizes are not known. Notes
/// that these settings are in doubt where sizes depend on them.
void round_blocks(FoundHoldings& found, const RecordedHistory& recorded,
                  const traces::TextTable& texts) {
  const SettingsInForce in_force =
      recorded_settings(recorded, texts, allocator::reference_versions().back());
  bool is_by_settings = false;
  for (DeviceHoldings& device : found.devices) {
    is_by_settings = is_by_settings || (device.has_history && !device.blocks.empty());
    if (device.has_block_sizes) continue;
    for (LiveBlock& block : device.blocks)
      block.bytes = rounded(block.requested, in_force.settings);
  }
  if (is_by_settings && !in_force.doubt.empty()) found.notes.push_back(in_force.doubt);
}

void add_contradictions(FoundHoldings& found) {
  for (const DeviceHoldings& device : found.devices)
    if (device.contradictions > 0)
      found.notes.push_back("device " + std::to_string(device.device) + ": " +
                            std::to_string(device.contradictions) +
                            " blocks ended without a recorded free, so parts of this are guessed");
}

}  // namespace

HoldingsFinder::HoldingsFinder(std::string file, const Moment& moment, KeyMeaning keys,
                               std::optional<std::uint64_t> allocated_after)
    : file_(std::move(file)), moment_(moment), keys_(keys), allocated_after_(allocated_after) {}

bool HoldingsFinder::is_past_moment(const MemoryEvent& event) const {
  if (moment_.kind == MomentKind::event) return event.number > moment_.event;
  if (moment_.kind != MomentKind::time || !event.time_ns || !first_time_ns_) return false;
  return *event.time_ns > *first_time_ns_ && *event.time_ns - *first_time_ns_ > moment_.time_ns;
}

void HoldingsFinder::memory_event(const MemoryEvent& event) {
  Device& device = device_of(event.device);
  if (event.kind == MemoryEventKind::labelled) return device.apply(event);
  if (event.time_ns) {
    if (!first_time_ns_) first_time_ns_ = event.time_ns;
    last_time_ns_ = std::max(last_time_ns_.value_or(0), *event.time_ns);
  }
  if (!device.is_reached && is_past_moment(event)) {
    device.mark(device.last);
    device.is_reached = true;
  }
  ++device.event_count;
  device.last.event = event.number;
  if (event.time_ns) device.last.time_ns = event.time_ns;
  device.apply(event);
  const bool is_failure = event.kind == MemoryEventKind::failed;
  if (is_failure && moment_.kind == MomentKind::out_of_memory && !device.is_reached) {
    device.mark(device.last);
    device.is_reached = true;
  }
  if (event.kind < MemoryEventKind::failed) device.has_history = true;
}

void HoldingsFinder::most_is_reserved(std::int64_t device) {
  if (moment_.kind != MomentKind::peak_reserved) return;
  Device& reserved = device_of(device);
  reserved.mark(reserved.last);
}

void HoldingsFinder::restored(std::int64_t device, const RestoredBlocks& restored) {
  apply_restored(restored, device_of(device));
}

void HoldingsFinder::Device::mark(const EventMoment& at) {
  marked = at;
  given_back_since_mark.clear();
}

void HoldingsFinder::Device::raise(Bytes bytes) {
  if (allocated.add(bytes) && marks_peaks) mark(last_allocation);
}

void HoldingsFinder::Device::block_allocated(const LiveBlock& block) {
  last_allocation = last;
  raise(block.bytes);
}

void HoldingsFinder::Device::block_freed(const LiveBlock& block) {
  allocated.subtract(block.bytes);
  if (!block.event) earlier_given_back += block.bytes;
  if (was_at_mark(block)) given_back_since_mark.push_back(block);
}

void HoldingsFinder::Device::block_lost(const LiveBlock& block) {
  if (block.freed) return;
  ++contradictions;
  block_freed(block);
}

void HoldingsFinder::Device::first_free_told() {
  std::erase_if(given_back_since_mark, [](const LiveBlock& block) { return !block.event; });
  raise(std::exchange(earlier_given_back, {}));
}

const LiveBlock* HoldingsFinder::Device::held(std::uint64_t key) const {
  const LiveBlock* block = find(key);
  return block == nullptr || block->freed ? nullptr : block;
}

std::vector<LiveBlock> HoldingsFinder::Device::held_at_mark() const {
  std::vector<LiveBlock> blocks = given_back_since_mark;
  for (const LiveBlock& block : in_order())
    if (!block.freed && was_at_mark(block)) blocks.push_back(block);
  sort_by_age(blocks);
  return blocks;
}

bool HoldingsFinder::ends_at_moment(const Device& device,
                                    std::optional<std::uint64_t> event_count) const {
  switch (moment_.kind) {
    case MomentKind::peak:
    case MomentKind::peak_reserved:
    case MomentKind::end:
      return true;
    case MomentKind::out_of_memory:
      return device.is_reached;
    case MomentKind::event:
      return device.is_reached || moment_.event < event_count.value_or(device.event_count);
    case MomentKind::time:
      return device.has_history && last_time_ns_ && first_time_ns_ &&
             *last_time_ns_ - *first_time_ns_ >= moment_.time_ns;
  }
  return false;
}

std::vector<DeviceHoldings> HoldingsFinder::finish(std::optional<std::uint64_t> event_count) {
  std::vector<DeviceHoldings> found;
  for (auto& [number, device] : devices_)
    if (ends_at_moment(device, event_count)) found.push_back(holdings_of(number, device));
  if (found.empty()) throw no_such_moment();
  return found;
}

DeviceHoldings HoldingsFinder::holdings_of(std::int64_t number, Device& device) const {
  DeviceHoldings holdings;
  holdings.device = number;
  holdings.event_count = device.event_count;
  // A program tells all that happened.
  if (keys_ == KeyMeaning::id) device.has_history = true;
  holdings.has_history = device.has_history;
  if (!is_peak(moment_.kind) && !device.is_reached) device.mark(device.last);
  holdings.event = device.marked.event;
  holdings.time_ns = device.marked.time_ns;
  if (holdings.time_ns && first_time_ns_ && *holdings.time_ns >= *first_time_ns_)
    holdings.since_begin_ns = *holdings.time_ns - *first_time_ns_;
  const bool is_end = moment_.kind == MomentKind::end || !device.has_history;
  std::ranges::sort(device.final_blocks, {}, &LiveBlock::key);
  holdings.has_block_sizes = device.has_sizes || (is_end && device.has_final_state);
  if (is_end && device.has_final_state) {
    holdings.blocks = device.held_at_end();
  } else {
    holdings.blocks = device.survivors();
    const std::vector<LiveBlock> at_mark = device.held_at_mark();
    holdings.blocks.insert(holdings.blocks.end(), at_mark.begin(), at_mark.end());
  }
  if (allocated_after_)
    std::erase_if(holdings.blocks, [&](const LiveBlock& block) {
      return !block.event || *block.event <= *allocated_after_;
    });
  holdings.contradictions = device.contradictions + device.missing_at_end();
  return holdings;
}

/// Blocks that the segments show, with all that the history tells of them.
std::vector<LiveBlock> HoldingsFinder::Device::held_at_end() const {
  std::vector<LiveBlock> blocks;
  for (LiveBlock block : final_blocks) {
    if (const LiveBlock* known = held(block.key)) {
      block.event = known->event;
      block.time_ns = known->time_ns;
      block.label = known->label;
      if (known->stack != traces::StackId{}) block.stack = known->stack;
    }
    blocks.push_back(block);
  }
  sort_by_age(blocks);
  return blocks;
}

/// Blocks that were there from before the first event to the end.
std::vector<LiveBlock> HoldingsFinder::Device::survivors() const {
  std::vector<LiveBlock> blocks;
  for (LiveBlock block : final_blocks) {
    if (held(block.key) != nullptr) continue;
    if (!has_sizes) block.bytes = block.requested;
    blocks.push_back(block);
  }
  return blocks;
}

std::uint64_t HoldingsFinder::Device::missing_at_end() const {
  if (!has_final_state) return 0;
  std::set<std::uint64_t> there;
  for (const LiveBlock& block : final_blocks) there.insert(block.key);
  std::uint64_t missing = 0;
  for (const LiveBlock& block : in_order())
    if (!block.freed && !there.contains(block.key)) ++missing;
  return missing;
}

NoSuchMoment HoldingsFinder::no_such_moment() const {
  std::uint64_t events = 0;
  for (const auto& [number, device] : devices_) events = std::max(events, device.event_count);
  switch (moment_.kind) {
    case MomentKind::out_of_memory:
      return NoSuchMoment({file_, "", "a request that failed", "none"});
    case MomentKind::time:
      if (!first_time_ns_) return NoSuchMoment({file_, "", "events with times", "none"});
      return NoSuchMoment(
          {file_, "", "a time that the history reaches",
           "a history of " + std::to_string(*last_time_ns_ - *first_time_ns_) + " ns"});
    case MomentKind::event:
      return NoSuchMoment(
          {file_, "", "an event " + std::to_string(moment_.event),
           events == 0 ? "no history" : std::to_string(events) + " events, from 0 on"});
    case MomentKind::peak:
    case MomentKind::peak_reserved:
    case MomentKind::end:
      break;
  }
  return NoSuchMoment({file_, "", "a device", "none"});
}

FoundHoldings find_holdings(Recording& recording, const Moment& moment,
                            std::optional<std::uint64_t> allocated_after) {
  const KeyMeaning keys = recording.is_program() ? KeyMeaning::id : KeyMeaning::address;
  HoldingsFinder finder(recording.file(), moment, keys, allocated_after);
  SizedEvents passed = pass_sized_events(recording, finder);
  FoundHoldings found;
  found.notes = std::move(passed.notes);
  found.devices = finder.finish(passed.event_count);
  // Blocks of pinned memory are recorded with the sizes that they have.
  if (!recording.is_program() && recording.memory() == traces::ShownMemory::device)
    round_blocks(found, recording.history(), recording.tables().texts);
  add_contradictions(found);
  return found;
}

void add_kinds(FoundHoldings& found, std::shared_ptr<const RecordingKinds> kinds) {
  found.kinds = std::move(kinds);
  if (found.kinds == nullptr) {
    found.notes.emplace_back(
        "the recording does not say what its blocks hold; vramlab dry-run and "
        "vramlab.torch.record(kinds=True) note it, and --kinds guess guesses it");
    return;
  }
  found.notes.insert(found.notes.end(), found.kinds->doubts.begin(), found.kinds->doubts.end());
}

std::vector<HeldGroup> group_holdings(const FoundHoldings& found, const DeviceHoldings& device,
                                      GroupBy by, const traces::SnapshotTables& tables) {
  return group_blocks(device.blocks, by, tables,
                      {{device.event, device.time_ns}, found.kinds.get(), device.device});
}

}  // namespace vramlab::replay
