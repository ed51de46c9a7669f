#include "replay/placed_world.h"

#include "allocator/check.h"
#include "replay/device_replay.h"

namespace vramlab::replay {

using allocator::Address;
using allocator::DeviceError;

PlacedWorld::PlacedWorld(const DeviceConditions& conditions, traces::DeviceIndex device)
    : memory_(conditions.memory) {
  check(conditions.timing != FreeTiming::modelled || conditions.streams != nullptr,
        "modelled timing needs streams in virtual time");
  streams::MemoryOptions options = memory_options(conditions);
  world_ = conditions.timing == FreeTiming::modelled
               ? make_timed_world(std::move(options), *conditions.streams, device)
               : make_counted_world(std::move(options));
}

streams::MemoryOptions PlacedWorld::memory_options(const DeviceConditions& conditions) {
  streams::MemoryOptions options{.total = conditions.memory};
  options.released = conditions.released;
  options.when_taken = streams::WhenTaken::lowest_gap;
  options.placement =
      [this, &conditions](const streams::PlaceRequest& request) -> std::optional<Address> {
    if (forced_) return forced_;
    return conditions.placement ? conditions.placement(request) : std::nullopt;
  };
  return options;
}

void PlacedWorld::adopt(const allocator::GivenSegment& segment) {
  forced_ = segment.base;
  const auto at = segment.is_expandable ? device().reserve(segment.size(), segment.stream)
                                        : device().allocate(segment.size(), segment.stream);
  forced_.reset();
  if (!at || *at != segment.base)
    throw DeviceError("what was there at the start needs more memory than the device's " +
                      format_bytes(memory_));
  if (segment.is_expandable) map_blocks_of(segment);
}

/// Blocks need not end where units do: neighbours are mapped together.
void PlacedWorld::map_blocks_of(const allocator::GivenSegment& segment) {
  Address begin = segment.base;
  Address end = begin;
  const auto map_run = [&] {
    if ((begin - segment.base).count % segment.unit.count != 0 ||
        (end - begin).count % segment.unit.count != 0)
      throw DeviceError("mapped memory at the start that is not made of whole units of " +
                        format_bytes(segment.unit));
    const std::uint64_t units = (end - begin) / segment.unit;
    if (units > 0 && !device().map({begin, segment.unit, units}))
      throw DeviceError("what was there at the start needs more memory than " +
                        format_bytes(memory_));
  };
  for (const allocator::GivenBlock& block : segment.blocks) {
    if (block.use == allocator::GivenUse::unmapped) {
      map_run();
      begin = end + block.size;
      end = begin;
    } else {
      end = end + block.size;
    }
  }
  map_run();
}

}  // namespace vramlab::replay
