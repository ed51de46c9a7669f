#include "replay/replayer/replay_host.h"

#include "allocator/types/check.h"
#include "replay/replayer/apply_event.h"
#include "streams/device/simulated_device.h"
#include "streams/device/timed_device.h"

namespace vramlab::replay {
namespace {

/// Devices are asked about events only.
constexpr Bytes no_memory{};

}  // namespace

ReplayHost::ReplayHost(StreamProgram* streams) : streams_(streams) {}

ReplayHost::~ReplayHost() = default;

streams::MemoryDevice& ReplayHost::device_at(std::uint32_t device) {
  std::unique_ptr<streams::MemoryDevice>& made = devices_[device];
  if (made) return *made;
  if (streams_ != nullptr) {
    made = std::make_unique<streams::TimedDevice>(streams::MemoryOptions{.total = no_memory},
                                                  streams_->streams(), device);
    return *made;
  }
  auto driven = std::make_unique<streams::SimulatedDevice>(no_memory);
  driven_[device] = driven.get();
  made = std::move(driven);
  return *made;
}

StreamId ReplayHost::name_of(streams::StreamAt stream) {
  if (streams_ != nullptr) stream = streams_->known_stream(stream);
  const auto [found, is_new] = names_.try_emplace(stream, StreamId{named_.size()});
  if (is_new) named_.push_back(stream);
  return found->second;
}

void ReplayHost::release(Address at, allocator::PinnedBy way) {
  for (const auto& [device, made] : devices_) wait_for_device(device);
  memory_.release(at, way);
}

void ReplayHost::wait_for_device(std::uint32_t device) {
  if (streams_ != nullptr) {
    if (!streams_->streams().wait_for_device(device))
      throw streams::EndlessWait("a release of pinned memory waits for work that never ends");
    return;
  }
  for (const streams::StreamAt& named : named_)
    if (named.device == device) driven_.at(device)->complete_work(named.stream);
}

EventId ReplayHost::record_event(StreamId stream) {
  const streams::StreamAt at = named_.at(as_index(stream.value));
  if (is_capturing(stream))
    throw DeviceError("pinned memory is freed while stream " + std::to_string(at.stream.value) +
                      ", which used it, captures: its event could not be asked about");
  const EventId named{event_count_++};
  events_[named.value] = {at.device, device_at(at.device).record_event(at.stream)};
  return named;
}

bool ReplayHost::is_complete(EventId event) {
  const Recorded& recorded = events_.at(event.value);
  return device_at(recorded.device).is_complete(recorded.event);
}

void ReplayHost::forget_event(EventId event) {
  const auto recorded = events_.extract(event.value);
  check(!recorded.empty(), "an event is forgotten once");
  device_at(recorded.mapped().device).forget_event(recorded.mapped().event);
}

bool ReplayHost::is_capturing(StreamId stream) const {
  const streams::StreamAt at = named_.at(as_index(stream.value));
  if (streams_ != nullptr) return streams_->streams().capture_of(at).has_value();
  const auto found = driven_.find(at.device);
  return found != driven_.end() && found->second->is_capturing(at.stream);
}

void ReplayHost::drive_streams(const traces::ProgramEvent& event) {
  if (streams_ != nullptr) return;
  device_at(event.device.value);
  streams::SimulatedDevice& driven = *driven_.at(event.device.value);
  if (event.kind != traces::ProgramEventKind::device_sync) return drive(driven, event);
  wait_for_device(event.device.value);
}

}  // namespace vramlab::replay
