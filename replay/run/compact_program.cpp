#include "replay/run/compact_program.h"

namespace vramlab::replay {

using EventKind = traces::ProgramEventKind;

namespace {

EventKind kind_of(CompactKind kind) {
  switch (kind) {
    case CompactKind::malloc:
      return EventKind::malloc;
    case CompactKind::free:
      return EventKind::free;
    case CompactKind::use:
      return EventKind::use;
    case CompactKind::work:
      return EventKind::work;
    default:
      return EventKind::stream_done;
  }
}

}  // namespace

traces::ProgramEvent CompactProgram::event_at(std::size_t index) const {
  const CompactEvent compact = events_[index];
  traces::ProgramEvent event;
  if (compact.kind() >= CompactKind::other_of_streams) {
    event = other(compact);
  } else {
    const EventShape& known = shape(compact);
    event.kind = kind_of(compact.kind());
    event.device = known.device;
    event.stream = known.stream;
    event.bytes = known.bytes;
    const bool is_of_block = event.kind != EventKind::work && event.kind != EventKind::stream_done;
    if (is_of_block) event.id = needs_ids() ? ids_[index] : compact.slot() + 1;
  }
  if (!times_ns_.empty() && times_ns_[index] > 0) event.time_ns = times_ns_[index] - 1;
  if (!stacks_.empty()) event.stack = stacks_[index];
  return event;
}

}  // namespace vramlab::replay
