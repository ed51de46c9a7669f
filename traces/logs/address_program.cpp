#include "traces/logs/address_program.h"

#include <algorithm>

namespace vramlab::traces {
namespace {

ProgramEvent program_event_at(ProgramEventKind kind, const AddressEvent& event) {
  ProgramEvent made;
  made.kind = kind;
  made.device = event.device;
  made.time_ns = event.time_ns;
  return made;
}

bool has_time(const AddressEvent& event) { return event.time_ns.has_value(); }
bool is_earlier(const AddressEvent& a, const AddressEvent& b) { return a.time_ns < b.time_ns; }

}  // namespace

void FirstFrees::look_at(const AddressEvent& event) {
  if (!begin_ns_) begin_ns_ = event.time_ns;
  if (event.kind == AddressEventKind::failure) return;
  const bool is_first = seen_.insert(MemoryPlace(event)).second;
  if (!is_first || event.kind != AddressEventKind::free) return;
  frees_.push_back(event);
  frees_.back().time_ns = begin_ns_;
}

AddressProgram::AddressProgram(const FirstFrees& first_frees, ProgramSink& sink,
                               SnapshotTables& tables)
    : sink_(sink), failure_text_(tables.texts.intern(failure_marker)) {
  for (const AddressEvent& event : first_frees.frees()) give_malloc(event);
  facts_.mallocs_before_begin = first_frees.frees().size();
}

void AddressProgram::add(const AddressEvent& event) {
  switch (event.kind) {
    case AddressEventKind::allocate:
      return give_malloc(event);
    case AddressEventKind::free:
      return give_free(event);
    case AddressEventKind::failure:
      return give_failure(event);
  }
}

void AddressProgram::give_malloc(const AddressEvent& event) {
  Memory& memory = memory_[MemoryPlace(event)];
  if (memory.is_live) {
    end(memory, event);
    ++facts_.assumed_frees;
  }
  memory = {true, ++last_id_, event.stream};
  ProgramEvent malloc = program_event_at(ProgramEventKind::malloc, event);
  malloc.id = memory.id;
  malloc.bytes = event.bytes;
  malloc.stream = event.stream;
  sink_.program_event(malloc);
}

/// A program that frees memory on another stream than it was allocated on has used it there.
void AddressProgram::give_free(const AddressEvent& event) {
  Memory& memory = memory_[MemoryPlace(event)];
  if (!memory.is_live) {
    ++facts_.lone_frees;
    return;
  }
  if (memory.stream != event.stream) {
    ProgramEvent use = program_event_at(ProgramEventKind::use, event);
    use.id = memory.id;
    use.stream = event.stream;
    sink_.program_event(use);
  }
  end(memory, event);
}

void AddressProgram::give_failure(const AddressEvent& event) {
  ProgramEvent marker = program_event_at(ProgramEventKind::marker, event);
  marker.text = failure_text_;
  sink_.program_event(marker);
  ++facts_.failures;
}

void AddressProgram::end(Memory& memory, const AddressEvent& event) {
  ProgramEvent free = program_event_at(ProgramEventKind::free, event);
  free.id = memory.id;
  sink_.program_event(free);
  memory.is_live = false;
}

LogFacts AddressLog::give_to(ProgramSink& sink, SnapshotTables& tables) {
  const bool is_sorted = !std::ranges::all_of(events_, has_time) ||
                         std::is_sorted(events_.begin(), events_.end(), is_earlier);
  if (!is_sorted) std::stable_sort(events_.begin(), events_.end(), is_earlier);
  FirstFrees first_frees;
  for (const AddressEvent& event : events_) first_frees.look_at(event);
  AddressProgram program(first_frees, sink, tables);
  for (const AddressEvent& event : events_) program.add(event);
  LogFacts facts = program.facts();
  facts.was_sorted = !is_sorted;
  return facts;
}

}  // namespace vramlab::traces
