#include "replay/holders/request_positions.h"

namespace vramlab::replay {

void RequestPositions::memory_event(const MemoryEvent& event) {
  const IterationEnds::Place place = ends_.place(event);
  RequestPosition& next = next_[event.device];
  if (place == IterationEnds::Place::before) next = {false, 0};
  if (event.kind == MemoryEventKind::allocated) {
    const RequestName name{event.device, event.number};
    if (requests_.contains(name)) found_[name] = next;
    ++next.number;
  }
  if (place == IterationEnds::Place::after) next = {false, 0};
}

std::string position_text(const RequestPosition& position) {
  return "request " + std::to_string(position.number) +
         (position.is_in_first ? " of the beginning" : " of an iteration");
}

}  // namespace vramlab::replay
