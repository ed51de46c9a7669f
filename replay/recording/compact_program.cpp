#include "replay/recording/compact_program.h"

#include <algorithm>
#include <array>

#include "allocator/types/answers.h"
#include "allocator/types/check.h"
#include "replay/recording/starting_state.h"

namespace vramlab::replay {

using EventKind = traces::ProgramEventKind;

namespace {

/// The kinds of events about one block or stream, by CompactKind.
constexpr std::array plain_kinds = {
    EventKind::malloc,      EventKind::free,         EventKind::use,       EventKind::work,
    EventKind::stream_done, EventKind::event_record, EventKind::event_wait};

/// The field of an event about streams alone that has the place of a block's name; null where there
/// is none.
constexpr auto slot_field = [](auto& event) -> decltype(&event.duration_ns) {
  switch (event.kind) {
    case EventKind::work:
      return &event.duration_ns;
    case EventKind::event_record:
    case EventKind::event_wait:
      return &event.event.value;
    default:
      return nullptr;
  }
};

}  // namespace

CompactReader::CompactReader(const CompactProgram& program)
    : program_(program),
      events_(program.events_),
      numbers_(program.numbers_),
      times_ns_(program.times_ns_),
      ids_(program.ids_),
      stacks_(program.stacks_) {}

std::size_t CompactReader::index_from(std::uint64_t number) {
  std::size_t first = 0;
  std::size_t end = program_.event_count();
  while (first < end) {
    const std::size_t middle = first + (end - first) / 2;
    if (numbers_[middle] < number)
      first = middle + 1;
    else
      end = middle;
  }
  return first;
}

traces::ProgramEvent CompactReader::event_at(std::size_t index) {
  const CompactEvent compact = events_[index];
  traces::ProgramEvent event;
  if (compact.kind() >= CompactKind::other_of_streams) {
    event = program_.other(compact);
  } else {
    const EventShape& known = program_.shape(compact);
    event.kind = plain_kinds.at(static_cast<std::size_t>(compact.kind()));
    event.device = known.device;
    event.stream = known.stream;
    event.bytes = known.bytes;
    if (compact.kind() <= CompactKind::use)
      event.id = ids_.size() > 0 ? ids_[index] : compact.slot() + 1;
    else if (std::uint64_t* const value = slot_field(event))
      *value = compact.slot();
  }
  if (const std::uint64_t time_ns = times_ns_[index]; time_ns > 0) event.time_ns = time_ns - 1;
  event.stack = stacks_[index];
  return event;
}

namespace {

using traces::ProgramEvent;
using EventKind = traces::ProgramEventKind;

std::uint64_t mixed(std::uint64_t seed, std::uint64_t value) {
  return (seed ^ value) * 0x9e3779b97f4a7c15ULL + (seed >> 29U);
}

std::size_t hash_of(std::uint64_t mixed) { return std::hash<std::uint64_t>{}(mixed); }

/// Whether the allocator ignores an event while no block is used on a second stream and nothing
/// captures.
bool is_of_streams_alone(const ProgramEvent& event) {
  using enum traces::ProgramEventKind;
  constexpr std::array kinds = {work,
                                copy,
                                memset,
                                stream_done,
                                event_record,
                                event_wait,
                                marker,
                                range_begin,
                                range_end,
                                reads,
                                writes,
                                snapshot,
                                reset_peak_stats,
                                reset_accumulated_stats};
  return std::ranges::find(kinds, event.kind) != kinds.end();
}

bool is_of_memory_alone(const ProgramEvent& event) {
  using enum traces::ProgramEventKind;
  constexpr std::array kinds = {malloc,          free,         pool_create,     pool_end,
                                pool_release,    pool_destroy, options,         empty_cache,
                                external,        checkpoint,   restore,         host_malloc,
                                memory_fraction, host_free,    host_empty_cache};
  if (event.kind == pool_begin) return event.scope != traces::ScopeStreams::capturing_streams;
  return std::ranges::find(kinds, event.kind) != kinds.end();
}

/// Whether the event is known by its kind, its stream and a small number.
bool is_plain(const ProgramEvent& event, std::uint64_t number) {
  if (number >= most_slots) return false;
  ProgramEvent plain;
  plain.kind = event.kind;
  plain.device = event.device;
  plain.stream = event.stream;
  plain.time_ns = event.time_ns;
  plain.stack = event.stack;
  if (std::uint64_t* const value = slot_field(plain)) *value = number;
  return plain == event;
}

}  // namespace

std::size_t CompactWriter::NameHash::operator()(const BlockName& name) const {
  return hash_of(mixed(mixed(0, name.device.value), name.id));
}

std::size_t CompactWriter::ShapeHash::operator()(const EventShape& shape) const {
  return hash_of(mixed(mixed(mixed(0, shape.device.value), shape.bytes.count), shape.stream.value));
}

std::size_t CompactWriter::EventHash::operator()(const ProgramEvent& event) const {
  std::uint64_t hash = mixed(static_cast<std::uint64_t>(event.kind), event.device.value);
  for (const std::uint64_t value :
       {event.id, event.stream.value, event.for_stream.value, event.duration_ns, event.event.value,
        event.bytes.count, event.pool.graph, event.pool.user, event.value, event.flag})
    hash = mixed(hash, value);
  return hash_of(hash);
}

CompactWriter::CompactWriter(const traces::ScratchPlace& scratch, KeepsIds keeps)
    : keeps_ids_(keeps) {
  program_.events_ = traces::LongSequence<CompactEvent>(scratch);
  program_.numbers_ = traces::LongSequence<std::uint32_t>(scratch);
  program_.times_ns_ = traces::LongSequence<std::uint64_t>(scratch);
  program_.ids_ = traces::LongSequence<std::uint64_t>(scratch);
  program_.stacks_ = traces::LongSequence<traces::StackId>(scratch);
}

std::uint64_t CompactWriter::add_start(traces::DeviceIndex device, std::uint64_t id) {
  return new_slot({device, id}) + std::uint64_t{1};
}

std::uint32_t CompactWriter::new_slot(const BlockName& name) {
  if (free_slots_.empty()) {
    if (program_.slot_count_ == most_slots)
      throw AllocatorError("more than " + std::to_string(most_slots) + " blocks live at a time");
    free_slots_.push_back(program_.slot_count_++);
  }
  const std::uint32_t slot = free_slots_.back();
  free_slots_.pop_back();
  // The block that had the name before stays, and can no longer be freed.
  slots_[name] = slot;
  return slot;
}

std::uint32_t CompactWriter::slot_of(const BlockName& name, const char* purpose) {
  const auto found = slots_.find(name);
  if (found != slots_.end()) return found->second;
  // Blocks that a restored checkpoint made are known when it is replayed.
  if (restores_) return 0;
  throw AllocatorError("the id " + std::to_string(name.id) + " cannot be " + purpose +
                       ": nothing in use has that name");
}

std::uint32_t CompactWriter::shape_of(const EventShape& shape) {
  const auto place = static_cast<std::uint32_t>(program_.shapes_.size());
  const auto [found, is_new] = shapes_.try_emplace(shape, place);
  if (is_new) program_.shapes_.push_back(shape);
  return found->second;
}

std::uint32_t CompactWriter::place_of(const ProgramEvent& event) {
  const auto place = static_cast<std::uint32_t>(program_.others_.size());
  const auto [found, is_new] = others_.try_emplace(event, place);
  if (is_new) program_.others_.push_back(event);
  return found->second;
}

CompactEvent CompactWriter::compact(const ProgramEvent& event) {
  const BlockName name{event.device, event.id};
  switch (event.kind) {
    case EventKind::malloc:
      ++program_.call_count_;
      ++program_.request_count_;
      return {CompactKind::malloc, new_slot(name),
              shape_of({event.device, event.bytes, event.stream})};
    case EventKind::free: {
      ++program_.call_count_;
      const std::uint32_t slot = slot_of(name, "freed");
      if (slots_.erase(name) > 0) free_slots_.push_back(slot);
      return {CompactKind::free, slot, shape_of({event.device, {}, {}})};
    }
    case EventKind::use:
      return {CompactKind::use, slot_of(name, "used"), shape_of({event.device, {}, event.stream})};
    case EventKind::work:
    case EventKind::stream_done:
    case EventKind::event_record:
    case EventKind::event_wait:
      return of_stream(event);
    default:
      break;
  }
  return whole(event,
               is_of_streams_alone(event) ? CompactKind::other_of_streams : CompactKind::other);
}

CompactEvent CompactWriter::of_stream(const ProgramEvent& event) {
  const std::uint64_t* const value = slot_field(event);
  const std::uint64_t number = value != nullptr ? *value : 0;
  if (!is_plain(event, number)) return whole(event, CompactKind::other_of_streams);
  const auto kind = std::ranges::find(plain_kinds, event.kind) - plain_kinds.begin();
  return {static_cast<CompactKind>(kind), static_cast<std::uint32_t>(number),
          shape_of({event.device, {}, event.stream})};
}

/// Times and stacks are kept apart.
CompactEvent CompactWriter::whole(const ProgramEvent& event, CompactKind kind) {
  ProgramEvent plain = event;
  plain.time_ns.reset();
  plain.stack = {};
  return {kind, 0, place_of(plain)};
}

void CompactWriter::note_traits(const ProgramEvent& event) {
  restores_ = restores_ || event.kind == EventKind::restore;
  if (!is_of_streams_alone(event) && !is_of_memory_alone(event))
    program_.streams_matter_ = StreamsMatter::yes;
  if (event.kind == EventKind::stream_from_pool) program_.takes_pool_streams_ = true;
  program_.uses_host_ = program_.uses_host_ || is_of_host(event.kind);
  if (event.kind == EventKind::options || event.kind == EventKind::memory_fraction)
    program_.changes_limits_ = true;
}

void CompactWriter::add(const ProgramEvent& event, std::uint64_t number,
                        OfRecordedMemory of_memory) {
  if (number > UINT32_MAX) throw AllocatorError("more than 2^32 events");
  if (event.kind != EventKind::malloc && event.kind != EventKind::free) note_traits(event);
  if (of_memory == OfRecordedMemory::yes)
    program_.events_.push_back(whole(event, CompactKind::of_recorded_memory));
  else
    program_.events_.push_back(compact(event));
  program_.numbers_.push_back(static_cast<std::uint32_t>(number));
  program_.times_ns_.push_back(event.time_ns ? *event.time_ns + 1 : 0);
  if (keeps_ids_ != KeepsIds::never) program_.ids_.push_back(event.id);
  program_.stacks_.push_back(event.stack);
  if (devices_.size() != 1 || *devices_.begin() != event.device) devices_.insert(event.device);
}

CompactProgram CompactWriter::finish() {
  program_.needs_ids_ = restores_;
  check(!restores_ || keeps_ids_ != KeepsIds::never, "a program that restores keeps its ids");
  if (!restores_ && keeps_ids_ == KeepsIds::if_restored) program_.ids_ = {};
  program_.devices_.assign(devices_.begin(), devices_.end());
  return std::move(program_);
}

Bytes reserved_in(const std::vector<StartingSegment>& start) {
  Bytes reserved;
  for (const StartingSegment& given : start) reserved += mapped_size(given.segment);
  return reserved;
}

}  // namespace vramlab::replay
