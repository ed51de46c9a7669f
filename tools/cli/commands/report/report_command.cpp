// `vramlab report`: writes recordings and replays into one HTML page.
#include "tools/cli/commands/report/report_command.h"

#include <algorithm>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "allocator/types/check.h"
#include "replay/html_report/report_page.h"
#include "replay/recording/history_checks.h"
#include "replay/recording/pinned_history.h"
#include "replay/replayer/pinned_replay.h"
#include "replay/replayer/replayer.h"
#include "replay/timeline/replayed_program.h"
#include "tools/cli/kit/arguments.h"
#include "tools/cli/kit/commands.h"
#include "tools/cli/kit/explanation_report.h"
#include "tools/cli/kit/input_files.h"
#include "tools/cli/kit/messages.h"
#include "tools/cli/kit/outputs.h"
#include "tools/cli/printers/json_text.h"
#include "tools/cli/printers/shown_text.h"
#include "traces/io/byte_sink.h"
#include "traces/io/input_error.h"

namespace vramlab::tools {

/// The report page without its data, as tools/web/report/build.sh makes it; the build puts it into
/// the program.
std::string_view report_template();

namespace {

/// The place of the data; once in the template.
constexpr std::string_view report_data_mark = "@VRAMLAB_REPORT_DATA@";

/// The conditions of one run.
struct ReportRunRequest {
  /// If empty, the title is the text that tells recordings from replays.
  std::string title;
  replay::ReplayConditions conditions;
  /// A recording is replayed under the conditions; otherwise it is shown as it is.
  bool is_replay = false;
  /// For recordings that do not say what blocks hold.
  replay::KindsFrom kinds_otherwise = replay::KindsFrom::notes;
};

/// A file and its runs that are shown.
struct ReportFile {
  std::string path;
  /// Null until the file is opened, unless the caller has opened it.
  std::shared_ptr<replay::Recording> recording;
  std::vector<ReportRunRequest> runs;
};

/// A file that is shown: replayed when a run asks for that, once for all runs.
class ShownFile {
 public:
  explicit ShownFile(std::shared_ptr<replay::Recording> recording)
      : recording_(std::move(recording)) {}

  replay::Recording& recording() { return *recording_; }
  const replay::Replayer& replayer() {
    if (!replayer_) replayer_.emplace(*recording_);
    return *replayer_;
  }

 private:
  std::shared_ptr<replay::Recording> recording_;
  std::optional<replay::Replayer> replayer_;
};

/// One run, and the histories that a replay or the sections of pinned memory gave it.
class LoadedRun {
 public:
  replay::ReportInput input;
  allocator::Settings settings;

  /// The history must outlive the run. Throws InputError if no allocator can have made it.
  void show(const replay::DeviceHistory& history, const replay::ExplainedHistory& explained) {
    if (history.events.empty() && history.final_segments.empty()) return;
    if (std::string reason = impossible_part(history); !reason.empty())
      throw traces::InputError({input.file, "device " + std::to_string(history.device),
                                "a history that an allocator can have", reason});
    input.devices.push_back({history, explained});
  }

  void show_of(replay::Recording& recording, const replay::DeviceHistory& device) {
    const bool is_possible = impossible_part(device).empty();
    show(device, is_possible ? recording.walk(device) : recording.explained(device));
  }

  void show_own(replay::DeviceHistory history, const replay::VerifyConditions& conditions) {
    if (!impossible_part(history).empty()) return show(history, {});
    KeptHistory& kept = *kept_.emplace_back(std::make_unique<KeptHistory>());
    kept.history = std::move(history);
    kept.explained = walk_history(kept.history, conditions);
    show(kept.history, kept.explained);
  }

  /// Pinned memory stands beside the devices, with the number that recordings give it.
  void show_pinned(replay::DeviceHistory host, const replay::VerifyConditions& conditions) {
    host.device = replay::host_device;
    if (const std::string reason = impossible_part(host); !reason.empty())
      input.notes.push_back("pinned host memory is not shown: " + reason);
    else
      show_own(std::move(host), conditions);
  }

 private:
  struct KeptHistory {
    replay::DeviceHistory history;
    replay::ExplainedHistory explained;
  };
  std::vector<std::unique_ptr<KeptHistory>> kept_;
};

void show_as_recorded(replay::Recording& recording, replay::KindsFrom otherwise, LoadedRun& run) {
  const replay::VerifyConditions& rules = recording.rules();
  run.settings = rules.settings.settings;
  run.input.reference = rules.version.name;
  run.input.options = run.settings.text;
  if (!rules.settings.doubt.empty()) run.input.notes.push_back(rules.settings.doubt);
  if (rules.version_is_guessed)
    run.input.notes.push_back("the rules are guessed from the file: those of PyTorch " +
                              std::string(rules.version.name));
  for (const replay::DeviceHistory& device : recording.history().devices)
    run.show_of(recording, device);
  for (const replay::DeviceHistory& host : recording.pinned().devices) run.show_pinned(host, rules);
  run.input.spans = annotation_spans(recording.history());
  run.input.kinds = find_kinds(recording, otherwise);
  if (run.input.kinds)
    std::ranges::copy(run.input.kinds->doubts, std::back_inserter(run.input.notes));
}

void show_replay(ShownFile& file, const replay::ReplayConditions& asked, LoadedRun& run) {
  const replay::ReplayConditions conditions = replay::keeping_all(asked);
  replay::Recording& recording = file.recording();
  const replay::Replayer& replayer = file.replayer();
  std::vector<replay::DeviceHistory> devices;
  std::optional<replay::DeviceHistory> host;
  replay::AnnotationCollector spans;
  replay::ReplayWatch watch =
      recording.is_program() ? watch_for_picture(devices, spans) : replay::watch_keeping(devices);
  watch.at_host_end = [&host](const replay::HostReplay& replay) {
    host = replay.kept_history().history;
  };
  const replay::ReplayReport report = replayer.run(conditions, watch);
  run.settings = replayer.settings_for(conditions);
  run.input.origin = replay::ReportOrigin::replayed;
  run.input.reference = replayer.version().name;
  run.input.options = report.options;
  run.input.notes = report.notes;
  if (report.stopped_at)
    run.input.notes.push_back("the replay stops at an out-of-memory, event " +
                              std::to_string(*report.stopped_at) + " of the file");
  const replay::VerifyConditions made_under{replayer.version(), false, {run.settings, {}}};
  for (replay::DeviceHistory& device : devices) run.show_own(std::move(device), made_under);
  if (host) run.show_pinned(*std::move(host), made_under);
  run.input.spans = recording.is_program() ? spans.spans() : annotation_spans(recording.history());
}

LoadedRun load(ShownFile& file, const ReportRunRequest& request) {
  LoadedRun run;
  run.input.file = file.recording().file();
  run.input.title = request.title;
  if (request.is_replay || file.recording().is_program())
    show_replay(file, request.conditions, run);
  else
    show_as_recorded(file.recording(), request.kinds_otherwise, run);
  if (run.input.devices.empty())
    throw traces::InputError({run.input.file, "", "a device with something to show", "none"});
  if (run.input.title.empty())
    run.input.title = run.input.origin == replay::ReportOrigin::recorded ? "as recorded"
                      : request.is_replay                                ? "replayed"
                                                                         : "as in the file";
  return run;
}

/// The length of the JSON in four bytes, the lowest first, then the JSON, then the data it points
/// to.
std::string packed(const nlohmann::ordered_json& json, const std::string& bytes) {
  const std::string text = compact_json_text(json);
  std::string all;
  for (int shift = 0; shift < 32; shift += 8) all += static_cast<char>(text.size() >> shift & 0xff);
  all += text;
  all += bytes;
  return traces::base64_text(traces::gzip_packed(all));
}

/// The page's first panel; null for a replay, and for a recording of pinned host memory alone.
nlohmann::ordered_json answer_about(replay::Recording& recording, const LoadedRun& run) {
  const bool has_device = std::ranges::any_of(run.input.devices, [](const auto& device) {
    return device.history.device != replay::host_device;
  });
  if (run.input.origin != replay::ReportOrigin::recorded || !has_device) return nullptr;
  const replay::Explanation explanation = explain(
      recording, {.depth = replay::ExplainDepth::glance}, settings_runner(), replay_effort());
  const AnswerText answer = answer_of(explanation, recording.tables());
  return {{"headline", answer.headline}, {"lines", json_list(answer.lines, answer_line_json)}};
}

/// The run as the page holds it, packed, in at most `most_bytes` characters. If a long history does
/// not fit, the page holds less of it.
std::string packed_run(ShownFile& file, const ReportRunRequest& request,
                       const replay::ReportLimits& limits, std::size_t most_bytes,
                       ProgressBar& bar) {
  LoadedRun run = load(file, request);
  run.input.progress = [&bar](std::uint64_t done, std::uint64_t total) {
    bar.show(WorkProgress{done, total});
  };
  const nlohmann::ordered_json answer = answer_about(file.recording(), run);
  constexpr int most_tries = 13;
  replay::ReportLimits now = limits;
  for (int i = 0; i < most_tries; ++i, now = now.lowered()) {
    std::string bytes;
    nlohmann::ordered_json json =
        report_run(run.input, file.recording().tables(), run.settings, now, bytes);
    json["answer"] = answer;
    std::string text = packed(json, bytes);
    if (text.size() <= most_bytes) return text;
  }
  throw traces::InputError({run.input.file, "", "a recording that a page can hold",
                            "one with too many blocks and stacks"});
}

/// No page is larger.
constexpr std::size_t most_page_bytes = 20'000'000;

struct ReportCommand {
  std::vector<std::string> files;
  std::vector<std::string> options;
  ReplayArguments replay;
  std::string kinds = "recorded";
  OutputArguments output;
  CommonFlags flags;
};

std::string short_name(const std::string& file) {
  return file == "-" ? "standard input" : std::filesystem::path(file).filename().string();
}

std::string shown_options(const std::string& options) {
  return options.empty() ? "no options" : options;
}

/// Each file as it is, then under each of the options.
std::vector<ReportFile> files_of(const ReportCommand& command) {
  const bool is_plain = !command.options.empty() || !command.replay.asks_for_replay();
  ReplayArguments plain;
  plain.reference = command.replay.reference;
  plain.on_out_of_memory = command.replay.on_out_of_memory;
  std::vector<ReportFile> files;
  for (const std::string& path : command.files) {
    ReportFile& file = files.emplace_back(ReportFile{path, nullptr, {}});
    const std::string name = command.files.size() > 1 ? short_name(path) : std::string();
    file.runs.push_back({name, conditions_of(is_plain ? plain : command.replay), !is_plain,
                         kinds_source(command.kinds)});
    for (const std::string& options : command.options) {
      ReplayArguments arguments = command.replay;
      arguments.options = options;
      file.runs.push_back({name + (name.empty() ? "" : ", ") + shown_options(options),
                           conditions_of(arguments), true, replay::KindsFrom::notes});
    }
  }
  return files;
}

void check_inputs(const ReportCommand& command) {
  if (std::ranges::count(command.files, "-") > 1)
    throw traces::InputError(
        {traces::input_name("-"), "", "it once among the files, as it is read once", "it again"});
}

nlohmann::ordered_json json_of(const std::string& file, const ReportRunRequest& run) {
  return {{"file", file}, {"options", or_null(run.conditions.options)}};
}

/// Writes the page around the data of runs and counts its bytes.
class PageWriter {
 public:
  explicit PageWriter(traces::ByteSink& output)
      : output_(output), at_(report_template().find(report_data_mark)) {
    check(at_ != std::string_view::npos, "the page has a place for its data");
    write(report_template().substr(0, at_));
  }
  void add_run(std::string_view packed) {
    write("<script type=\"application/octet-stream\" class=\"run\">");
    write(packed);
    write("</script>\n");
  }
  /// Says how many bytes the page has.
  std::size_t finish() {
    write(report_template().substr(at_ + report_data_mark.size()));
    return bytes_;
  }

 private:
  void write(std::string_view text) {
    output_.write(text);
    bytes_ += text.size();
  }

  traces::ByteSink& output_;
  std::size_t at_;
  std::size_t bytes_ = 0;
};

/// A file is open while its runs are written. Returns the list of what was written, as JSON.
nlohmann::ordered_json write_page(const ReportCommand& command, std::vector<ReportFile> files,
                                  traces::ByteSink& output) {
  std::size_t run_count = 0;
  for (const ReportFile& file : files) run_count += file.runs.size();
  replay::ReportLimits limits;
  for (std::size_t count = run_count; count > 1; count = (count + 1) / 2) limits = limits.halved();
  // Each run gets the same part of the space left for data.
  const std::size_t most_bytes = (most_page_bytes - report_template().size()) / run_count - 200;
  nlohmann::ordered_json json = {{"schema_version", 1}, {"output", command.output.path}};
  PageWriter page(output);
  for (ReportFile& file : files) {
    ProgressBar bar(file.path, command.flags);
    const ReferenceVersion* const version = file.runs.front().conditions.version;
    ShownFile shown(file.recording
                        ? std::exchange(file.recording, nullptr)
                        : std::shared_ptr(open_recording(file.path, bar.listener(), {version})));
    for (const ReportRunRequest& run : file.runs) {
      bar.show("draws run " + std::to_string(json["runs"].size() + 1) + " of " +
               std::to_string(run_count));
      json["runs"].push_back(json_of(file.path, run));
      page.add_run(packed_run(shown, run, limits, most_bytes, bar));
    }
  }
  json["bytes"] = page.finish();
  return json;
}

/// Beside the recording: `runs/a.html` for `runs/a.pickle.gz`.
std::string page_beside(const std::string& recording) {
  if (recording == "-")
    throw traces::InputError(
        {"-o", "", "the name of the page, as standard input has none", "nothing"});
  std::filesystem::path path = recording;
  if (path.extension() == ".gz" || path.extension() == ".zst") path.replace_extension();
  return path.replace_extension(".html").string();
}

/// A page with a name of our choice is told; JSON has the name anyway.
ExitStatus write_report(const ReportCommand& asked) {
  check_inputs(asked);
  ReportCommand command = asked;
  if (asked.output.path.empty()) command.output.path = page_beside(asked.files.front());
  if (!command.output.is_file() && command.flags.json)
    throw traces::InputError({"-o", "", "a file beside --json", "standard output"});
  OpenOutput output(command.output, command.files);
  const nlohmann::ordered_json json = write_page(command, files_of(command), output);
  output.finish();
  if (command.flags.json)
    print(json_text(json));
  else if (asked.output.path.empty())
    print(shown_name(command.output.path) + "\n");
  return ExitStatus::done;
}

void add_options(CLI::App& command, ReportCommand& arguments) {
  add_file(command, arguments.files,
           "Recordings or programs, in any format that vramlab info knows; several are "
           "shown side by side (- is standard input)");
  add_several_confs(
      command, arguments.options,
      "Options (PYTORCH_CUDA_ALLOC_CONF) to show a replay under, beside the recording");
  add_replay_conditions(command, arguments.replay);
  add_kinds_option(command, arguments.kinds);
  add_output(command, arguments.output,
             "The page to write (default: beside the first recording, with the ending .html; - is "
             "standard output)");
  add_force(command, arguments.output);
}

}  // namespace

void write_report_page(const std::vector<std::string>& names,
                       const std::vector<std::shared_ptr<replay::Recording>>& recordings,
                       const OutputArguments& output) {
  ReportCommand command;
  command.files = names;
  command.output = output;
  command.flags.quiet = true;
  std::vector<ReportFile> files = files_of(command);
  for (std::size_t i = 0; i < files.size(); ++i) files[i].recording = recordings[i];
  OpenOutput opened(output, names);
  write_page(command, std::move(files), opened);
  opened.finish();
}

Command report_command() {
  return {"report", "Write an HTML report: memory over time, states, call sites, events",
          "Example: vramlab report snapshot.pickle -o report.html",
          with<ReportCommand>(add_options, write_report)};
}

}  // namespace vramlab::tools
