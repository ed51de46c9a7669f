#include "replay/run/history_replay.h"

#include <algorithm>

#include "allocator/words/allocator_error.h"
#include "allocator/words/device.h"
#include "replay/follow/recorded_places.h"
#include "replay/run/ordered_device.h"
#include "replay/run/recorded_limits.h"
#include "replay/run/replay_options.h"
#include "traces/files/input_error.h"

namespace vramlab::replay {

using allocator::Action;
using allocator::Bytes;
using traces::InputError;

namespace {

struct Held {
  Bytes reserved;
  Bytes requested;
};

Bytes requested_at(const StartingState& start) {
  Bytes requested;
  for (const allocator::GivenSegment& segment : start.segments)
    for (const allocator::GivenBlock& block : segment.blocks)
      if (block.use == allocator::GivenUse::live || block.use == allocator::GivenUse::waiting)
        requested += block.requested;
  return requested;
}

/// Collected garbage shows that there was a limit, and not which.
bool has_garbage(const ExplainedHistory& explained) {
  const Inferences& inferred = explained.fidelity.inferred;
  return inferred.garbage_collections + inferred.garbage_shaped > 0;
}

/// On a device of this size an expandable segment reserves as many addresses as were recorded.
Bytes total_for(Bytes reservation) {
  return {reservation.count / 9 * 8 + reservation.count % 9 * 8 / 9};
}

}  // namespace

RecordedMemory recorded_memory(const DeviceHistory& history, const StartingState& start) {
  Held held{reserved_at(start), requested_at(start)};
  RecordedMemory memory{held.reserved, held.requested, std::nullopt};
  for (const allocator::AllocatorEvent& event : history.events) {
    switch (event.action) {
      case Action::segment_alloc:
      case Action::segment_map:
        held.reserved += event.size;
        break;
      case Action::segment_free:
      case Action::segment_unmap:
        held.reserved = held.reserved - std::min(held.reserved, event.size);
        break;
      case Action::alloc:
        held.requested += event.size;
        break;
      case Action::free_completed:
        held.requested = held.requested - std::min(held.requested, event.size);
        break;
      case Action::oom: {
        // Less than what was held and asked for, and no more than what was held and free.
        Bytes bound = held.reserved + event.size - Bytes{1};
        if (!history.traits.lacks_device_free)
          bound = std::min(bound, held.reserved + Bytes{event.address.value});
        memory.bound = std::min(memory.bound.value_or(bound), bound);
        break;
      }
      default:
        break;
    }
    memory.peak_reserved = std::max(memory.peak_reserved, held.reserved);
    memory.peak_requested = std::max(memory.peak_requested, held.requested);
  }
  if (memory.bound) memory.bound = std::max(*memory.bound, memory.peak_reserved);
  return memory;
}

bool is_as_recorded(const ReplayConditions& conditions) {
  return !conditions.options && !conditions.memory && !conditions.memory_fraction &&
         !conditions.held_by_others;
}

ChosenMemory choose_memory(const RecordedMemory& recorded, Bytes reservation,
                           const ReplayConditions& conditions) {
  if (conditions.memory) return {*conditions.memory, "as asked for"};
  if (recorded.bound && !is_as_recorded(conditions))
    return {*recorded.bound, "found out from what was refused"};
  // Reservations of addresses go by the size of the device, which has at most so much.
  return {reservation == unknown_reservation ? boundless_memory : total_for(reservation),
          recorded.bound ? "what was refused is refused again" : ""};
}

HistoryReplay::HistoryReplay(std::string file, const RecordedHistory& history,
                             const traces::TextTable& texts, ReplayConditions conditions)
    : file_(std::move(file)), texts_(texts), conditions_(std::move(conditions)) {
  version_ = conditions_.version != nullptr ? conditions_.version : &guess_reference(history);
  recorded_ = recorded_settings(history, texts, *version_);
  settings_ = conditions_.options ? settings_of(*conditions_.options, *version_, "the options")
                                  : recorded_.settings;
  for (const DeviceHistory& device : history.devices) prepare(device);
  if (devices_.empty())
    throw InputError(
        {file_, "", "a history that can be replayed", "none: the file holds a final state only"});
}

void HistoryReplay::prepare(const DeviceHistory& history) {
  Prepared prepared;
  prepared.history = &history;
  prepared.explained = explain(history, {*version_, conditions_.version == nullptr, recorded_});
  if (prepared.explained.placements.life_of_event.empty()) {
    if (prepared.explained.fidelity.label == FidelityLabel::final_state_only) return;
    throw InputError({file_, "device " + std::to_string(history.device),
                      "a history that an allocator can have made",
                      prepared.explained.fidelity.reasons.front()});
  }
  prepared.recorded = recorded_memory(history, prepared.explained.start);
  prepared.memory =
      choose_memory(prepared.recorded, prepared.explained.placements.reservation, conditions_);
  refuse_full_device(conditions_, prepared.memory.memory);
  prepared.program =
      program_of(history, prepared.explained,
                 is_as_recorded(conditions_) ? MemoryLeft::as_recorded : MemoryLeft::all,
                 prepared.memory.memory);
  devices_.push_back(std::move(prepared));
}

ReplayReport HistoryReplay::run(const ReplayWatch& watch) const {
  return run(watch, conditions_.timing.value_or(FreeTiming::recorded));
}

ReplayReport HistoryReplay::run(const ReplayWatch& watch, FreeTiming timing) const {
  ReplayReport report;
  report.reference = version_->name;
  report.options = settings_.text;
  if (!recorded_.doubt.empty()) report.notes.push_back(recorded_.doubt);
  const bool is_native = settings_.backend == allocator::Backend::native;
  if (conditions_.make_program_device) refuse_other_backends(settings_, file_);
  if (!is_native) report.notes.push_back(modelled_backend_note(settings_));
  for (const Prepared& prepared : devices_) {
    add_notes(prepared, report);
    if (conditions_.make_program_device)
      run_elsewhere(prepared, watch, timing, report);
    else if (is_native)
      run_native(prepared, watch, timing, report);
    else
      run_ordered(prepared, watch, timing, report);
  }
  return report;
}

void HistoryReplay::run_native(const Prepared& prepared, const ReplayWatch& watch,
                               FreeTiming timing, ReplayReport& report) const {
  RecordedPlaces places(*prepared.history, prepared.explained);
  DeviceConditions conditions = device_conditions(prepared, timing);
  std::optional<StreamProgram> streams;
  if (timing == FreeTiming::modelled)
    conditions.streams =
        &streams.emplace(conditions_.stream_model, *watch.streams, *watch.accesses);
  conditions.placement = [&places](const streams::PlaceRequest& request) {
    return places.place(request);
  };
  DeviceReplay device(index_of(prepared), conditions);
  run_device(prepared, watch, device, report);
}

void HistoryReplay::run_elsewhere(const Prepared& prepared, const ReplayWatch& watch,
                                  FreeTiming timing, ReplayReport& report) const {
  const auto device =
      conditions_.make_program_device(index_of(prepared), device_conditions(prepared, timing));
  run_device(prepared, watch, *device, report);
}

void HistoryReplay::run_ordered(const Prepared& prepared, const ReplayWatch& watch,
                                FreeTiming timing, ReplayReport& report) const {
  refuse_watch_of_ordered(watch);
  OrderedStreams streams(conditions_.stream_model, watch.streams, *watch.accesses);
  OrderedDevice device(
      index_of(prepared),
      {prepared.memory.memory, conditions_.memory_fraction, timing, conditions_.options.has_value(),
       conditions_.costs, conditions_.held_by_others},
      streams);
  run_device(prepared, watch, device, report);
}

const ExplainedHistory* HistoryReplay::explained(std::int64_t device) const {
  for (const Prepared& prepared : devices_)
    if (prepared.history->device == device) return &prepared.explained;
  return nullptr;
}

DeviceConditions HistoryReplay::device_conditions(const Prepared& prepared,
                                                  FreeTiming timing) const {
  DeviceConditions conditions{*version_, settings_, prepared.memory.memory,
                              conditions_.memory_fraction};
  conditions.held_by_others = conditions_.held_by_others;
  conditions.timing = timing;
  conditions.keeps_settings = conditions_.options.has_value();
  conditions.history_capacity = conditions_.history_capacity;
  conditions.scratch = conditions_.scratch;
  conditions.notes_origins = conditions_.notes_origins;
  conditions.costs = conditions_.costs;
  return conditions;
}

void HistoryReplay::add_notes(const Prepared& prepared, ReplayReport& report) const {
  const std::string device = "device " + std::to_string(prepared.history->device) + ": ";
  const DeviceFidelity& fidelity = prepared.explained.fidelity;
  if (fidelity.label != FidelityLabel::exact)
    report.notes.push_back(device + "following the recording was " +
                           std::string(fidelity_label_name(fidelity.label)) +
                           " (vramlab verify says where), so this replay is a guess");
  const bool is_native = settings_.backend == allocator::Backend::native;
  if (!prepared.program.start.empty())
    report.notes.push_back(device + (is_native
                                         ? "what was there at the start is laid out as recorded"
                                         : "what was in use at the start is asked for first"));
  if (prepared.program.unmatched_frees > 0)
    report.notes.push_back(device + std::to_string(prepared.program.unmatched_frees) +
                           " frees of what was not there are left out");
  if (prepared.program.failed_requests > 0)
    report.notes.push_back(device + std::to_string(prepared.program.failed_requests) +
                           " requests failed when it was recorded: they are tried, and what they "
                           "get is given back at once");
  const bool was_short = fidelity.inferred.oversize_releases +
                             fidelity.inferred.release_all_or_empty_cache +
                             fidelity.inferred.out_of_memory >
                         0;
  if (was_short && !conditions_.memory && !is_as_recorded(conditions_))
    report.notes.push_back(device +
                           "memory may have been short when it was recorded: --device-memory says "
                           "how much there is");
  if (has_garbage(prepared.explained) && !conditions_.memory_fraction)
    report.notes.push_back(device +
                           "garbage was collected, which needs a memory fraction that no "
                           "recording says: without --memory-fraction and --device-memory more "
                           "stays cached here, and requests may fail that did not");
}

void HistoryReplay::run_device(const Prepared& prepared, const ReplayWatch& watch,
                               ProgramDevice& device, ReplayReport& report) const {
  try {
    run_events(prepared, watch, device, report);
  } catch (const allocator::AllocatorError& error) {
    throw InputError({file_, "device " + std::to_string(prepared.history->device),
                      "a history that an allocator can have made", error.what()});
  } catch (const allocator::DeviceError& error) {
    throw InputError({file_, "device " + std::to_string(prepared.history->device),
                      "memory that the recorded starting state fits into", error.what()});
  }
  device.finish();
  if (watch.at_end) watch.at_end(*device.native());
  DeviceReport& added = report.devices.emplace_back(device.report());
  added.memory_origin = prepared.memory.origin;
  if (auto note = empty_fraction_note(added, conditions_.memory_fraction))
    report.notes.push_back(*std::move(note));
  added.recorded_peak_reserved = prepared.recorded.peak_reserved;
  added.recorded_peak_requested = prepared.recorded.peak_requested;
}

void HistoryReplay::run_events(const Prepared& prepared, const ReplayWatch& watch,
                               ProgramDevice& device, ReplayReport& report) const {
  device.adopt(prepared.program.start);
  for (std::size_t i = 0; i < prepared.program.events.size(); ++i) {
    const std::uint64_t number = prepared.program.origins[i];
    const traces::ProgramEvent& event = prepared.program.events[i];
    if (!watch.reaches(event, number)) break;
    if (event.time_ns && *event.time_ns > 0)
      report.first_time_ns =
          std::min(report.first_time_ns.value_or(*event.time_ns), *event.time_ns);
    if (watch.at_start && i == prepared.program.start_event_count) watch.at_start(*device.native());
    ++report.events;
    const bool goes_on = device.apply(event, number, texts_);
    if (i + 1 == prepared.program.start_event_count) device.start_is_there();
    if (watch.after_event) watch.after_event(*device.native(), event, number);
    if (goes_on || conditions_.on_out_of_memory == OnOutOfMemory::skip) continue;
    report.stopped_at = number;
    break;
  }
}

}  // namespace vramlab::replay
