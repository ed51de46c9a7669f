#include "replay/replayer/compact_run.h"

#include <algorithm>
#include <type_traits>
#include <utility>

#include "allocator/types/check.h"

namespace vramlab::replay {

using traces::DeviceIndex;

namespace {

template <class Allocator>
constexpr bool keeps_entries = std::is_same_v<Allocator, allocator::RecordingAllocator>;
constexpr std::size_t entries_of_a_batch = 8192;

}  // namespace

template <class Allocator>
void CompactReplayOf<Allocator>::adopt(const std::vector<StartingSegment>& start) {
  if (start.empty()) return;
  this->make_start(start, [this](const StartingSegment& given, std::size_t block, Address address) {
    if (given.ids[block] != 0) addresses_[as_index(given.ids[block] - 1)] = address;
  });
  start_is_there();
}

template <class Allocator>
void CompactReplayOf<Allocator>::start_is_there() {
  this->count_from_here();
  note_peak(0);
  if constexpr (keeps_entries<Allocator>) take_entries();
}

template <class Allocator>
std::vector<AllocatorEvent> CompactReplayOf<Allocator>::take_entries() {
  allocator::History& kept = this->engine_.listeners();
  std::vector<AllocatorEvent> entries = kept.entries();
  kept.forget();
  return entries;
}

template <class Allocator>
void CompactReplayOf<Allocator>::note_peak(std::uint64_t number) {
  peak_reserved_ = this->counted().peak_reserved_bytes();
  peak_event_ = number;
  this->note_stranded(number);
}

template <class Allocator>
void CompactReplayOf<Allocator>::apply_other(const traces::ProgramEvent& event,
                                             const traces::TextTable& texts) {
  // No event restores a checkpoint, or DeviceReplay would run this; it may still be refused.
  if (event.kind == traces::ProgramEventKind::checkpoint)
    this->engine_.take_checkpoint(event.pool);
  else
    this->apply_rare(event, texts);
}

template <class Allocator>
DeviceReport CompactReplayOf<Allocator>::report() const {
  DeviceReport report = this->counters();
  report.peak_allocated.bytes = {
      static_cast<std::uint64_t>(this->counted().peak_allocated_bytes())};
  report.peak_reserved.bytes = {static_cast<std::uint64_t>(peak_reserved_)};
  report.peak_reserved.event = peak_event_;
  return report;
}

template <class Allocator>
CompactRunOf<Allocator>::CompactRunOf(const ProgramPart& part, ReplaySetup& setup,
                                      const traces::TextTable& texts, TakeEntries take_entries)
    : program_(part.program),
      reader_(part.program),
      part_(part),
      setup_(setup),
      texts_(texts),
      take_entries_(std::move(take_entries)),
      addresses_(part.program.slot_count()),
      changes_(setup.asked.changes, reader_),
      applies_recorded_memory_(is_as_recorded(setup.asked) && setup.course == nullptr) {}

bool can_run_compact(const ProgramPart& part, const ReplaySetup& setup) {
  const bool streams_run =
      setup.timing() == FreeTiming::modelled && part.program.streams_matter() == StreamsMatter::yes;
  return setup.settings.backend == allocator::Backend::native && !streams_run &&
         !part.program.needs_ids() && !part.program.takes_pool_streams() &&
         !part.program.uses_host();
}

template <class Allocator>
CompactReplayOf<Allocator>& CompactRunOf<Allocator>::device_of(DeviceIndex index) {
  if (last_ != nullptr && last_index_ == index) [[likely]]
    return *last_;
  std::unique_ptr<CompactReplayOf<Allocator>>& device = devices_[index];
  if (!device) {
    DeviceConditions conditions = setup_.conditions_of(index);
    if (conditions.timing == FreeTiming::modelled) conditions.timing = FreeTiming::recorded;
    device = std::make_unique<CompactReplayOf<Allocator>>(index, conditions, addresses_);
  }
  last_index_ = index;
  last_ = device.get();
  return *last_;
}

template <class Allocator>
bool CompactRunOf<Allocator>::apply(std::size_t index) {
  const CompactEvent event = reader_[index];
  switch (event.kind()) {
    case CompactKind::malloc: {
      const EventShape& shape = program_.shape(event);
      return device_of(shape.device).request(event, shape, reader_.number(index));
    }
    case CompactKind::free:
      device_of(program_.shape(event).device).free(event);
      return true;
    case CompactKind::use: {
      const EventShape& shape = program_.shape(event);
      device_of(shape.device).use(event, shape);
      return true;
    }
    case CompactKind::of_recorded_memory:
      if (!applies_recorded_memory_) {
        ++left_out_;
        return true;
      }
      [[fallthrough]];
    case CompactKind::other: {
      const traces::ProgramEvent& other = program_.other(event);
      device_of(other.device).apply_other(other, texts_);
      return true;
    }
    case CompactKind::work:
    case CompactKind::stream_done:
    case CompactKind::event_record:
    case CompactKind::event_wait:
    case CompactKind::other_of_streams: {
      const bool is_whole = event.kind() == CompactKind::other_of_streams;
      CompactReplayOf<Allocator>& device =
          device_of(is_whole ? program_.other(event).device : program_.shape(event).device);
      if (program_.streams_matter() == StreamsMatter::yes)
        device.apply_other(reader_.event_at(index), texts_);
      return true;
    }
  }
  return true;
}

template <class Allocator>
void CompactRunOf<Allocator>::change_options() {
  for (const DeviceIndex device : program_.devices())
    device_of(device).apply_other(changes_.event_for(device), texts_);
  changes_.go_on();
}

/// The state at the start: segments, and the first so many events.
template <class Allocator>
void CompactRunOf<Allocator>::adopt() {
  CompactReplayOf<Allocator>& device = device_of(setup_.history->device);
  device.adopt(part_.start);
  for (; at_ < part_.start_event_count; ++at_) apply(at_);
  if (part_.start_event_count > 0) device.start_is_there();
}

template <class Allocator>
void CompactRunOf<Allocator>::run_events(ReplayReport& report) {
  const bool follows = setup_.course != nullptr;
  for (; at_ < program_.event_count(); ++at_) {
    while (changes_.are_due(at_)) [[unlikely]]
      change_options();
    if (follows) device_of(setup_.history->device).follow_releases(reader_.number(at_));
    const bool goes_on = apply(at_) || setup_.goes_on_after(reader_.number(at_));
    hand_over_entries(entries_of_a_batch);
    if (goes_on) [[likely]]
      continue;
    report.stopped_at = reader_.number(at_);
    return;
  }
  if (follows) device_of(setup_.history->device).follow_releases(setup_.history->event_count);
}

/// Gives away the entries of the last device if there are so many.
template <class Allocator>
void CompactRunOf<Allocator>::hand_over_entries(std::size_t from_count) {
  if constexpr (keeps_entries<Allocator>) {
    if (last_->held_count() >= from_count) take_entries_(last_->take_entries());
  }
}

template <class Allocator>
void CompactRunOf<Allocator>::run(ReplayReport& report) {
  try {
    if (setup_.history != nullptr) adopt();
    run_events(report);
    hand_over_entries(1);
  } catch (const AllocatorError& error) {
    setup_.refuse(reader_.number(at_), error);
  } catch (const DeviceError& error) {
    setup_.refuse(reader_.number(at_), error);
  }
  report.calls += std::min(at_ + 1, program_.event_count()) - left_out_;
  for (const auto& [index, device] : devices_) report.devices.push_back(device->report());
  if (setup_.history == nullptr) return;
  const HistoryProgram& history = *setup_.history;
  DeviceReport& device = report.devices.back();
  device.recorded_peak_reserved = history.memory.peak_reserved;
  device.recorded_peak_requested = history.memory.peak_requested;
  const std::size_t last = std::min(at_, program_.event_count() - 1);
  if (!part_.failed.empty())
    device.depends_from = history.first_passed(device.failures, reader_.number(last) + 1);
}

template class CompactRunOf<allocator::CountingAllocator>;
template class CompactRunOf<allocator::RecordingAllocator>;

}  // namespace vramlab::replay
