#include "replay/page/report_events.h"

#include <algorithm>

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
  struct Candidate {
    std::uint64_t weight;
    std::size_t event;
  };
  const auto is_before = [](const Candidate& a, const Candidate& b) {
    return a.weight != b.weight ? a.weight > b.weight : a.event < b.event;
  };
  // A heap with the one that goes first when a better one comes on top.
  std::vector<Candidate> chosen;
  for (std::size_t i = 0; i < history.events.size(); ++i) {
    const Candidate candidate{weight_of(history.events[i]), i};
    if (chosen.size() == most) {
      if (most == 0 || !is_before(candidate, chosen.front())) continue;
      std::ranges::pop_heap(chosen, is_before);
      chosen.pop_back();
    }
    chosen.push_back(candidate);
    std::ranges::push_heap(chosen, is_before);
  }
  std::vector<std::size_t> events;
  for (const Candidate& one : chosen) events.push_back(one.event);
  std::ranges::sort(events);
  return events;
}

}  // namespace vramlab::replay
