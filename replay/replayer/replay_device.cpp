#include "replay/replayer/replay_device.h"

#include <algorithm>

#include "allocator/blocks/block.h"
#include "allocator/types/check.h"
#include "replay/replayer/apply_event.h"
#include "replay/replayer/replay_setup.h"
#include "streams/device/simulated_device.h"
#include "streams/device/timed_device.h"

namespace vramlab::replay {

ReplayDevice::ReplayDevice(const DeviceConditions& conditions, traces::DeviceIndex device)
    : conditions_(conditions),
      index_(device.value),
      virtual_streams_(conditions.timing == FreeTiming::modelled ? conditions.streams : nullptr),
      sides_(make_sides()) {
  if (const auto held = conditions.setup.asked.held_by_others) hold_elsewhere(*held);
}

DeviceSides ReplayDevice::make_sides() {
  const bool is_modelled = conditions_.timing == FreeTiming::modelled;
  check(!is_modelled || virtual_streams_ != nullptr,
        "modelled timing needs streams in virtual time");
  check(!is_modelled || !conditions_.make_device, "what is not simulated has no virtual time");
  streams::MemoryOptions options = memory_options();
  if (is_modelled)
    return both_sides(std::make_shared<streams::TimedDevice>(std::move(options),
                                                             virtual_streams_->streams(), index_));
  if (conditions_.make_device) return conditions_.make_device(options);
  return both_sides(std::make_shared<streams::SimulatedDevice>(std::move(options)));
}

void ReplayDevice::apply(const traces::ProgramEvent& event) {
  if (virtual_streams_ != nullptr)
    virtual_streams_->apply(event);
  else
    drive(*sides_.driven, event);
}

bool ReplayDevice::is_capturing(StreamId stream) const {
  if (virtual_streams_ != nullptr)
    return virtual_streams_->streams().capture_of({index_, stream}).has_value();
  return sides_.driven->is_capturing(stream);
}

const streams::DeviceCallCounts& ReplayDevice::counts_so_far() const {
  return sides_.driven != nullptr ? sides_.driven->call_counts() : sides_.simulated->call_counts();
}

void ReplayDevice::hold_elsewhere(Bytes size) {
  if (sides_.driven != nullptr)
    sides_.driven->set_external_memory(size);
  else
    sides_.simulated->set_external_memory(size);
}

void ReplayDevice::set_external(Bytes size) {
  if (!conditions_.setup.asked.held_by_others) hold_elsewhere(size);
}

streams::MemoryOptions ReplayDevice::memory_options() {
  const ReplayConditions& asked = conditions_.setup.asked;
  streams::MemoryOptions options{.total = conditions_.memory, .kept = conditions_.kept};
  options.released = conditions_.released;
  // The recorded course says by itself which work was done.
  options.release_waits = conditions_.setup.course == nullptr;
  options.when_taken = streams::WhenTaken::lowest_gap;
  // A program that runs out of addresses runs out of memory.
  options.allocations.end = std::min(options.allocations.end, allocator::highest_address);
  options.keeps_ranges = asked.keeps_ranges;
  RecordedPlaces* places = nullptr;
  if (conditions_.setup.places && !asked.make_program_device) places = &*conditions_.setup.places;
  if (asked.segment_order) set_order(options, *asked.segment_order);
  // Requests have their numbers from PyTorch's own allocator alone.
  const auto& first = conditions_.setup.drivers_places;
  if (first && !asked.make_program_device) {
    options.usual_places = streams::UsualPlaces::driver;
    options.work_so_far = [this, &first] {
      if (request_ >= first->library) return streams::WorkSoFar::libraries;
      return request_ >= first->kernel ? streams::WorkSoFar::kernels : streams::WorkSoFar::none;
    };
  }
  options.placement = [this, places, ordered = options.placement](
                          const streams::PlaceRequest& request) -> std::optional<Address> {
    if (forced_) return forced_;
    if (ordered) return ordered(request);
    return places != nullptr ? places->place(request, request_) : std::nullopt;
  };
  if (places == nullptr) return options;
  options.dictated_below = places->reservations_below();
  // New memory goes there or above, into the lowest gap.
  if (const auto lowest = places->lowest(streams::PlaceKind::allocation))
    options.allocations.begin = *lowest;
  if (const auto lowest = places->lowest(streams::PlaceKind::reservation))
    options.reservations = {*lowest, options.allocations.end};
  return options;
}

Address ReplayDevice::adopt(GivenSegment segment) {
  segment.base = lay_out(segment);
  if (segment.is_expandable) map_blocks_of(segment);
  return segment.base;
}

void ReplayDevice::start_is_there() {
  counts_at_start_ = counts_so_far();
  if (simulated() != nullptr) tally_at_start_ = simulated()->call_tally();
}

streams::DeviceCallTally ReplayDevice::call_tally() const {
  check(simulated() != nullptr, "only a simulated device tells its calls by size");
  return simulated()->call_tally().since(tally_at_start_);
}

Address ReplayDevice::lay_out(const GivenSegment& segment) {
  const bool as_recorded = conditions_.start_places == StartPlaces::as_recorded;
  if (as_recorded) forced_ = segment.base;
  const auto at = segment.is_expandable ? device().reserve(segment.size(), segment.stream)
                                        : device().allocate(segment.size(), segment.stream);
  forced_.reset();
  if (!at || (as_recorded && *at != segment.base))
    throw DeviceError("memory from before the recording needs more than the device's " +
                      format_bytes(conditions_.memory));
  if (simulated() != nullptr && simulated()->placed_ranges() && segment.is_expandable)
    simulated()->placed_ranges()->keeps_size(*at);
  return *at;
}

/// Blocks need not end where units do: neighbours are mapped together.
void ReplayDevice::map_blocks_of(const GivenSegment& segment) {
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
  for (const GivenBlock& block : segment.blocks) {
    if (block.use == GivenUse::unmapped) {
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
