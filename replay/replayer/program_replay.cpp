#include "replay/replayer/program_replay.h"

#include <algorithm>

#include "allocator/types/answers.h"
#include "replay/replayer/changes_on_the_way.h"
#include "replay/replayer/device_replay.h"
#include "replay/replayer/ordered_device.h"
#include "replay/replayer/pinned_replay.h"
#include "streams/device/timed_device.h"

namespace vramlab::replay {

using traces::DeviceIndex;
using traces::ProgramEvent;

ProgramReplay::ProgramReplay(std::string file, const traces::SnapshotTables& tables,
                             ReplayConditions conditions, ReplayWatch watch)
    : ProgramReplay(ReplaySetup{std::move(file), std::move(conditions), nullptr, {}}, tables.texts,
                    std::move(watch)) {
  header_.emplace();
}

ProgramReplay::ProgramReplay(ReplaySetup setup, const traces::TextTable& texts, ReplayWatch watch)
    : setup_(std::move(setup)), texts_(texts), watch_(std::move(watch)) {}

ProgramReplay::~ProgramReplay() = default;

void ProgramReplay::header(const traces::TraceHeader& header) {
  header_ = header;
  may_use_host_ = header.version > 1;
}

void ProgramReplay::settle_options() {
  setup_ = setup_of(setup_.file, setup_.asked, *header_);
  header_.reset();
}

std::unique_ptr<ProgramDevice> ProgramReplay::make_device(DeviceIndex index) {
  DeviceConditions conditions = setup_.conditions_of(index);
  refuse_full_device(setup_.asked, conditions.memory);
  if (watch_.released)
    conditions.released = [this, index](streams::AddressRange range) {
      watch_.released(index.value, range);
    };
  if (setup_.asked.make_program_device) {
    refuse_other_backends(setup_.settings, setup_.file);
    return setup_.asked.make_program_device(index, conditions);
  }
  if (setup_.settings.backend != allocator::Backend::native) {
    refuse_watch_of_ordered(watch_);
    return std::make_unique<OrderedDevice>(index, conditions, ordered_streams());
  }
  if (conditions.timing == FreeTiming::modelled) conditions.streams = &virtual_streams();
  return std::make_unique<DeviceReplay>(index, conditions);
}

StreamProgram& ProgramReplay::virtual_streams() {
  if (!streams_)
    streams_ = std::make_unique<StreamProgram>(setup_.asked.stream_model, *watch_.streams,
                                               *watch_.accesses);
  return *streams_;
}

OrderedStreams& ProgramReplay::ordered_streams() {
  if (!ordered_streams_)
    ordered_streams_ = std::make_unique<OrderedStreams>(setup_.asked.stream_model, watch_.streams,
                                                        *watch_.accesses);
  return *ordered_streams_;
}

HostReplay* ProgramReplay::host() {
  if (host_ || !may_use_host_) return host_.get();
  HostConditions conditions{*setup_.version, setup_.settings};
  const FreeTiming timing = setup_.timing();
  if (timing == FreeTiming::eager) conditions.frees = HostFrees::complete_at_once;
  if (setup_.keeps_settings()) conditions.options = HostOptions::as_given;
  if (setup_.settings.backend != allocator::Backend::native)
    conditions.streams = &ordered_streams().program();
  else if (timing == FreeTiming::modelled)
    conditions.streams = &virtual_streams();
  if (watch_.at_host_end || watch_.after_host_event) conditions.keeps = KeepsHostHistory::yes;
  host_ = std::make_unique<HostReplay>(conditions);
  return host_.get();
}

ProgramDevice& ProgramReplay::device_of(DeviceIndex index) {
  std::unique_ptr<ProgramDevice>& device = devices_[index];
  if (!device) device = make_device(index);
  return *device;
}

/// Streams by the names that they have here.
ProgramEvent ProgramReplay::with_streams_of_pools(const ProgramEvent& event) {
  ProgramEvent named = event;
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

template <class Call>
void ProgramReplay::guard(std::uint64_t number, const Call& call) {
  try {
    call();
  } catch (const streams::EndlessWait& error) {
    stopped_at_ = number;
    endless_wait_ = error.what();
  } catch (const AllocatorError& error) {
    setup_.refuse(number, error);
  } catch (const ProgramError& error) {
    setup_.refuse(number, error);
  } catch (const DeviceError& error) {
    setup_.refuse(number, error);
  }
}

void ProgramReplay::apply_to_host(const ProgramEvent& event, std::uint64_t number) {
  StreamProgram* const streams = ordered_streams_ ? &ordered_streams_->program() : streams_.get();
  if (streams != nullptr && !streams->begin(event, number))
    throw streams::EndlessWait("host thread " + std::to_string(event.thread) +
                               " waits for work that never ends");
  host_->apply(event, number, texts_);
  if (watch_.after_host_event) watch_.after_host_event(*host_, event, number);
}

void ProgramReplay::apply(const ProgramEvent& event, std::uint64_t number) {
  HostReplay* const pinned = host();
  if (pinned != nullptr && traces::is_of_host(event.kind)) return apply_to_host(event, number);
  ProgramDevice& device = device_of(event.device);
  const bool goes_on = device.apply(event, number, texts_);
  if (!goes_on && !setup_.goes_on_after(number)) stopped_at_ = number;
  if (pinned != nullptr) pinned->apply(event, number, texts_);
  if (watch_.after_event) watch_.after_event(*device.native(), event, number);
}

/// Entries of a recording need not be in order, and some have no time.
void ProgramReplay::note_time(const ProgramEvent& event) {
  if (!event.time_ns) return;
  if (setup_.history == nullptr)
    first_time_ns_ = first_time_ns_.value_or(*event.time_ns);
  else if (*event.time_ns > 0)
    first_time_ns_ = std::min(first_time_ns_.value_or(*event.time_ns), *event.time_ns);
}

void ProgramReplay::replay(const ProgramEvent& event, std::uint64_t number) {
  note_time(event);
  if (is_over() || !watch_.reaches(event, number)) {
    // Other devices of a program may go on.
    if (setup_.history != nullptr || (watch_.until_ns && event.time_ns > watch_.until_ns))
      has_passed_last_ = true;
    return;
  }
  ++events_;
  last_number_ = number;
  const bool is_of_pool = event.kind == traces::ProgramEventKind::stream_from_pool;
  guard(number, [&] {
    if (is_of_pool || !torch_streams_.empty())
      apply(with_streams_of_pools(event), number);
    else
      apply(event, number);
  });
}

void ProgramReplay::program_event(const ProgramEvent& event) {
  if (header_) settle_options();
  const std::uint64_t number = position_++;
  if (!watch_.before_event) return replay(event, number);
  replay_seen(event, number);
}

void ProgramReplay::replay_seen(ProgramEvent event, std::uint64_t number) {
  watch_.before_event(event, number);
  replay(event, number);
}

void ProgramReplay::run(const ProgramPart& part) {
  const HistoryProgram* const history = setup_.history;
  if (history != nullptr) guard(0, [&] { device_of(history->device).adopt(part.start); });
  may_use_host_ = may_use_host_ || part.program.uses_host();
  const bool applies_recorded_memory =
      history == nullptr || (is_as_recorded(setup_.asked) && setup_.course == nullptr);
  CompactReader reader(part.program);
  ChangesOnTheWay changes(setup_.asked.changes, reader);
  for (std::size_t i = 0; i < part.program.event_count() && !is_over(); ++i) {
    const ProgramEvent event = reader.event_at(i);
    const std::uint64_t number = reader.number(i);
    for (; changes.are_due(i); changes.go_on())
      for (const DeviceIndex device : part.program.devices())
        guard(number, [&] { apply(changes.event_for(device), number); });
    if (history != nullptr && i == part.start_event_count && watch_.at_start &&
        watch_.reaches(event, number))
      watch_.at_start(*device_of(history->device).native());
    if (reader[i].kind() == CompactKind::of_recorded_memory && !applies_recorded_memory) continue;
    if (history == nullptr && watch_.before_event)
      replay_seen(event, number);
    else
      replay(event, number);
    if (i + 1 == part.start_event_count) device_of(history->device).start_is_there();
  }
  if (setup_.course != nullptr && !is_over())
    if (DeviceReplay* const device = device_of(history->device).native())
      device->follow_to_the_end(history->event_count);
}

void ProgramReplay::add_device(ProgramDevice& device, DeviceIndex index, ReplayReport& report) {
  device.finish();
  if (watch_.at_end) watch_.at_end(*device.native());
  DeviceReport& added = report.devices.emplace_back(device.report());
  added.memory_origin = setup_.memory_of(index).origin;
  if (auto note = empty_fraction_note(added, setup_.asked.memory_fraction))
    report.notes.push_back(*std::move(note));
  if (setup_.history == nullptr) return;
  const HistoryProgram& history = *setup_.history;
  added.depends_from = history.first_passed(added.failures, last_number_ + 1);
  if (auto note = failures_note(history, added)) report.notes.push_back(*std::move(note));
  if (!is_over() && is_as_recorded(setup_.asked) && !is_recorded_run(history, added))
    report.notes.push_back("device " + std::to_string(index.value) +
                           ": this replay departs from the recorded run in its counts or "
                           "peaks");
  added.recorded_counts = history.memory.counts;
  added.recorded_peak_reserved = history.memory.peak_reserved;
  added.recorded_peak_requested = history.memory.peak_requested;
}

ReplayReport ProgramReplay::finish() {
  if (header_) settle_options();
  ReplayReport report;
  report.reference = setup_.version->name;
  report.options = setup_.settings.text;
  report.calls = events_;
  report.first_time_ns = first_time_ns_;
  // A note tells of an endless wait.
  if (!endless_wait_) report.stopped_at = stopped_at_;
  if (endless_wait_)
    report.notes.push_back("the program stops at event " + std::to_string(*stopped_at_) + ": " +
                           *endless_wait_);
  if (setup_.history == nullptr && setup_.settings.backend != allocator::Backend::native)
    report.notes.push_back(modelled_backend_note(setup_.settings));
  std::uint64_t options_left_out = 0;
  for (const auto& [index, device] : devices_) {
    add_device(*device, index, report);
    options_left_out += device->options_left_out();
  }
  if (host_ && host_->has_events()) {
    if (watch_.at_host_end) watch_.at_host_end(*host_);
    report.host = host_->report();
    report.notes.insert(report.notes.end(), report.host->notes.begin(), report.host->notes.end());
  }
  if (options_left_out > 0)
    report.notes.push_back("the program's own changes of options were left out: " +
                           std::to_string(options_left_out));
  return report;
}

}  // namespace vramlab::replay
