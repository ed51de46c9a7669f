#include "replay/run/placed_world.h"

#include "allocator/words/check.h"
#include "replay/run/device_conditions.h"
#include "streams/device/simulated_device.h"

namespace vramlab::replay {

using allocator::Address;
using allocator::DeviceError;

PlacedWorld::PlacedWorld(const DeviceConditions& conditions, traces::DeviceIndex device)
    : conditions_(conditions) {
  check(conditions.timing != FreeTiming::modelled || conditions.streams != nullptr,
        "modelled timing needs streams in virtual time");
  check(conditions.timing != FreeTiming::modelled || !conditions.make_device,
        "what is not simulated has no virtual time");
  streams::MemoryOptions options = memory_options(conditions);
  world_ = conditions.timing == FreeTiming::modelled
               ? make_timed_world(std::move(options), *conditions.streams, device)
               : make_counted_world(
                     conditions.make_device
                         ? conditions.make_device(options)
                         : steered(std::make_shared<streams::SimulatedDevice>(std::move(options))));
  if (conditions.held_by_others) world_->set_external_memory(*conditions.held_by_others);
}

void PlacedWorld::set_external(allocator::Bytes size) {
  if (!conditions_.held_by_others) world_->set_external_memory(size);
}

streams::MemoryOptions PlacedWorld::memory_options(const DeviceConditions& conditions) {
  streams::MemoryOptions options{.total = conditions.memory};
  options.released = conditions.released;
  options.when_taken = streams::WhenTaken::lowest_gap;
  options.keeps_place_book = conditions.keeps_place_book;
  options.dictated_below = conditions.dictated_below;
  options.placement =
      [this, &conditions](const streams::PlaceRequest& request) -> std::optional<Address> {
    if (forced_) return forced_;
    return conditions.placement ? conditions.placement(request) : std::nullopt;
  };
  return options;
}

Address PlacedWorld::adopt(allocator::GivenSegment segment) {
  segment.base = lay_out(segment);
  if (segment.is_expandable) map_blocks_of(segment);
  return segment.base;
}

void PlacedWorld::start_is_there() {
  counts_at_start_ = world_->call_counts();
  if (const auto* const simulated = world_->simulated()) tally_at_start_ = simulated->call_tally();
}

streams::DeviceCallTally PlacedWorld::call_tally() const {
  const streams::MemoryDevice* const simulated = world_->simulated();
  check(simulated != nullptr, "only a simulated device tells its calls by size");
  return simulated->call_tally().since(tally_at_start_);
}

Address PlacedWorld::lay_out(const allocator::GivenSegment& segment) {
  const bool as_recorded = conditions_.start_places == StartPlaces::as_recorded;
  if (as_recorded) forced_ = segment.base;
  const auto at = segment.is_expandable ? device().reserve(segment.size(), segment.stream)
                                        : device().allocate(segment.size(), segment.stream);
  forced_.reset();
  if (!at || (as_recorded && *at != segment.base))
    throw DeviceError("memory from before the recording needs more than the device's " +
                      format_bytes(conditions_.memory));
  if (const streams::MemoryDevice* simulated = world_->simulated();
      simulated != nullptr && simulated->place_book() && segment.is_expandable)
    simulated->place_book()->keeps_size(*at);
  return *at;
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
      throw DeviceError("memory from before the recording needs more than " +
                        format_bytes(conditions_.memory));
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
