#include "replay/conformance/logged_device.h"

#include "allocator/types/bytes_and_ids.h"
#include "streams/device/simulated_device.h"

namespace vramlab::replay {

namespace {

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
