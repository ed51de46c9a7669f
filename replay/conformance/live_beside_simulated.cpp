#include "replay/conformance/live_beside_simulated.h"

#include <algorithm>

#include "allocator/types/bytes_and_ids.h"
#include "replay/conformance/case_differences.h"
#include "streams/device/simulated_device.h"

namespace vramlab::replay {
namespace {

std::string text_of(const std::optional<Address>& address) {
  return address ? name_of(*address) : "none";
}

std::uint64_t entries_of(const DeviceReplay& replay) {
  return static_cast<const allocator::History&>(replay.engine().listeners()).recorded_count();
}

const char* word_of(DeviceAction::Kind kind) {
  switch (kind) {
    case DeviceAction::Kind::allocate:
      return "allocate";
    case DeviceAction::Kind::release:
      return "release";
    case DeviceAction::Kind::reserve:
      return "reserve";
    case DeviceAction::Kind::release_reservation:
      return "release the reservation of";
    case DeviceAction::Kind::map:
      return "map";
    case DeviceAction::Kind::unmap:
      return "unmap";
  }
  return "unknown";
}

struct LoggedParts {
  LoggedParts(DeviceSides device, std::vector<DeviceAction>& log)
      : inner(std::move(device)), logged(*inner.device, log) {}
  DeviceSides inner;
  LoggedDevice logged;
};

}  // namespace

LiveBesideSimulated::LiveBesideSimulated(traces::DeviceIndex device,
                                         const DeviceConditions& conditions,
                                         const MakeDevice& make_live_device,
                                         std::shared_ptr<DecisionComparison> result)
    : result_(std::move(result)) {
  result_->device = device;
  DeviceConditions both = conditions;
  both.start_places = StartPlaces::where_the_device_puts_them;
  both.make_device = [&](const streams::MemoryOptions& memory) {
    return logged(make_live_device(memory), live_actions_);
  };
  live_ = std::make_unique<DeviceReplay>(device, both);
  both.make_device = [&](const streams::MemoryOptions& memory) {
    return logged(simulated_at(places_)(memory), simulated_actions_);
  };
  simulated_ = std::make_unique<DeviceReplay>(device, both);
}

void LiveBesideSimulated::note(DecisionDifference difference) {
  if (is_same_so_far()) result_->difference = std::move(difference);
}

void LiveBesideSimulated::adopt(const std::vector<StartingSegment>& start) {
  live_->adopt(start);
  places_.add(live_actions_);
  simulated_->adopt(start);
  compare_actions(std::nullopt);
}

void LiveBesideSimulated::start_is_there() {
  live_->start_is_there();
  if (is_same_so_far()) simulated_->start_is_there();
}

bool LiveBesideSimulated::apply(const traces::ProgramEvent& event, std::uint64_t number,
                                const traces::TextTable& texts) {
  const bool goes_on = live_->apply(event, number, texts);
  if (!is_same_so_far()) {
    live_actions_.clear();
    return goes_on;
  }
  places_.add(live_actions_);
  try {
    const bool simulation_goes_on = simulated_->apply(event, number, texts);
    compare_actions(number);
    if (simulation_goes_on != goes_on)
      note({number, "whether the request fails", simulation_goes_on ? "granted" : "out of memory",
            goes_on ? "granted" : "out of memory"});
  } catch (const std::runtime_error& error) {
    note({number, "whether the call can be made", error.what(), "it was made"});
    live_actions_.clear();
  }
  compare_event(event, number);
  if (is_same_so_far()) ++result_->events;
  return goes_on;
}

void LiveBesideSimulated::compare_actions(std::optional<std::uint64_t> event) {
  const std::size_t most = std::max(live_actions_.size(), simulated_actions_.size());
  for (std::size_t i = 0; i < most && is_same_so_far(); ++i) {
    const auto text_at = [i](const std::vector<DeviceAction>& actions) {
      return i < actions.size() ? action_text(actions[i]) : std::string("nothing more");
    };
    if (i < live_actions_.size() && i < simulated_actions_.size() &&
        live_actions_[i] == simulated_actions_[i])
      ++result_->device_actions;
    else
      note({event, "what was asked of the device", text_at(simulated_actions_),
            text_at(live_actions_)});
  }
  live_actions_.clear();
  simulated_actions_.clear();
}

void LiveBesideSimulated::compare_event(const traces::ProgramEvent& event, std::uint64_t number) {
  if (event.kind == traces::ProgramEventKind::malloc) {
    const auto simulated = simulated_->address_of(event.id);
    const auto live = live_->address_of(event.id);
    if (simulated != live) note({number, "the address", text_of(simulated), text_of(live)});
  }
  compare_held(number);
}

void LiveBesideSimulated::compare_held(std::optional<std::uint64_t> event) {
  const allocator::Statistics& simulated = simulated_->engine().listeners();
  const allocator::Statistics& live = live_->engine().listeners();
  const auto compare = [&](const char* what, auto simulated_value, auto live_value) {
    if (simulated_value != live_value)
      note({event, what, std::to_string(simulated_value), std::to_string(live_value)});
  };
  compare("the bytes allocated", simulated.current_allocated_bytes(),
          live.current_allocated_bytes());
  compare("the bytes reserved", simulated.current_reserved_bytes(), live.current_reserved_bytes());
  compare("the number of history entries", entries_of(*simulated_), entries_of(*live_));
}

void LiveBesideSimulated::finish() {
  if (!is_same_so_far()) return;
  compare_held(std::nullopt);
  if (const auto found = find_difference(simulated_->take_snapshot(), live_->take_snapshot()))
    note({std::nullopt, "the final state" + found->where, found->expected, found->actual});
  if (simulated_->statistics() != live_->statistics())
    note({std::nullopt, "the statistics", "other counters", "other counters"});
  if (simulated_->device_calls() != live_->device_calls())
    note({std::nullopt, "the number of device calls", "another", "another"});
}

DeviceSides logged(DeviceSides device, std::vector<DeviceAction>& log) {
  const auto parts = std::make_shared<LoggedParts>(std::move(device), log);
  return {parts, &parts->logged, parts->inner.driven};
}

std::string action_text(const DeviceAction& action) {
  std::string text = word_of(action.kind);
  if (action.size.count > 0) text += " " + format_bytes(action.size);
  return text + (action.was_granted ? " at " + name_of(action.at) : ": no room");
}

std::optional<Address> LoggedDevice::allocate(Bytes size, StreamId stream) {
  const auto at = device_.allocate(size, stream);
  log_.push_back({Kind::allocate, at.has_value(), at.value_or(Address{}), size});
  return at;
}

void LoggedDevice::release(Address at) {
  device_.release(at);
  log_.push_back({Kind::release, true, at, {}});
}

std::optional<Address> LoggedDevice::reserve(Bytes size, StreamId stream) {
  const auto at = device_.reserve(size, stream);
  log_.push_back({Kind::reserve, at.has_value(), at.value_or(Address{}), size});
  return at;
}

void LoggedDevice::release_reservation(Address at, Bytes size) {
  device_.release_reservation(at, size);
  log_.push_back({Kind::release_reservation, true, at, size});
}

bool LoggedDevice::map(const UnitRange& range) {
  const bool mapped = device_.map(range);
  log_.push_back({Kind::map, mapped, mapped ? range.at : Address{}, range.size()});
  return mapped;
}

void LoggedDevice::unmap(const UnitRange& range) {
  device_.unmap(range);
  log_.push_back({Kind::unmap, true, range.at, range.size()});
}

MakeDevice simulated_at(PlaceRepeater& places) {
  return [&places](const streams::MemoryOptions& memory) {
    streams::MemoryOptions options = memory;
    options.when_taken = streams::WhenTaken::lowest_gap;
    options.placement = [&places](const streams::PlaceRequest& request) {
      return places.place(request);
    };
    return both_sides(std::make_shared<streams::SimulatedDevice>(std::move(options)));
  };
}

}  // namespace vramlab::replay
