#include "traces/address_program.h"

#include <algorithm>
#include <unordered_set>

namespace vramlab::traces {
namespace {

bool is_earlier(const AddressEvent& a, const AddressEvent& b) { return a.time_ns < b.time_ns; }

ProgramEvent program_event_at(ProgramEventKind kind, const AddressEvent& event) {
  ProgramEvent made;
  made.kind = kind;
  made.device = event.device;
  made.time_ns = event.time_ns;
  return made;
}

}  // namespace

std::size_t AddressProgram::PlaceHash::operator()(const Place& place) const {
  constexpr std::uint64_t odd_factor = 0x9E3779B97F4A7C15U;
  const std::uint64_t mixed =
      (place.address.value ^ (place.device.value * odd_factor)) * odd_factor;
  return mixed ^ (mixed >> 32U);
}

LogFacts AddressProgram::give_to(ProgramSink& sink, SnapshotTables& tables) {
  sink_ = &sink;
  sort();
  const TextId failure = tables.texts.intern(failure_marker);
  for (const std::size_t index : find_first_frees()) {
    AddressEvent before = events_[index];
    before.time_ns = events_.front().time_ns;
    give_malloc(before);
    ++facts_.mallocs_before_begin;
  }
  for (const AddressEvent& event : events_) {
    if (event.kind == AddressEventKind::allocate) give_malloc(event);
    if (event.kind == AddressEventKind::free) give_free(event);
    if (event.kind == AddressEventKind::failure) give_failure(event, failure);
  }
  return facts_;
}

/// Events of the same time stay in the order of the log.
void AddressProgram::sort() {
  if (std::is_sorted(events_.begin(), events_.end(), is_earlier)) return;
  std::stable_sort(events_.begin(), events_.end(), is_earlier);
  facts_.was_sorted = true;
}

std::vector<std::size_t> AddressProgram::find_first_frees() const {
  std::vector<std::size_t> first_frees;
  std::unordered_set<Place, PlaceHash> seen;
  for (std::size_t i = 0; i < events_.size(); ++i) {
    if (events_[i].kind == AddressEventKind::failure) continue;
    const bool is_first = seen.insert({events_[i].device, events_[i].address}).second;
    if (is_first && events_[i].kind == AddressEventKind::free) first_frees.push_back(i);
  }
  return first_frees;
}

void AddressProgram::give_malloc(const AddressEvent& event) {
  Memory& memory = memory_[{event.device, event.address}];
  if (memory.is_live) {
    end(memory, event);
    ++facts_.assumed_frees;
  }
  memory = {true, ++last_id_, event.stream};
  ProgramEvent malloc = program_event_at(ProgramEventKind::malloc, event);
  malloc.id = memory.id;
  malloc.bytes = event.bytes;
  malloc.stream = event.stream;
  sink_->program_event(malloc);
}

/// Who gives memory back on another stream than it was asked for on has used it there.
void AddressProgram::give_free(const AddressEvent& event) {
  Memory& memory = memory_[{event.device, event.address}];
  if (!memory.is_live) {
    ++facts_.lone_frees;
    return;
  }
  if (memory.stream != event.stream) {
    ProgramEvent use = program_event_at(ProgramEventKind::use, event);
    use.id = memory.id;
    use.stream = event.stream;
    sink_->program_event(use);
  }
  end(memory, event);
}

void AddressProgram::give_failure(const AddressEvent& event, TextId text) {
  ProgramEvent marker = program_event_at(ProgramEventKind::marker, event);
  marker.text = text;
  sink_->program_event(marker);
  ++facts_.failures;
}

void AddressProgram::end(Memory& memory, const AddressEvent& event) {
  ProgramEvent free = program_event_at(ProgramEventKind::free, event);
  free.id = memory.id;
  sink_->program_event(free);
  memory.is_live = false;
}

}  // namespace vramlab::traces
