#include "replay/run/compact_run.h"

#include "allocator/words/allocator_error.h"
#include "replay/run/ordered_device.h"

namespace vramlab::replay {

using traces::DeviceIndex;
CompactRun::CompactRun(const CompactProgram& program, const traces::TextTable& texts,
                       ConditionsOf conditions)
    : program_(program),
      texts_(texts),
      conditions_(std::move(conditions)),
      addresses_(program.slot_count()) {}

CompactReplay& CompactRun::device_of(DeviceIndex index) {
  if (last_ != nullptr && last_index_ == index) [[likely]]
    return *last_;
  std::unique_ptr<CompactReplay>& device = devices_[index];
  if (!device) device = std::make_unique<CompactReplay>(index, conditions_(index), addresses_);
  last_index_ = index;
  last_ = device.get();
  return *last_;
}

void CompactRun::adopt(DeviceIndex device, const std::vector<StartingSegment>& start,
                       std::size_t start_event_count) {
  device_of(device).adopt(start);
  for (; at_ < start_event_count; ++at_) apply(at_);
  if (start_event_count > 0) device_of(device).start_is_there();
}

bool CompactRun::apply_other(const CompactEvent& event, CompactReplay& device) {
  device.apply_other(program_.other(event), texts_);
  return true;
}

bool CompactRun::apply(std::size_t index) {
  const CompactEvent& event = program_.events()[index];
  switch (event.kind()) {
    case CompactKind::malloc: {
      const EventShape& shape = program_.shape(event);
      return device_of(shape.device).request(event, shape, program_.number(index));
    }
    case CompactKind::free:
      device_of(program_.shape(event).device).free(event);
      return true;
    case CompactKind::use: {
      const EventShape& shape = program_.shape(event);
      device_of(shape.device).use(event, shape);
      return true;
    }
    case CompactKind::other:
      return apply_other(event, device_of(program_.other(event).device));
    case CompactKind::work:
    case CompactKind::stream_done:
    case CompactKind::other_of_streams: {
      const bool is_whole = event.kind() == CompactKind::other_of_streams;
      CompactReplay& device =
          device_of(is_whole ? program_.other(event).device : program_.shape(event).device);
      if (program_.streams_matter() == StreamsMatter::yes)
        device.apply_other(program_.event_at(index), texts_);
      return true;
    }
  }
  return true;
}

void CompactRun::run(OnOutOfMemory on_out_of_memory, ReplayReport& report) {
  try {
    for (; at_ < program_.events().size(); ++at_) {
      if (apply(at_) || on_out_of_memory == OnOutOfMemory::skip) [[likely]]
        continue;
      report.stopped_at = program_.number(at_);
      break;
    }
  } catch (const allocator::AllocatorError& error) {
    throw CompactRunError(program_.number(at_), error.what());
  } catch (const allocator::DeviceError& error) {
    throw CompactRunError(program_.number(at_), error.what());
  }
  report.events += std::min(at_ + 1, program_.events().size());
  for (const auto& [index, device] : devices_) report.devices.push_back(device->report());
}

void run_whole_events(const LoadedPart& part,
                      const std::pair<DeviceIndex, DeviceConditions>& device,
                      const ReplayConditions& conditions, const ReplayWatch& watch,
                      ReplayReport& report) {
  const traces::SnapshotTables tables;
  const DeviceIndex index = device.first;
  std::optional<StreamProgram> streams;
  std::optional<OrderedStreams> ordered;
  std::unique_ptr<ProgramDevice> replayed;
  DeviceConditions own = device.second;
  if (own.settings.backend == allocator::Backend::native) {
    if (own.timing == FreeTiming::modelled)
      own.streams = &streams.emplace(conditions.stream_model, *watch.streams, *watch.accesses);
    replayed = std::make_unique<DeviceReplay>(index, own);
  } else {
    ordered.emplace(conditions.stream_model, watch.streams, *watch.accesses);
    replayed = std::make_unique<OrderedDevice>(
        index,
        OrderedConditions{own.memory, own.memory_fraction, own.timing, own.keeps_settings,
                          own.costs, own.held_by_others},
        *ordered);
  }
  replayed->adopt(part.start);
  for (std::size_t i = 0; i < part.program.events().size(); ++i) {
    ++report.events;
    const std::uint64_t number = part.program.number(i);
    try {
      const bool goes_on = replayed->apply(part.program.event_at(i), number, tables.texts);
      if (i + 1 == part.start_event_count) replayed->start_is_there();
      if (goes_on) continue;
    } catch (const allocator::AllocatorError& error) {
      throw CompactRunError(number, error.what());
    }
    if (conditions.on_out_of_memory == OnOutOfMemory::skip) continue;
    report.stopped_at = number;
    break;
  }
  if (watch.at_end) watch.at_end(*replayed->native());
  report.devices.push_back(replayed->report());
}

}  // namespace vramlab::replay
