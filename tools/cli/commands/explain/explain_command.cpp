// `vramlab explain`: says what happened to the memory: the failed request or the peak, who held the
// memory, and what would have helped.
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "replay/explain/explanation.h"
#include "tools/cli/kit/commands.h"
#include "tools/cli/kit/explanation_report.h"
#include "tools/cli/kit/input_files.h"
#include "tools/cli/kit/memory_timeline_text.h"
#include "tools/cli/kit/messages.h"
#include "tools/cli/kit/outputs.h"
#include "tools/cli/kit/recordings_table.h"
#include "tools/cli/kit/several_files.h"
#include "tools/cli/kit/what_if_runs.h"
#include "tools/cli/printers/json_text.h"
#include "traces/io/input_error.h"

namespace vramlab::tools {
namespace {

struct ExplainArguments {
  std::vector<std::string> files;
  std::optional<std::uint64_t> event;
  std::optional<std::int64_t> device;
  bool is_quick = false;
  ReplayArguments replay;
  std::string format;
  CommonFlags flags;
};

std::string format_of(const ExplainArguments& arguments) {
  if (arguments.flags.json && !arguments.format.empty() && arguments.format != "json")
    throw traces::InputError({"--format", "", "json, or no --json", arguments.format});
  if (arguments.flags.json) return "json";
  return arguments.format.empty() ? "text" : arguments.format;
}

/// The answer with its file in front, and below it the table of several.
std::string explain_printed(const replay::Explanation& explanation,
                            const traces::SnapshotTables& tables,
                            const std::vector<RecordingRow>& rows,
                            const ExplainArguments& arguments) {
  const std::string format = format_of(arguments);
  const GivenConditions given = given_conditions(arguments.replay);
  const std::string conditions = given.text();
  AnswerText answer = answer_of(explanation, tables, given);
  answer.headline =
      explanation.file + (conditions.empty() ? "" : " with " + conditions) + ": " + answer.headline;
  const bool is_markdown = format == "markdown";
  std::string text = is_markdown ? answer.markdown() : answer.text();
  if (rows.size() < 2) return text;
  return text + "\n" + (is_markdown ? recordings_markdown(rows) : recordings_text(rows, "  "));
}

std::string explain_json(const replay::Explanation& explanation,
                         const traces::SnapshotTables& tables,
                         const std::vector<RecordingRow>& rows, const ExplainArguments& arguments) {
  const GivenConditions given = given_conditions(arguments.replay);
  return json_text({{"schema_version", 1},
                    {"conditions", given.text()},
                    {"answer", explanation_json(explanation, tables, given)},
                    {"memory_timeline", nullptr},
                    {"recordings", recordings_json(rows)}});
}

void print_timeline(const FoundRecordings& found, const ExplainArguments& arguments) {
  const std::string format = format_of(arguments);
  if (!given_conditions(arguments.replay).text().empty())
    throw traces::InputError({arguments.files.front(), "",
                              "a recording that can be replayed under other conditions",
                              "a memory timeline"});
  if (arguments.event || arguments.device)
    throw traces::InputError({arguments.files.front(), "",
                              "a recording with events and devices, which --at and --device name",
                              "a memory timeline"});
  AnswerText answer = memory_timeline_answer(*found.timeline);
  if (format == "json")
    return print(json_text({{"schema_version", 1},
                            {"conditions", ""},
                            {"answer", nullptr},
                            {"memory_timeline",
                             {{"headline", answer.headline},
                              {"text", answer.text()},
                              {"timeline", memory_timeline_json(*found.timeline)}}},
                            {"recordings", nlohmann::ordered_json::array()}}));
  answer.headline = traces::input_name(arguments.files.front()) + ": " + answer.headline;
  print(format == "markdown" ? answer.markdown() : answer.text());
}

ExitStatus explain_files(const ExplainArguments& arguments) {
  const std::string format = format_of(arguments);
  if (arguments.event) refuse_several(arguments.files, "--at");
  if (arguments.device) refuse_several(arguments.files, "--device");
  const replay::ReplayConditions conditions = conditions_of(arguments.replay);
  LookedUnder under{conditions.version};
  if (arguments.replay.asks_for_replay()) under.replay = conditions;
  FoundRecordings found = look_at_recordings(arguments.files, arguments.flags, under);
  if (found.timeline) {
    print_timeline(found, arguments);
    return ExitStatus::done;
  }
  if (!found.worst)
    throw traces::InputError({arguments.files.front(), "", "a device with memory", "none"});
  ProgressBar bar(found.worst->file(), arguments.flags);
  bar.show("replaying");
  const replay::ExplainQuestion question{
      arguments.event, arguments.device, under.replay,
      arguments.is_quick ? replay::ExplainDepth::quick : replay::ExplainDepth::full};
  const replay::Explanation explanation =
      explain(*found.worst, question, settings_runner(), replay_effort());
  const traces::SnapshotTables& tables = found.worst->tables();
  print(format == "json" ? explain_json(explanation, tables, found.rows, arguments)
                         : explain_printed(explanation, tables, found.rows, arguments));
  return tell_refused(found.refused);
}

void add_options(CLI::App& command, ExplainArguments& arguments) {
  add_file(command, arguments.files,
           "Recordings or programs, in any format that vramlab info knows; of several the worst is "
           "explained, and a table has all (- is standard input)");
  command.add_option("--at", arguments.event,
                     "Explain the request that failed at this event, instead of the first");
  command.add_option("--device", arguments.device, "Explain this device, instead of the worst");
  command.add_flag("--quick", arguments.is_quick,
                   "Skip the replays that find what would have helped");
  add_conf(command, arguments.replay);
  add_memory_limit(command, arguments.replay);
  add_limitless_conditions(command, arguments.replay);
  command
      .add_option("--format", arguments.format,
                  "text, markdown (for a pull request) or json (default: text)")
      ->check(CLI::IsMember({"text", "markdown", "json"}));
}

}  // namespace

Command explain_command() {
  return {"explain",
          "Explain an out-of-memory or a peak: the line, who holds memory, what would help",
          "Example: vramlab explain snapshot.pickle",
          with<ExplainArguments>(add_options, explain_files)};
}

}  // namespace vramlab::tools
