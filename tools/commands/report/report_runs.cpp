#include "tools/commands/report/report_runs.h"

#include <nlohmann/json.hpp>

#include "replay/run/program_replay.h"
#include "replay/run/recording.h"
#include "replay/timeline/replayed_program.h"
#include "tools/printers/json_text.h"
#include "traces/files/gzip_text.h"
#include "traces/files/input_error.h"
#include "traces/formats/read_snapshot.h"

namespace vramlab::tools {
namespace {

/// A history, and beside it what else the page shows of a snapshot.
class ReportCollector : public replay::HistoryCollector {
 public:
  using HistoryCollector::HistoryCollector;

  void annotation(const traces::AnnotationValue& annotation) override { spans.add(annotation); }

  replay::AnnotationCollector spans;
};

struct LoadedRun {
  replay::ReportInput input;
  traces::SnapshotTables tables;
  replay::RecordedHistory history;
  std::optional<replay::VerifyConditions> conditions;
};

void note_replay(const replay::ReplayReport& report, LoadedRun& run) {
  run.input.origin = replay::ReportOrigin::replayed;
  run.input.options = report.options;
  run.input.notes = report.notes;
  if (report.stopped_at)
    run.input.notes.push_back("the replay stops at an out-of-memory, event " +
                              std::to_string(*report.stopped_at) + " of the file");
}

void show_as_recorded(const ReportRunRequest& request, LoadedRun& run) {
  run.conditions.emplace(
      verify_conditions(run.history, run.tables.texts, request.conditions.version));
  run.input.options = run.conditions->settings.settings.text;
  if (!run.conditions->settings.doubt.empty())
    run.input.notes.push_back(run.conditions->settings.doubt);
  if (run.conditions->version_is_guessed)
    run.input.notes.push_back("the version of the allocator is guessed from the file: " +
                              std::string(run.conditions->version.name));
  run.input.devices = std::move(run.history.devices);
}

void show_replay(const ReportRunRequest& request, LoadedRun& run) {
  const replay::ReplayConditions conditions = keeping_all(request.conditions);
  const replay::Recording recording(run.input.file, run.history, run.tables.texts,
                                    conditions.version);
  note_replay(recording.run(conditions, replay::watch_keeping(run.input.devices)), run);
  run.conditions.emplace(replay::VerifyConditions{
      recording.version(), false, {recording.settings_for(conditions), {}}});
}

void load(const ReportRunRequest& request, const traces::ProgressListener& listener,
          LoadedRun& run) {
  traces::OpenTrace trace = traces::open_trace(request.file, listener);
  run.input.file = trace.file;
  run.input.title = request.title;
  ReportCollector collector(request.conditions.scratch);
  replay::ProgramReplay program(trace.file, run.tables, keeping_all(request.conditions),
                                watch_for_picture(run.input.devices, collector.spans));
  traces::read_trace(trace, run.tables, {collector, program});
  run.input.spans = collector.spans.spans();
  if (program.has_events()) {
    note_replay(program.finish(), run);
    run.conditions.emplace(
        replay::VerifyConditions{program.version(), false, {program.settings(), {}}});
  } else {
    run.history = collector.take();
    if (request.is_replay)
      show_replay(request, run);
    else
      show_as_recorded(request, run);
  }
  if (run.input.devices.empty())
    throw traces::InputError({run.input.file, "", "a device with something to show", "none"});
  run.input.reference = run.conditions->version.name;
  if (run.input.title.empty())
    run.input.title = run.input.origin == replay::ReportOrigin::recorded ? "as recorded"
                      : request.is_replay                                ? "replayed"
                                                                         : "as in the file";
}

/// The length of the JSON in four bytes, the lowest first, the JSON, and what it points to.
std::string packed(const nlohmann::ordered_json& json, const std::string& bytes) {
  const std::string text = compact_json_text(json);
  std::string all;
  for (int shift = 0; shift < 32; shift += 8) all += static_cast<char>(text.size() >> shift & 0xff);
  all += text;
  all += bytes;
  return traces::base64_text(traces::gzip_packed(all));
}

}  // namespace

std::string packed_run(const ReportRunRequest& request, const replay::ReportLimits& limits,
                       std::size_t most_bytes, const traces::ProgressListener& listener) {
  LoadedRun run;
  load(request, listener, run);
  constexpr int most_halvings = 12;
  replay::ReportLimits now = limits;
  for (int i = 0; i < most_halvings; ++i, now = now.halved()) {
    std::string bytes;
    const nlohmann::ordered_json json =
        report_run(run.input, run.tables, *run.conditions, now, bytes);
    std::string text = packed(json, bytes);
    if (text.size() <= most_bytes) return text;
  }
  throw traces::InputError({request.file, "", "a recording that a page can hold",
                            "one with too many blocks and stacks"});
}

}  // namespace vramlab::tools
