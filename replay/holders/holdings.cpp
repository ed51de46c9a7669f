#include "replay/holders/holdings.h"

#include <algorithm>
#include <tuple>

namespace vramlab::replay {

HoldingsFinder::HoldingsFinder(std::string file, const Moment& moment, KeyMeaning keys,
                               std::optional<std::uint64_t> allocated_after)
    : file_(std::move(file)), moment_(moment), keys_(keys), allocated_after_(allocated_after) {}

bool HoldingsFinder::is_past_moment(const MemoryEvent& event) const {
  if (moment_.kind == MomentKind::event) return event.number > moment_.event;
  if (moment_.kind != MomentKind::time || !event.time_ns || !first_time_ns_) return false;
  return *event.time_ns > *first_time_ns_ && *event.time_ns - *first_time_ns_ > moment_.time_ns;
}

void HoldingsFinder::mark(Device& device, const EventMoment& at) {
  device.memory.mark(at.event);
  device.marked = at;
}

void HoldingsFinder::memory_event(const MemoryEvent& event) {
  Device& device = devices_[event.device];
  if (event.time_ns) {
    if (!first_time_ns_) first_time_ns_ = event.time_ns;
    last_time_ns_ = std::max(last_time_ns_.value_or(0), *event.time_ns);
  }
  if (!device.is_reached && is_past_moment(event)) {
    mark(device, device.last);
    device.is_reached = true;
  }
  ++device.event_count;
  device.last.event = event.number;
  if (event.time_ns) device.last.time_ns = event.time_ns;
  apply(device, event);
}

void HoldingsFinder::apply(Device& device, const MemoryEvent& event) {
  switch (event.kind) {
    case MemoryEventKind::allocated:
      device.has_history = true;
      if (!device.memory.allocate(event.block)) {
        if (keys_ == KeyMeaning::id && !allows_unknown_ids_) throw already_live(file_, event);
        ++device.contradictions;
      }
      device.last_allocation = device.last;
      return note_peak(device);
    case MemoryEventKind::freed:
      device.has_history = true;
      return release(device, event);
    case MemoryEventKind::free_completed:
      device.has_history = true;
      return complete_free(device, event);
    case MemoryEventKind::failed:
      if (moment_.kind != MomentKind::out_of_memory || device.is_reached) return;
      mark(device, device.last);
      device.is_reached = true;
      return;
    case MemoryEventKind::restored:
      allows_unknown_ids_ = true;
      return;
    case MemoryEventKind::range_begin:
    case MemoryEventKind::range_end:
    case MemoryEventKind::marker:
    case MemoryEventKind::other:
      return;
  }
}

void HoldingsFinder::note_peak(Device& device) {
  if (moment_.kind != MomentKind::peak || device.memory.requested() <= device.highest) return;
  device.highest = device.memory.requested();
  mark(device, device.last_allocation);
}

void HoldingsFinder::release(Device& device, const MemoryEvent& event) {
  if (keys_ == KeyMeaning::address && !device.says_when_freed) {
    // Completions before the first request belong to requests from before the history.
    device.says_when_freed = true;
    device.memory.take_back_earlier_releases();
    note_peak(device);
  }
  if (device.memory.release(event.block.key)) return;
  if (keys_ == KeyMeaning::address) return device.memory.release_earlier(event.block);
  if (!allows_unknown_ids_) throw not_live(file_, event);
}

void HoldingsFinder::complete_free(Device& device, const MemoryEvent& event) {
  if (device.says_when_freed || device.memory.release(event.block.key)) return;
  device.memory.release_earlier(event.block);
}

bool HoldingsFinder::ends_at_moment(const Device& device,
                                    std::optional<std::uint64_t> event_count) const {
  switch (moment_.kind) {
    case MomentKind::peak:
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
  // A program tells all that happened, a recording with a single entry nothing.
  if (keys_ == KeyMeaning::id)
    device.has_history = true;
  else if (device.event_count < 2)
    device.has_history = false;
  holdings.has_history = device.has_history;
  if (moment_.kind != MomentKind::peak && !device.is_reached) mark(device, device.last);
  holdings.event = device.marked.event;
  holdings.time_ns = device.marked.time_ns;
  if (holdings.time_ns && first_time_ns_ && *holdings.time_ns >= *first_time_ns_)
    holdings.since_begin_ns = *holdings.time_ns - *first_time_ns_;
  const bool is_end = moment_.kind == MomentKind::end || !device.has_history;
  std::ranges::sort(device.final_blocks, {}, &HeldBlock::key);
  holdings.has_block_sizes = is_end && device.has_final_state;
  holdings.blocks = holdings.has_block_sizes ? at_end(device) : device.memory.held_at_mark();
  if (!holdings.has_block_sizes) add_survivors(device, holdings.blocks);
  if (allocated_after_)
    std::erase_if(holdings.blocks, [&](const HeldBlock& block) {
      return !block.event || *block.event <= *allocated_after_;
    });
  holdings.contradictions = device.contradictions + missing_at_end(device);
  return holdings;
}

/// What the segments show, with what the history tells of it.
std::vector<HeldBlock> HoldingsFinder::at_end(const Device& device) {
  std::vector<HeldBlock> blocks;
  for (HeldBlock block : device.final_blocks) {
    if (const HeldBlock* known = device.memory.find(block.key)) {
      block.event = known->event;
      block.time_ns = known->time_ns;
      if (known->stack != traces::StackId{}) block.stack = known->stack;
    }
    blocks.push_back(block);
  }
  std::ranges::sort(blocks, {},
                    [](const HeldBlock& block) { return std::tuple(block.event, block.key); });
  return blocks;
}

/// What was there from before the first event to the end.
void HoldingsFinder::add_survivors(const Device& device, std::vector<HeldBlock>& blocks) {
  std::vector<HeldBlock> survivors;
  for (HeldBlock block : device.final_blocks) {
    if (device.memory.find(block.key) != nullptr) continue;
    block.bytes = block.requested;
    survivors.push_back(block);
  }
  blocks.insert(blocks.begin(), survivors.begin(), survivors.end());
}

std::uint64_t HoldingsFinder::missing_at_end(const Device& device) {
  if (!device.has_final_state) return 0;
  std::uint64_t there = 0;
  for (const HeldBlock& block : device.final_blocks)
    if (device.memory.find(block.key) != nullptr) ++there;
  return device.memory.count() - there;
}

traces::InputError HoldingsFinder::no_such_moment() const {
  std::uint64_t events = 0;
  for (const auto& [number, device] : devices_) events = std::max(events, device.event_count);
  switch (moment_.kind) {
    case MomentKind::out_of_memory:
      return traces::InputError({file_, "", "a request that failed", "none"});
    case MomentKind::time:
      if (!first_time_ns_) return traces::InputError({file_, "", "events with times", "none"});
      return traces::InputError(
          {file_, "", "a time that the history reaches",
           "a history of " + std::to_string(*last_time_ns_ - *first_time_ns_) + " ns"});
    case MomentKind::event:
      return traces::InputError(
          {file_, "", "an event " + std::to_string(moment_.event),
           events == 0 ? "no history" : std::to_string(events) + " events, from 0 on"});
    case MomentKind::peak:
    case MomentKind::end:
      break;
  }
  return traces::InputError({file_, "", "a device", "none"});
}

}  // namespace vramlab::replay
