#include "tests/shim/engine_events.h"

#include <algorithm>

namespace vramlab::tests {
namespace {

using allocator::Address;
using allocator::Snapshot;
using allocator::SnapshotBlock;
using allocator::SnapshotSegment;
using replay::DeviceAction;

std::string place_of(std::uint64_t at, std::uint64_t origin) {
  return at < origin ? "-" + std::to_string(origin - at) : "+" + std::to_string(at - origin);
}

std::vector<SnapshotBlock> blocks_of(const Snapshot& snapshot) {
  std::vector<SnapshotBlock> all;
  for (const SnapshotSegment& segment : snapshot.segments)
    all.insert(all.end(), segment.blocks.begin(), segment.blocks.end());
  return all;
}

bool has_at(const Snapshot& snapshot, Address at) {
  return std::any_of(snapshot.segments.begin(), snapshot.segments.end(),
                     [at](const SnapshotSegment& segment) {
                       return segment.address <= at && at < segment.address + segment.total_size;
                     });
}

std::string text_of(const SnapshotBlock& block, std::uint64_t origin) {
  return place_of(block.address.value, origin) + " " + std::to_string(block.size.count) + " for " +
         std::to_string(block.requested.count) + " " +
         std::string(allocator::block_state_name(block.state));
}

}  // namespace

EngineEvents DriverEvents::events_of(const std::vector<DeviceAction>& actions) {
  EngineEvents events;
  for (const DeviceAction& action : actions)
    if (action.kind == DeviceAction::Kind::allocate || action.kind == DeviceAction::Kind::release)
      events.push_back(text_of(action));
  return events;
}

std::string DriverEvents::text_of(const DeviceAction& action) {
  if (action.kind == DeviceAction::Kind::release) {
    const auto known = numbers_.extract(action.at);
    return "gave back " + (known ? std::to_string(known.mapped()) : "what was never asked for");
  }
  const std::string asked = "asked for " + std::to_string(action.size.count);
  if (!action.was_granted) return asked + ": refused";
  numbers_[action.at] = ++granted_;
  return asked + ": number " + std::to_string(granted_);
}

EngineEvents block_events(const Snapshot& before, const Snapshot& after, std::uint64_t origin) {
  EngineEvents events;
  const std::vector<SnapshotBlock> old = blocks_of(before);
  auto was = old.begin();
  const auto tell_ends_before = [&](Address at) {
    for (; was != old.end() && was->address < at; ++was)
      events.push_back((has_at(after, was->address) ? "merged: " : "gone: ") +
                       text_of(*was, origin));
  };
  for (const SnapshotBlock& is : blocks_of(after)) {
    tell_ends_before(is.address);
    if (was == old.end() || was->address != is.address)
      events.push_back((has_at(before, is.address) ? "cut: " : "new: ") + text_of(is, origin));
    else if (*was++ != is)
      events.push_back("now: " + text_of(is, origin));
  }
  tell_ends_before({~0ULL});
  return events;
}

}  // namespace vramlab::tests
