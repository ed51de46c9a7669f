// `vramlab report`: one page to look at.
#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "allocator/types/check.h"
#include "replay/html_report/report_page.h"
#include "replay/recording/history_checks.h"
#include "replay/recording/host_sections.h"
#include "replay/replayer/host_replay.h"
#include "replay/replayer/program_replay.h"
#include "replay/replayer/recording.h"
#include "replay/timeline/replayed_program.h"
#include "tools/cli/commands/report/report_page_file.h"
#include "tools/cli/kit/commands.h"
#include "tools/cli/kit/outputs.h"
#include "tools/cli/kit/progress_bar.h"
#include "tools/cli/kit/replay_arguments.h"
#include "tools/cli/printers/json_text.h"
#include "traces/formats/trace_formats.h"
#include "traces/io/byte_sink.h"
#include "traces/io/input_error.h"

namespace vramlab::tools {

/// The report page without its data, as tools/web/report/build.sh makes it; the build puts it into
/// the program.
std::string_view report_template();

namespace {

/// The place of the data; once in the template.
constexpr std::string_view report_data_mark = "@VRAMLAB_REPORT_DATA@";

/// What one run is made of.
struct ReportRunRequest {
  std::string file;
  /// Empty for what tells recordings from replays.
  std::string title;
  replay::ReplayConditions conditions;
  /// A recording is replayed under the conditions; otherwise it is shown as it is.
  bool is_replay = false;
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

/// Beside the devices, with the number that recordings have for it.
void show_host(replay::DeviceHistory host, LoadedRun& run) {
  host.device = replay::host_device;
  if (const std::string reason = impossible_part(host); !reason.empty())
    run.input.notes.push_back("pinned host memory is not shown: " + reason);
  else
    run.input.devices.push_back(std::move(host));
}

/// Once `host` is filled.
void watch_host(replay::ReplayWatch& watch, std::optional<replay::DeviceHistory>& host) {
  watch.at_host_end = [&host](const replay::HostReplay& replay) {
    host = replay.kept_history().history;
  };
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
  for (replay::DeviceHistory& host : host_history_in(run.history, run.tables).devices)
    show_host(std::move(host), run);
}

void show_replay(const ReportRunRequest& request, LoadedRun& run) {
  const replay::ReplayConditions conditions = keeping_all(request.conditions);
  const replay::Recording recording(run.input.file, run.history, run.tables, conditions.version);
  std::optional<replay::DeviceHistory> host;
  replay::ReplayWatch watch = replay::watch_keeping(run.input.devices);
  watch_host(watch, host);
  note_replay(recording.run(conditions, watch), run);
  if (host) show_host(*std::move(host), run);
  run.conditions.emplace(replay::VerifyConditions{
      recording.version(), false, {recording.settings_for(conditions), {}}});
}

void load(const ReportRunRequest& request, const traces::ProgressListener& listener,
          LoadedRun& run) {
  traces::OpenTrace trace = traces::open_trace(request.file, listener);
  run.input.file = trace.file;
  run.input.title = request.title;
  replay::PictureCollector collector(request.conditions.scratch);
  std::optional<replay::DeviceHistory> host;
  replay::ReplayWatch watch = watch_for_picture(run.input.devices, collector.spans);
  watch_host(watch, host);
  replay::ProgramReplay program(trace.file, run.tables, keeping_all(request.conditions), watch);
  traces::read_trace(trace, run.tables, {collector, program});
  run.input.spans = collector.spans.spans();
  if (program.has_events()) {
    note_replay(program.finish(), run);
    if (host) show_host(*std::move(host), run);
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

/// The run as the page holds it, packed, no more than `most_bytes` letters long: where everything
/// does not fit, less of a long history is held.
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

/// The promise: a page is no larger.
constexpr std::size_t most_page_bytes = 20'000'000;

struct ReportCommand {
  std::vector<std::string> files;
  std::vector<std::string> options;
  ReplayArguments replay;
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
std::vector<ReportRunRequest> runs_of(const ReportCommand& command) {
  std::vector<ReportRunRequest> runs;
  for (const std::string& file : command.files) {
    const std::string name = command.files.size() > 1 ? short_name(file) : std::string();
    const bool is_plain = !command.options.empty() || !command.replay.asks_for_replay();
    ReplayArguments plain;
    plain.reference = command.replay.reference;
    plain.on_out_of_memory = command.replay.on_out_of_memory;
    runs.push_back({file, name, conditions_of(is_plain ? plain : command.replay), !is_plain});
    for (const std::string& options : command.options) {
      ReplayArguments arguments = command.replay;
      arguments.options = options;
      runs.push_back({file, name + (name.empty() ? "" : ", ") + shown_options(options),
                      conditions_of(arguments), true});
    }
  }
  return runs;
}

void check_inputs(const std::vector<ReportRunRequest>& runs) {
  const auto is_input = [](const ReportRunRequest& run) { return run.file == "-"; };
  if (std::ranges::count_if(runs, is_input) > 1)
    throw traces::InputError({traces::input_name("-"), "",
                              "a file, as this goes through it more than once", "standard input"});
}

nlohmann::ordered_json json_of(const ReportRunRequest& run) {
  return {{"file", run.file}, {"options", or_null(run.conditions.options)}};
}

/// Gives what was written, as JSON.
nlohmann::ordered_json write_page(const ReportCommand& command, traces::ByteSink& output) {
  const std::string_view page = report_template();
  const std::size_t at = page.find(report_data_mark);
  check(at != std::string_view::npos, "the page has a place for its data");
  const std::vector<ReportRunRequest> runs = runs_of(command);
  check_inputs(runs);
  replay::ReportLimits limits;
  for (std::size_t count = runs.size(); count > 1; count = (count + 1) / 2)
    limits = limits.halved();
  // Each run gets the same part of what is left for the data.
  const std::size_t most_bytes = (most_page_bytes - page.size()) / runs.size() - 200;
  std::size_t bytes = 0;
  const auto write = [&](std::string_view text) {
    output.write(text);
    bytes += text.size();
  };
  nlohmann::ordered_json json = {{"schema_version", 1}, {"output", command.output.path}};
  write(page.substr(0, at));
  for (const ReportRunRequest& run : runs) {
    json["runs"].push_back(json_of(run));
    ProgressBar bar(run.file, command.flags);
    write("<script type=\"application/octet-stream\" class=\"run\">");
    write(packed_run(run, limits, most_bytes, bar.listener()));
    write("</script>\n");
  }
  write(page.substr(at + report_data_mark.size()));
  json["bytes"] = bytes;
  return json;
}

ExitStatus write_report(const ReportCommand& command) {
  OpenOutput output(command.output);
  const nlohmann::ordered_json json = write_page(command, output);
  output.finish();
  if (command.flags.json) print(json_text(json));
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
  add_output(command, arguments.output, "The page to write (.html)")->required();
  add_force(command, arguments.output);
}

}  // namespace

void write_report_page(const std::vector<std::string>& files, const OutputArguments& output) {
  ReportCommand command;
  command.files = files;
  command.output = output;
  command.flags.quiet = true;
  write_report(command);
}

Command report_command() {
  return {"report", "Write an HTML report: memory over time, states, call sites, events",
          "Example: vramlab report snapshot.pickle -o report.html",
          with<ReportCommand>(add_options, write_report)};
}

}  // namespace vramlab::tools
