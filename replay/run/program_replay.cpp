#include "replay/run/program_replay.h"

#include "allocator/words/allocator_error.h"
#include "replay/run/replay_options.h"
#include "streams/device/timed_device.h"
#include "traces/files/input_error.h"

namespace vramlab::replay {

using allocator::Bytes;
using traces::DeviceIndex;
using traces::InputError;
using traces::TraceDevice;

void refuse_full_device(const ReplayConditions& conditions, Bytes memory) {
  if (conditions.held_by_others && *conditions.held_by_others >= memory)
    throw InputError({"memory held by others", "", "less than the device's " + format_bytes(memory),
                      format_bytes(*conditions.held_by_others)});
}

void refuse_other_backends(const allocator::Settings& settings, const std::string& where) {
  if (settings.backend != allocator::Backend::native)
    throw InputError({where, "", "PyTorch's own allocator, which alone can run live",
                      "the option backend:cudaMallocAsync"});
}

ProgramReplay::ProgramReplay(std::string file, const traces::SnapshotTables& tables,
                             ReplayConditions conditions, ReplayWatch watch)
    : file_(std::move(file)),
      tables_(tables),
      conditions_(std::move(conditions)),
      watch_(std::move(watch)) {
  header({});
}

void ProgramReplay::header(const traces::TraceHeader& header) {
  header_ = header;
  version_ = conditions_.version;
  if (version_ == nullptr && !header.reference.empty()) {
    version_ = allocator::find_reference_version(header.reference);
    if (version_ == nullptr)
      throw InputError({file_, "its header", "a version of the reference that is known",
                        "'" + header.reference + "'"});
  }
  if (version_ == nullptr) version_ = &allocator::default_reference_version();
  settings_ = conditions_.options ? settings_of(*conditions_.options, *version_, "the options")
                                  : settings_of(header.settings, *version_, file_);
}

Bytes ProgramReplay::memory_of(DeviceIndex index, std::string* origin) const {
  const auto say = [origin](const char* text) {
    if (origin != nullptr) *origin = text;
  };
  if (conditions_.memory) {
    say("as asked for");
    return *conditions_.memory;
  }
  for (const TraceDevice& device : header_.devices)
    if (device.index == index && device.memory.count != 0) {
      say("as the file says");
      return device.memory;
    }
  return boundless_memory;
}

DeviceConditions ProgramReplay::conditions_of(DeviceIndex index) {
  DeviceConditions conditions{*version_, settings_, memory_of(index), conditions_.memory_fraction};
  refuse_full_device(conditions_, conditions.memory);
  conditions.held_by_others = conditions_.held_by_others;
  conditions.timing = conditions_.timing.value_or(FreeTiming::modelled);
  conditions.keeps_settings = conditions_.options.has_value();
  conditions.history_capacity = conditions_.history_capacity;
  conditions.scratch = conditions_.scratch;
  conditions.notes_origins = conditions_.notes_origins;
  conditions.costs = conditions_.costs;
  conditions.keeps_place_book = conditions_.keeps_place_book;
  if (watch_.released)
    conditions.released = [this, index](streams::AddressRange range) {
      watch_.released(index.value, range);
    };
  if (conditions.timing == FreeTiming::modelled) {
    if (!streams_)
      streams_ = std::make_unique<StreamProgram>(conditions_.stream_model, *watch_.streams,
                                                 *watch_.accesses);
    conditions.streams = streams_.get();
  }
  return conditions;
}

ProgramDevice& ProgramReplay::device_of(DeviceIndex index) {
  std::unique_ptr<ProgramDevice>& device = devices_[index];
  if (device) return *device;
  if (conditions_.make_program_device) {
    refuse_other_backends(settings_, file_);
    device = conditions_.make_program_device(index, conditions_of(index));
  } else if (settings_.backend == allocator::Backend::native)
    device = std::make_unique<DeviceReplay>(index, conditions_of(index));
  else
    device = make_ordered_device(index);
  return *device;
}

std::unique_ptr<OrderedDevice> ProgramReplay::make_ordered_device(DeviceIndex index) {
  refuse_watch_of_ordered(watch_);
  if (!ordered_streams_)
    ordered_streams_ = std::make_unique<OrderedStreams>(conditions_.stream_model, watch_.streams,
                                                        *watch_.accesses);
  refuse_full_device(conditions_, memory_of(index));
  return std::make_unique<OrderedDevice>(
      index,
      OrderedConditions{memory_of(index), conditions_.memory_fraction,
                        conditions_.timing.value_or(FreeTiming::modelled),
                        conditions_.options.has_value(), conditions_.costs,
                        conditions_.held_by_others},
      *ordered_streams_);
}

/// Streams by the names that they have here.
traces::ProgramEvent ProgramReplay::with_streams_of_pools(const traces::ProgramEvent& event) {
  traces::ProgramEvent named = event;
  streams::TorchStreams& pools = torch_streams_[event.device];
  if (event.kind == traces::ProgramEventKind::stream_from_pool) {
    if (event.stream.value == 0 || pools.is_taken(event.stream))
      throw ProgramError("stream " + std::to_string(event.stream.value) + " is there already");
    named.stream =
        pools.take(event.stream, event.priority < 0 ? streams::TorchStreams::Pool::high
                                                    : streams::TorchStreams::Pool::normal);
    return named;
  }
  named.stream = pools.resolve(event.stream);
  named.for_stream = pools.resolve(event.for_stream);
  return named;
}

void ProgramReplay::replay(const traces::ProgramEvent& event, std::uint64_t number) {
  ProgramDevice& device = device_of(event.device);
  const bool goes_on = device.apply(event, number, tables_.texts);
  if (!goes_on && conditions_.on_out_of_memory == OnOutOfMemory::stop) stopped_at_ = number;
  if (watch_.after_event) watch_.after_event(*device.native(), event, number);
}

void ProgramReplay::program_event(const traces::ProgramEvent& event) {
  const std::uint64_t number = position_++;
  if (!first_time_ns_) first_time_ns_ = event.time_ns;
  if (stopped_at_ || is_over_ || !watch_.reaches(event, number)) {
    is_over_ = is_over_ || (watch_.until_ns && event.time_ns > watch_.until_ns);
    return;
  }
  ++events_;
  const auto refuse = [&](const char* expected, const std::exception& error) {
    throw InputError(
        {file_, "event " + std::to_string(number) + " of the program", expected, error.what()});
  };
  const bool is_of_pool = event.kind == traces::ProgramEventKind::stream_from_pool;
  try {
    if (is_of_pool || !torch_streams_.empty())
      replay(with_streams_of_pools(event), number);
    else
      replay(event, number);
  } catch (const allocator::AllocatorError& error) {
    refuse("a call that may be made then", error);
  } catch (const ProgramError& error) {
    refuse("what the program made before", error);
  } catch (const streams::EndlessWait& error) {
    stopped_at_ = number;
    endless_wait_ = error.what();
  } catch (const allocator::DeviceError& error) {
    refuse("what a device can do then", error);
  }
}

ReplayReport ProgramReplay::finish() {
  ReplayReport report;
  report.reference = version_->name;
  report.options = settings_.text;
  report.events = events_;
  report.first_time_ns = first_time_ns_;
  // Of an endless wait a note tells.
  if (!endless_wait_) report.stopped_at = stopped_at_;
  std::uint64_t options_left_out = 0;
  if (endless_wait_)
    report.notes.push_back("the program stops at event " + std::to_string(*stopped_at_) + ": " +
                           *endless_wait_);
  if (settings_.backend != allocator::Backend::native)
    report.notes.push_back(modelled_backend_note(settings_));
  for (const auto& [index, device] : devices_) {
    device->finish();
    if (watch_.at_end) watch_.at_end(*device->native());
    DeviceReport& added = report.devices.emplace_back(device->report());
    memory_of(index, &added.memory_origin);
    if (auto note = empty_fraction_note(added, conditions_.memory_fraction))
      report.notes.push_back(*std::move(note));
    options_left_out += device->options_left_out();
  }
  if (options_left_out > 0)
    report.notes.push_back("the program's own changes of options were left out: " +
                           std::to_string(options_left_out));
  return report;
}

}  // namespace vramlab::replay
