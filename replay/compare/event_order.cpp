#include "replay/compare/event_order.h"

#include <algorithm>
#include <map>
#include <vector>

#include "replay/call_sites/call_sites.h"

namespace vramlab::replay {
namespace {

/// The traits of an event that two runs of one program share.
struct EventShape {
  Action action = Action::alloc;
  Bytes size;
  /// The number of the stream, block or segment in the recording; 0 if it is older.
  std::uint64_t stream = 0;
  std::uint64_t block = 0;

  friend bool operator==(const EventShape&, const EventShape&) = default;
};

class EventShapes {
 public:
  EventShape next(const AllocatorEvent& event) {
    EventShape shape{event.action, event.size,
                     streams_.try_emplace(event.stream, streams_.size()).first->second, 0};
    switch (event.action) {
      case Action::alloc:
        shape.block = blocks_[event.address] = ++begun_;
        break;
      case Action::segment_alloc:
      case Action::segment_map:
        shape.block = segments_[event.address] = ++begun_;
        break;
      case Action::free_requested:
        shape.block = known(blocks_, event.address);
        break;
      case Action::free_completed:
        shape.block = ended(blocks_, event.address);
        break;
      case Action::segment_free:
      case Action::segment_unmap:
        shape.block = ended(segments_, event.address);
        break;
      case Action::snapshot:
      case Action::oom:
        break;
    }
    return shape;
  }

 private:
  using Numbers = std::map<Address, std::uint64_t>;

  static std::uint64_t known(const Numbers& numbers, Address address) {
    const auto found = numbers.find(address);
    return found == numbers.end() ? 0 : found->second;
  }
  static std::uint64_t ended(Numbers& numbers, Address address) {
    const std::uint64_t number = known(numbers, address);
    numbers.erase(address);
    return number;
  }

  std::map<StreamId, std::uint64_t> streams_;
  Numbers blocks_;
  Numbers segments_;
  std::uint64_t begun_ = 0;
};

std::string event_text(const ComparedDevices& file, const DeviceHistory& device,
                       std::size_t event) {
  if (event >= device.events.size()) return "the end of the recording";
  const AllocatorEvent& entry = device.events[event];
  std::string text = std::string(action_name(entry.action)) + " of " + format_bytes(entry.size);
  if (entry.stream != StreamId{}) text += " on another stream than the default";
  if (event < device.stacks.size() && device.stacks[event] != traces::StackId{})
    text += " at " + SiteNames(file.tables).of(device.stacks[event]);
  return text;
}

/// The number of the first event that differs.
std::optional<std::size_t> first_difference(const DeviceHistory& base, const DeviceHistory& now) {
  const std::size_t common = std::min(base.events.size(), now.events.size());
  EventShapes base_shapes;
  EventShapes now_shapes;
  for (std::size_t event = 0; event < common; ++event)
    if (base_shapes.next(base.events[event]) != now_shapes.next(now.events[event])) return event;
  if (base.events.size() == now.events.size()) return std::nullopt;
  return common;
}

std::vector<const DeviceHistory*> devices_of(const ComparedDevices& file) {
  std::vector<const DeviceHistory*> devices = file.devices;
  std::erase_if(devices, [](const DeviceHistory* history) { return history->events.empty(); });
  return devices;
}

}  // namespace

std::optional<EventOrder> compare_events(const ComparedDevices& base, const ComparedDevices& now) {
  const auto in_base = devices_of(base);
  const auto in_now = devices_of(now);
  if (in_base.empty() || in_now.empty()) return std::nullopt;
  EventOrder order;
  for (const DeviceHistory* history : in_base) order.base_events += history->events.size();
  for (const DeviceHistory* history : in_now) order.now_events += history->events.size();
  const DeviceHistory none;
  for (std::size_t i = 0; i < std::max(in_base.size(), in_now.size()); ++i) {
    const DeviceHistory& a = i < in_base.size() ? *in_base[i] : none;
    const DeviceHistory& b = i < in_now.size() ? *in_now[i] : none;
    const std::optional<std::size_t> event = first_difference(a, b);
    if (!event) continue;
    order.first_difference = {i < in_base.size() ? a.device : b.device, *event,
                              event_text(base, a, *event), event_text(now, b, *event)};
    break;
  }
  return order;
}

}  // namespace vramlab::replay
