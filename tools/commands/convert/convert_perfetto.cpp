#include "tools/commands/convert/convert_perfetto.h"

#include <spdlog/spdlog.h>

#include "replay/history/history_checks.h"
#include "replay/run/program_replay.h"
#include "replay/timeline/perfetto_trace.h"
#include "replay/timeline/replayed_program.h"
#include "tools/kit/arguments.h"
#include "traces/files/input_error.h"
#include "traces/formats/trace_formats.h"

namespace vramlab::tools {
namespace {

/// A history, and beside it the annotations.
class PerfettoCollector : public replay::HistoryCollector {
 public:
  using HistoryCollector::HistoryCollector;

  void annotation(const traces::AnnotationValue& annotation) override { spans.add(annotation); }

  replay::AnnotationCollector spans;
};

replay::MemoryTimeline timeline_of(const replay::DeviceHistory& device, const std::string& file,
                                   const replay::VerifyConditions& conditions) {
  const std::string place = "device " + std::to_string(device.device);
  if (std::string reason = impossible_part(device); !reason.empty())
    throw traces::InputError({file, place, "a history that an allocator can have", reason});
  replay::MemoryTimeline timeline = find_timeline(device, conditions);
  for (const std::string& doubt : timeline.doubts) spdlog::warn("{}, {}: {}", file, place, doubt);
  return timeline;
}

/// Those of the replay, or those that the recording says.
replay::VerifyConditions conditions_of(const replay::RecordedHistory& history,
                                       const replay::ProgramReplay& program,
                                       const traces::TextTable& texts) {
  if (program.has_events()) return {program.version(), false, {program.settings(), {}}};
  return verify_conditions(history, texts, nullptr);
}

bool leaves_out(const traces::RecordFilter& filter) {
  return filter.from_ns || filter.to_ns || filter.device || filter.stream;
}

}  // namespace

void check_perfetto_steps(const ConvertSteps& steps) {
  const traces::RecordFilter& filter = steps.filter;
  if (filter.from_ns || filter.to_ns || filter.stream)
    throw traces::InputError({"a Perfetto trace", "",
                              "a whole history, without --from, --to and --stream (the viewer can "
                              "zoom)",
                              "one of them"});
}

void convert_to_perfetto(traces::OpenTrace& trace, const ConvertSteps& steps,
                         traces::ByteSink& output) {
  traces::SnapshotTables tables;
  replay::ReplayConditions replayed;
  replayed.scratch = scratch_place();
  PerfettoCollector collector(replayed.scratch);
  replayed.on_out_of_memory = replay::OnOutOfMemory::skip;
  std::vector<replay::DeviceHistory> histories;
  replay::ProgramReplay program(trace.file, tables, keeping_all(replayed),
                                watch_for_picture(histories, collector.spans));
  ConvertChain chain(steps, tables, {collector, program});
  traces::read_trace(trace, tables, chain.sinks());
  replay::RecordedHistory history = collector.take();
  if (program.has_events()) {
    program.finish();
    history.devices = std::move(histories);
  }
  const replay::VerifyConditions conditions = conditions_of(history, program, tables.texts);
  std::vector<replay::MemoryTimeline> timelines;
  for (const replay::DeviceHistory& device : history.devices)
    if (!device.events.empty() || !device.final_segments.empty())
      timelines.push_back(timeline_of(device, trace.file, conditions));
  traces::PerfettoWriter writer(output);
  write_perfetto(timelines, collector.spans.spans(), tables.texts, writer);
  writer.finish();
}

ConvertChain::ConvertChain(const ConvertSteps& steps, traces::SnapshotTables& tables,
                           traces::NativeSinks end)
    : end_(end) {
  if (steps.anonymizes)
    filters_.push_back(std::make_unique<traces::AnonymizedRecording>(tables, sinks()));
  if (steps.strips_frames) filters_.push_back(std::make_unique<traces::StrippedFrames>(sinks()));
  if (leaves_out(steps.filter))
    filters_.push_back(std::make_unique<traces::FilteredRecording>(steps.filter, sinks()));
}

}  // namespace vramlab::tools
