#include "replay/run/loaded_recording.h"

#include "allocator/words/allocator_error.h"
#include "replay/run/compact_run.h"
#include "replay/run/compact_writer.h"
#include "replay/run/program_replay.h"
#include "replay/run/recorded_limits.h"
#include "replay/run/replay_options.h"
#include "replay/run/replayed_histories.h"
#include "traces/files/input_error.h"
#include "traces/formats/read_snapshot.h"

namespace vramlab::replay {

using allocator::Bytes;
using traces::InputError;

struct LoadedRecording::History {
  traces::DeviceIndex device;
  RecordedMemory recorded;
  allocator::Bytes reservation;
  RecordedPlaces places;
  std::vector<StartingSegment> start;
  /// So many of the events below say what was so at the start.
  std::size_t start_event_count = 0;
  /// With all of the device for the program, and with as much as explains the recording.
  CompactProgram program;
  CompactProgram as_recorded;
};

namespace {

/// Collects a program.
class ProgramCollector : public traces::ProgramSink {
 public:
  explicit ProgramCollector(std::string file) : file_(std::move(file)) {}

  void header(const traces::TraceHeader& header) override { header_ = header; }
  void program_event(const traces::ProgramEvent& event) override {
    try {
      writer_.add(event, position_);
    } catch (const allocator::AllocatorError& error) {
      throw InputError({file_, "event " + std::to_string(position_) + " of the program",
                        "a call that may be made then", error.what()});
    }
    ++position_;
  }

  bool has_events() const { return position_ > 0; }
  const traces::TraceHeader& header() const { return header_; }
  CompactProgram finish() { return writer_.finish(); }

 private:
  std::string file_;
  traces::TraceHeader header_;
  CompactWriter writer_;
  std::uint64_t position_ = 0;
};

const allocator::ReferenceVersion& version_of(const traces::TraceHeader& header,
                                              const std::string& file) {
  if (header.reference.empty()) return allocator::default_reference_version();
  if (const auto* version = allocator::find_reference_version(header.reference)) return *version;
  throw InputError({file, "its header", "a version of the reference that is known",
                    "'" + header.reference + "'"});
}

/// Blocks of the start get the names that they have in the program.
CompactProgram compact(const HistoryProgram& history, traces::DeviceIndex device,
                       std::vector<StartingSegment>& start) {
  CompactWriter writer;
  start = history.start;
  for (StartingSegment& segment : start) {
    segment.stacks.assign(segment.stacks.size(), {});
    for (std::uint64_t& id : segment.ids)
      if (id != 0) id = writer.add_start(device, id);
  }
  for (std::size_t i = 0; i < history.events.size(); ++i)
    writer.add(history.events[i], history.origins[i]);
  return writer.finish();
}

std::uint64_t calls_in(const CompactProgram& program) {
  std::uint64_t count = 0;
  for (const CompactEvent& event : program.events())
    if (event.kind() == CompactKind::malloc || event.kind() == CompactKind::free) ++count;
  return count;
}

}  // namespace

LoadedRecording::LoadedRecording(const std::string& path, const LoadConditions& conditions)
    : LoadedRecording(traces::open_trace(path, conditions.listener), conditions) {}

LoadedRecording::LoadedRecording(traces::OpenTrace trace, const LoadConditions& conditions)
    : tables_(std::make_unique<traces::SnapshotTables>()) {
  file_ = trace.file;
  ProgramCollector program(file_);
  HistoryCollector collector;
  traces::read_trace(trace, *tables_, {collector, program});
  version_ = conditions.version;
  if (program.has_events()) {
    header_ = program.header();
    if (version_ == nullptr) version_ = &version_of(header_, file_);
    program_ = program.finish();
    call_count_ = calls_in(program_);
    return;
  }
  const RecordedHistory history = collector.take();
  if (version_ == nullptr) version_ = &guess_reference(history);
  recorded_ = recorded_settings(history, tables_->texts, *version_);
  if (!recorded_.doubt.empty()) notes_.push_back(recorded_.doubt);
  for (const DeviceHistory& device : history.devices)
    add_history(device, conditions.version == nullptr);
  if (histories_.empty())
    throw InputError(
        {file_, "", "a history that can be replayed", "none: the file holds a final state only"});
  // No event of a history refers to a text or a stack.
  tables_ = std::make_unique<traces::SnapshotTables>();
}

LoadedRecording::~LoadedRecording() = default;
LoadedRecording::LoadedRecording(LoadedRecording&&) noexcept = default;

void LoadedRecording::add_history(const DeviceHistory& history, bool version_is_guessed) {
  const ExplainedHistory explained = explain(history, {*version_, version_is_guessed, recorded_});
  const std::string device = "device " + std::to_string(history.device);
  if (explained.placements.life_of_event.empty()) {
    if (explained.fidelity.label == FidelityLabel::final_state_only) return;
    throw InputError({file_, device, "a history that an allocator can have made",
                      explained.fidelity.reasons.front()});
  }
  if (explained.fidelity.label != FidelityLabel::exact) {
    is_followed_exactly_ = false;
    notes_.push_back(device + ": following the recording was " +
                     std::string(fidelity_label_name(explained.fidelity.label)) +
                     " (vramlab verify says where), so these replays are guesses");
  }
  if (const allocator::Bytes there = reserved_at(explained.start); there > allocator::Bytes{})
    notes_.push_back(device + ": " + format_bytes(there) +
                     " that was there when the recording began is laid out as it was, whatever the "
                     "setting");
  const traces::DeviceIndex index{static_cast<std::uint32_t>(history.device)};
  const RecordedMemory recorded = recorded_memory(history, explained.start);
  const allocator::Bytes reservation = explained.placements.reservation;
  const allocator::Bytes memory = choose_memory(recorded, reservation, {}).memory;
  std::vector<StartingSegment> start;
  CompactProgram as_recorded =
      compact(program_of(history, explained, MemoryLeft::as_recorded, memory), index, start);
  const HistoryProgram with_all = program_of(history, explained, MemoryLeft::all, memory);
  CompactProgram program = compact(with_all, index, start);
  call_count_ += calls_in(program);
  histories_.push_back({index, recorded, reservation, RecordedPlaces(history, explained),
                        std::move(start), with_all.start_event_count, std::move(program),
                        std::move(as_recorded)});
}

allocator::Settings LoadedRecording::settings_for(const ReplayConditions& conditions) const {
  if (conditions.options) return settings_of(*conditions.options, *version_, "the options");
  return is_recording() ? recorded_.settings : settings_of(header_.settings, *version_, file_);
}

std::vector<LoadedPart> LoadedRecording::parts() const {
  static const std::vector<StartingSegment> nothing;
  if (!is_recording()) return {{program_, nothing}};
  std::vector<LoadedPart> parts;
  for (const History& history : histories_)
    parts.push_back({history.program, history.start, history.start_event_count});
  return parts;
}

Trust LoadedRecording::trust(const ReplayConditions& conditions) const {
  if (!is_followed_exactly_) return Trust::guessed;
  if (settings_for(conditions).backend != allocator::Backend::native) return Trust::modelled;
  const bool models_frees =
      conditions.timing.value_or(is_recording() ? FreeTiming::recorded : FreeTiming::modelled) ==
      FreeTiming::modelled;
  return models_frees && (is_recording() || program_.streams_matter() == StreamsMatter::yes)
             ? Trust::modelled
             : Trust::exact;
}

void LoadedRecording::refuse_full_devices(const ReplayConditions& conditions) const {
  for (const History& history : histories_)
    refuse_full_device(conditions,
                       choose_memory(history.recorded, history.reservation, conditions).memory);
  const Bytes of_unknown = conditions.memory.value_or(boundless_memory);
  refuse_full_device(conditions, of_unknown);
  if (conditions.memory) return;
  for (const traces::TraceDevice& known : header_.devices)
    if (known.memory.count != 0) refuse_full_device(conditions, known.memory);
}

DeviceConditions LoadedRecording::device_conditions(const ReplayConditions& conditions) const {
  DeviceConditions of_device{*version_, settings_for(conditions),
                             conditions.memory.value_or(boundless_memory),
                             conditions.memory_fraction};
  of_device.keeps_settings = conditions.options.has_value();
  of_device.costs = conditions.costs;
  of_device.held_by_others = conditions.held_by_others;
  of_device.keeps_place_book = conditions.keeps_place_book;
  return of_device;
}

ReplayReport LoadedRecording::run(const ReplayConditions& conditions) const {
  ReplayReport report;
  report.reference = version_->name;
  try {
    if (!is_recording()) {
      run_program(conditions, report);
    } else {
      report.options = settings_for(conditions).text;
      for (const History& history : histories_) run_history(history, conditions, report);
    }
  } catch (const CompactRunError& error) {
    throw InputError(
        {file_,
         "event " + std::to_string(error.event()) + (is_recording() ? "" : " of the program"),
         "a call that may be made then", error.what()});
  }
  return report;
}

void LoadedRecording::run_program(const ReplayConditions& conditions, ReplayReport& report) const {
  DeviceConditions of_device = device_conditions(conditions);
  const FreeTiming timing = conditions.timing.value_or(FreeTiming::modelled);
  const bool streams_run =
      timing == FreeTiming::modelled && program_.streams_matter() == StreamsMatter::yes;
  const bool is_native = of_device.settings.backend == allocator::Backend::native;
  if (!is_native || streams_run || program_.needs_ids() || program_.takes_pool_streams()) {
    report = run_program_as_file(conditions, {});
    return;
  }
  of_device.timing = timing == FreeTiming::modelled ? FreeTiming::recorded : timing;
  CompactRun run(program_, tables_->texts, [&](traces::DeviceIndex device) {
    DeviceConditions own = of_device;
    if (conditions.memory) return own;
    for (const traces::TraceDevice& known : header_.devices)
      if (known.index == device && known.memory.count != 0) own.memory = known.memory;
    return own;
  });
  report.options = of_device.settings.text;
  run.run(conditions.on_out_of_memory, report);
}

ReplayReport LoadedRecording::run_program_as_file(ReplayConditions conditions,
                                                  const ReplayWatch& watch) const {
  conditions.version = version_;
  ProgramReplay replay(file_, *tables_, std::move(conditions), watch);
  replay.header(header_);
  for (std::size_t i = 0; i < program_.events().size(); ++i)
    replay.program_event(program_.event_at(i));
  return replay.finish();
}

void LoadedRecording::watch_all(const ReplayConditions& conditions,
                                const ReplayWatch& watch) const {
  if (!is_recording()) {
    run_program_as_file(conditions, watch);
    return;
  }
  ReplayReport report;
  for (const History& history : histories_) {
    DeviceConditions of_device = device_conditions(conditions);
    of_device.timing = conditions.timing.value_or(FreeTiming::recorded);
    of_device.history_capacity = conditions.history_capacity;
    of_device.scratch = conditions.scratch;
    run_whole_events({history.program, history.start, history.start_event_count},
                     {history.device, of_device}, conditions, watch, report);
  }
}

BoundlessHistories LoadedRecording::boundless_histories(const ReplayConditions& conditions) const {
  ReplayConditions all;
  // Whoever chose another allocator gets the blocks of PyTorch's own.
  if (settings().backend != allocator::Backend::native) all.options = "";
  all.memory = boundless_memory;
  all.timing = conditions.timing;
  all.scratch = conditions.scratch;
  all.on_out_of_memory = OnOutOfMemory::skip;
  all.history_capacity = unlimited_history;
  BoundlessHistories histories;
  histories.settings = settings_for(all);
  try {
    watch_all(all, watch_keeping(histories.devices));
  } catch (const CompactRunError& error) {
    throw InputError({file_, "event " + std::to_string(error.event()),
                      "a call that may be made then", error.what()});
  }
  return histories;
}

void LoadedRecording::run_history(const History& history, const ReplayConditions& conditions,
                                  ReplayReport& report) const {
  RecordedPlaces places = history.places;
  DeviceConditions of_device = device_conditions(conditions);
  of_device.memory = choose_memory(history.recorded, history.reservation, conditions).memory;
  of_device.timing = conditions.timing.value_or(FreeTiming::recorded);
  of_device.placement = [&places](const streams::PlaceRequest& request) {
    return places.place(request);
  };
  of_device.dictated_below = places.reservations_below();
  const CompactProgram& program =
      is_as_recorded(conditions) ? history.as_recorded : history.program;
  try {
    if (of_device.settings.backend == allocator::Backend::native &&
        of_device.timing != FreeTiming::modelled) {
      CompactRun run(program, tables_->texts, [&](traces::DeviceIndex) { return of_device; });
      run.adopt(history.device, history.start, history.start_event_count);
      run.run(conditions.on_out_of_memory, report);
    } else {
      run_whole_events({program, history.start, history.start_event_count},
                       {history.device, of_device}, conditions, {}, report);
    }
  } catch (const allocator::DeviceError& error) {
    throw InputError({file_, "device " + std::to_string(history.device.value),
                      "memory that the recorded starting state fits into", error.what()});
  }
  report.devices.back().recorded_peak_reserved = history.recorded.peak_reserved;
  report.devices.back().recorded_peak_requested = history.recorded.peak_requested;
}

}  // namespace vramlab::replay
