// `vramlab info`: what is in a recording.

#include "replay/recording/recording_summary.h"
#include "tools/cli/commands/info/info_report.h"
#include "tools/cli/kit/commands.h"
#include "tools/cli/kit/input_files.h"
#include "tools/cli/kit/outputs.h"
#include "tools/cli/kit/progress_bar.h"
#include "traces/filters/host_recording.h"
#include "traces/formats/trace_formats.h"

namespace vramlab::tools {
namespace {

struct InfoArguments {
  std::vector<std::string> files;
  CommonFlags flags;
};

/// Also of the sections of pinned host memory, as those of a device.
class SummarizerOfAll final : public replay::RecordingSummarizer {
 public:
  explicit SummarizerOfAll(traces::SnapshotTables& tables)
      : RecordingSummarizer(tables),
        tables_(tables),
        host_(tables),
        view_(tables, {host_, none_}) {}

  void unknown_section(traces::TextId key, const traces::GenericPointer& value) override {
    RecordingSummarizer::unknown_section(key, value);
    const std::string_view name = tables_.texts.text(key);
    if (name == traces::host_segments_key || name == traces::host_traces_key)
      view_.unknown_section(key, value);
  }
  /// What the sections came to; empty where the file has none.
  std::optional<replay::DeviceSummary> host() const {
    const replay::RecordingSummary summary = host_.finish();
    if (summary.devices.empty()) return std::nullopt;
    return summary.devices.front();
  }

 private:
  traces::SnapshotTables& tables_;
  traces::ProgramCounter none_;
  replay::RecordingSummarizer host_;
  traces::HostRecording view_;
};

std::string encoding_text(const traces::SnapshotFacts& snapshot, traces::TraceFormat format) {
  if (!snapshot.pickle) return format == traces::TraceFormat::native_binary ? "binary" : "text";
  const traces::PickleFacts& facts = *snapshot.pickle;
  const char* producer = facts.producer == traces::PickleProducer::python
                             ? "written by Python"
                             : "written by PyTorch's C++ pickler";
  if (!facts.protocol) return std::string("no protocol number, ") + producer;
  return "protocol " + std::to_string(*facts.protocol) + ", " + producer;
}

InfoOutcome look_at(const std::string& path, const CommonFlags& flags) {
  ProgressBar bar(path, flags);
  traces::OpenTrace trace = open_input(path, bar.listener());
  traces::SnapshotTables tables;
  SummarizerOfAll summarizer(tables);
  traces::ProgramCounter program;
  const traces::SnapshotFacts facts = traces::read_trace(trace, tables, {summarizer, program});
  InfoOutcome outcome;
  outcome.file = trace.file;
  outcome.format = trace_format_name(trace.format);
  outcome.packing = packing_name(trace.packing);
  outcome.encoding = encoding_text(facts, trace.format);
  outcome.bytes = facts.bytes;
  outcome.summary = summarizer.finish();
  outcome.host = summarizer.host();
  std::erase_if(outcome.summary.unknown_keys, [](const std::string& key) {
    return key == traces::host_segments_key || key == traces::host_traces_key;
  });
  if (holds_programs(trace.format)) outcome.program = program.summary();
  outcome.log = facts.log;
  return outcome;
}

ExitStatus info(const InfoArguments& arguments) {
  std::vector<InfoOutcome> outcomes;
  for (const std::string& file : arguments.files) {
    outcomes.push_back(look_at(file, arguments.flags));
    if (arguments.flags.json) continue;
    print((outcomes.size() > 1 ? "\n" : "") + info_text(outcomes.back()));
  }
  if (arguments.flags.json) print(info_json(outcomes));
  return ExitStatus::done;
}

void add_options(CLI::App& command, InfoArguments& arguments) {
  add_file(command, arguments.files,
           "PyTorch memory snapshots (pickle or JSON), native traces, torch profiler traces or "
           "RMM logs (also .gz, .zst; - is standard input)");
}

}  // namespace

Command info_command() {
  return {"info", "Show what is in a recording: origin, devices, events, segments, settings",
          "Example: vramlab info snapshot.pickle", with<InfoArguments>(add_options, info)};
}

}  // namespace vramlab::tools
