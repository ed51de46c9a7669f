#include "replay/run/compact_replay.h"

#include <algorithm>

#include "allocator/words/allocator_error.h"
#include "replay/run/engine_calls.h"
#include "replay/state/stranded_now.h"

namespace vramlab::replay {

using allocator::MallocOutcome;
using EventKind = traces::ProgramEventKind;

CompactReplay::CompactReplay(traces::DeviceIndex device, const DeviceConditions& conditions,
                             SlotAddresses& addresses)
    : index_(device),
      conditions_(conditions),
      world_(conditions_, device),
      engine_(world_.device(), conditions.version, conditions.settings),
      addresses_(addresses) {
  if (conditions.memory_fraction) engine_.set_memory_fraction(*conditions.memory_fraction);
}

void CompactReplay::adopt(const std::vector<StartingSegment>& start) {
  if (start.empty()) return;
  for (const StartingSegment& segment : start) {
    world_.adopt(segment.segment);
    engine_.adopt(segment.segment);
    allocator::Address address = segment.segment.base;
    for (std::size_t i = 0; i < segment.ids.size(); ++i) {
      if (segment.ids[i] != 0) addresses_[segment.ids[i] - 1] = address;
      address = address + segment.segment.blocks[i].size;
    }
  }
  static_cast<allocator::Statistics&>(engine_.listeners()).start_from(engine_.take_snapshot());
  start_is_there();
}

void CompactReplay::start_is_there() {
  auto& counted = static_cast<allocator::Statistics&>(engine_.listeners());
  counted.reset_peak();
  counted.reset_accumulated();
  world_.start_is_there();
  requests_ = 0;
  frees_ = 0;
  note_peak(0);
}

void CompactReplay::note_peak(std::uint64_t number) {
  const allocator::Statistics& counted = engine_.listeners();
  peak_reserved_ = counted.peak_reserved_bytes();
  peak_event_ = number;
  stranded_at_peak_ = stranded_now(engine_);
}

bool CompactReplay::note_failure(MallocOutcome outcome, const EventShape& shape,
                                 std::uint64_t number) {
  if (outcome == MallocOutcome::nothing) return true;
  if (outcome == MallocOutcome::scope_already_open)
    throw allocator::AllocatorError(
        "a request in a pool that lends its memory while it is captured to");
  failures_.push_back({number, std::nullopt, shape.stream, engine_.last_failure()});
  return false;
}

void CompactReplay::set_options(const traces::ProgramEvent& event, const traces::TextTable& texts) {
  if (conditions_.keeps_settings)
    ++options_left_out_;
  else
    replay::set_options(engine_, texts.text(event.text));
}

void CompactReplay::apply_other(const traces::ProgramEvent& event, const traces::TextTable& texts) {
  switch (event.kind) {
    case EventKind::pool_create:
    case EventKind::pool_begin:
    case EventKind::pool_end:
    case EventKind::pool_release:
    case EventKind::pool_destroy:
      return change_pool(engine_, world_.streams(), event);
    case EventKind::options:
      return set_options(event, texts);
    case EventKind::memory_fraction:
      if (!conditions_.keeps_settings) engine_.set_memory_fraction(event.fraction);
      return;
    case EventKind::empty_cache:
      return engine_.empty_cache(event.pool);
    case EventKind::external:
      return world_.set_external(event.bytes);
    case EventKind::checkpoint:
      // Nothing restores it, or DeviceReplay would run this; it may still be refused.
      return void(engine_.take_checkpoint(event.pool));
    default:
      return world_.streams().apply(event);
  }
}

DeviceReport CompactReplay::report() const {
  DeviceReport report;
  report.device = index_;
  report.memory = conditions_.memory;
  report.held_by_others = conditions_.held_by_others;
  report.requests = requests_;
  report.frees = frees_;
  const allocator::Statistics& counted = engine_.listeners();
  report.statistics = counted.values();
  report.peak_allocated.bytes = {static_cast<std::uint64_t>(counted.peak_allocated_bytes())};
  report.peak_reserved.bytes = {static_cast<std::uint64_t>(peak_reserved_)};
  report.peak_reserved.event = peak_event_;
  report.device_calls = world_.call_counts();
  report.device_call_tally = world_.call_tally();
  report.device_time_ns = costs_of(conditions_).nanoseconds_of(report.device_call_tally);
  report.stranded_at_peak = stranded_at_peak_;
  report.same_below = std::min(device().same_answers().below, engine_.core().margin.below());
  report.places = device().place_book();
  report.failures = failures_;
  return report;
}

}  // namespace vramlab::replay
