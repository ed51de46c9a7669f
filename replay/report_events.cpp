#include "replay/report_events.h"

#include <algorithm>
#include <numeric>

namespace vramlab::replay {
namespace {

using allocator::Action;

/// The higher, the sooner it is listed.
std::uint64_t weight_of(const allocator::AllocatorEvent& event) {
  switch (event.action) {
    case Action::alloc:
    case Action::free_requested:
    case Action::free_completed:
      return event.size.count;
    default:
      return ~std::uint64_t{0};
  }
}

}  // namespace

std::vector<std::size_t> choose_events(const DeviceHistory& history, std::size_t most) {
  std::vector<std::size_t> events(history.events.size());
  std::iota(events.begin(), events.end(), std::size_t{0});
  if (events.size() <= most) return events;
  const auto is_before = [&history](std::size_t a, std::size_t b) {
    const std::uint64_t weight_a = weight_of(history.events[a]);
    const std::uint64_t weight_b = weight_of(history.events[b]);
    return weight_a != weight_b ? weight_a > weight_b : a < b;
  };
  std::ranges::nth_element(events, events.begin() + static_cast<std::ptrdiff_t>(most), is_before);
  events.resize(most);
  std::ranges::sort(events);
  return events;
}

}  // namespace vramlab::replay
