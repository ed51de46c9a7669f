#include "tools/preload/shim/history_json.h"

#include <algorithm>
#include <string_view>

namespace vramlab::shim {
namespace {

using allocator::Action;
using allocator::AllocatorEvent;

void add_number(std::string& text, std::string_view name, std::uint64_t value) {
  text.append(", \"").append(name).append("\": ").append(std::to_string(value));
}

/// Streams are the arena's own, and the program's are not known: all is on stream 0.
void add_event(std::string& text, const AllocatorEvent& event) {
  text.append("{\"action\": \"").append(action_name(event.action)).append("\"");
  add_number(text, event.action == Action::oom ? "device_free" : "addr", event.address.value);
  add_number(text, "size", event.size.count);
  add_number(text, "stream", 0);
  add_number(text, "time_us", event.time_us);
  text.append(", \"frames\": []}");
}

std::vector<const AllocatorEvent*> by_time(const std::vector<const ArenaHistory*>& arenas) {
  std::vector<const AllocatorEvent*> events;
  for (const ArenaHistory* arena : arenas)
    for (const AllocatorEvent& event : *arena) events.push_back(&event);
  if (arenas.size() > 1)
    std::stable_sort(events.begin(), events.end(),
                     [](const auto* a, const auto* b) { return a->time_us < b->time_us; });
  return events;
}

}  // namespace

std::string history_json(const std::vector<const ArenaHistory*>& arenas) {
  std::string text = "[";
  for (const AllocatorEvent* event : by_time(arenas)) {
    text += text.size() == 1 ? "\n" : ",\n";
    add_event(text, *event);
  }
  return text += "]";
}

}  // namespace vramlab::shim
