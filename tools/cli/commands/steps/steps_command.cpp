// `vramlab steps`: shows a program event by event, with the rules of the allocator that acted.
#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "allocator/checks/out_of_memory.h"
#include "allocator/types/check.h"
#include "allocator/types/reference_version.h"
#include "replay/explain/device_overview.h"
#include "replay/replayer/replay_report.h"
#include "replay/replayer/step.h"
#include "tools/cli/commands/steps/rule_texts.h"
#include "tools/cli/kit/arguments.h"
#include "tools/cli/kit/commands.h"
#include "tools/cli/kit/input_files.h"
#include "tools/cli/kit/messages.h"
#include "tools/cli/kit/outputs.h"
#include "tools/cli/printers/json_text.h"
#include "tools/cli/printers/shown_text.h"
#include "tools/cli/printers/text_lines.h"
#include "traces/io/input_error.h"
#include "traces/io/letters.h"
#include "traces/model/snapshot_tables.h"
#include "traces/native/native_script_writer.h"
#include "traces/native/native_text_writer.h"
#include "traces/native/script_line.h"

namespace vramlab::tools {
namespace {

using nlohmann::ordered_json;
using replay::Step;

/// The spelling of events and of blocks' names: that of the file.
enum class Spelling : std::uint8_t { records, script };

/// The same file by the rules of another version.
struct StepsBeside {
  ReplayedFile file;
  replay::ReplayReport report;
  std::vector<replay::Step> steps;
};

struct StepsOutcome {
  std::string file;
  Spelling spelling = Spelling::records;
  replay::ReplayReport report;
  std::vector<replay::Step> steps;
  std::optional<StepsBeside> beside;
  replay::StepRange range;
};

constexpr std::size_t action_width = 15;

/// The number of a rule, such as `5.2`.
std::string rule_name(allocator::Rule rule) {
  return std::to_string(rule.section) + "." + std::to_string(rule.number);
}

/// The text of a rule without the marks of Markdown.
std::string rule_text(allocator::Rule rule) {
  const auto row = std::ranges::find(rule_texts(), rule, &RuleText::rule);
  if (row == rule_texts().end()) return "";
  std::string text(row->text);
  std::erase(text, '`');
  return text;
}

class LastRecord : public traces::LineSink {
 public:
  void line(std::string_view line, traces::LineKind kind) override {
    if (kind == traces::LineKind::record) text = line;
  }
  std::string text;
};

/// The event as its record in a native trace, with its text in place and without its stack.
std::string record_text(const traces::ProgramEvent& event, const traces::SnapshotTables& tables) {
  LastRecord last;
  traces::ProgramEvent told = event;
  told.stack = {};
  traces::NativeRecordWriter writer(last, tables);
  traces::TraceHeader header;
  header.version = traces::trace_version_of(event.kind);
  writer.header(header);
  writer.program_event(told);
  // A long text stands elsewhere in a trace, and is the first text of this one.
  constexpr std::string_view reference = "{\"$text\":1}";
  if (const std::size_t at = last.text.find(reference); at != std::string::npos) {
    std::string text;
    traces::add_json_text(text, tables.texts.text(event.text));
    last.text.replace(at, reference.size(), text);
  }
  return last.text;
}

bool is_pinned(const Step& step) { return step.memory == replay::StepMemory::pinned; }

std::string entry_line(const AllocatorEvent& entry, const Step& step) {
  const std::string place = entry.action == Action::oom
                                ? ", " + format_bytes(Bytes{entry.address.value}) + " free"
                                : " at " + name_of(entry.address);
  return "  " + padded(std::string(action_name(entry.action)), action_width) +
         format_bytes(entry.size) + place +
         (is_pinned(step) ? ", pinned" : ", stream " + std::to_string(entry.stream.value)) + "\n";
}

std::string block_name(std::uint64_t id, Spelling spelling) {
  return spelling == Spelling::script ? traces::name_of_number(id) : std::to_string(id);
}

std::string block_text(const SnapshotBlock& block, const Step& step, Spelling spelling) {
  const auto named = step.ids.find(block.address);
  std::string text = "[";
  if (block.state == BlockState::inactive)
    text += "free ";
  else if (named != step.ids.end())
    text += block_name(named->second, spelling) + ": ";
  text += format_bytes(block.size);
  return text + (block.state == BlockState::active_pending_free ? " waits]" : "]");
}

std::string segment_line(const SnapshotSegment& segment, const Step& step, Spelling spelling) {
  std::string line = "  " + padded("segment", action_width) + format_bytes(segment.total_size) +
                     " at " + name_of(segment.address) + ", ";
  if (is_pinned(step))
    line += "pinned";
  else
    line += std::string(pool_kind_name(segment.kind)) +
            (segment.is_expandable ? ", expandable" : "") + ", stream " +
            std::to_string(segment.stream.value);
  if (segment.pool != allocator::default_pool) line += ", pool " + name_of(segment.pool);
  line += ":";
  for (const SnapshotBlock& block : segment.blocks) line += " " + block_text(block, step, spelling);
  return line + "\n";
}

/// The line of the program that asked stands before the message.
std::string failure_text(const Step& step, const traces::SnapshotTables& tables) {
  const std::string place = replay::line_of(step.event.stack, tables);
  return (place.empty() ? "" : "out of memory at " + place + ": ") +
         out_of_memory_message(*step.failure);
}

/// Blocks that are passed over, of which so many have a line.
constexpr std::size_t most_passed_over = 3;

std::string passed_over_text(const Step& step) {
  std::string text;
  const auto shown = std::min(step.passed_over.size(), most_passed_over);
  for (std::size_t i = 0; i < shown; ++i) {
    const replay::PassedOver& block = step.passed_over[i];
    text += "  " + padded("passed over", action_width) + format_bytes(block.size) + " at " +
            name_of(block.address) + ": " + std::string(reason_text(block.reason)) + " (rule " +
            rule_name(rule_of(block.reason)) + ")\n";
  }
  if (const std::size_t left = step.passed_over.size() - shown; left > 0)
    text += "  " + padded("", action_width) + "and " + std::to_string(left) + " more\n";
  return text;
}

std::string not_split_text(const Step& step) {
  if (!step.kept_rest) return {};
  return "  " + padded("not split", action_width) + "a rest of " +
         format_bytes(step.kept_rest->size) +
         " stays with the block: " + std::string(reason_text(step.kept_rest->reason)) + " (rule " +
         rule_name(rule_of(step.kept_rest->reason)) + ")\n";
}

/// `segment 2 (+1)`: the name as in torch.cuda.memory_stats(), without the parts that all have.
std::string change_text(const replay::CounterChange& change) {
  const auto amount = [&](std::int64_t value) {
    return change.is_bytes ? format_bytes(Bytes{static_cast<std::uint64_t>(value)})
                           : std::to_string(value);
  };
  const bool grows = change.after > change.before;
  return std::string(change.name.substr(0, change.name.find('.'))) + " " + amount(change.after) +
         " (" + (grows ? "+" : "-") +
         amount(grows ? change.after - change.before : change.before - change.after) + ")";
}

std::string counters_text(const Step& step) {
  const std::string indentation(2 + action_width, ' ');
  std::string text;
  std::string line;
  for (const replay::CounterChange& change : step.counters) {
    const std::string one = change_text(change);
    if (!line.empty() && indentation.size() + line.size() + one.size() + 2 > widest_line)
      text += indentation + std::exchange(line, {}) + ",\n";
    line += (line.empty() ? "" : ", ") + one;
  }
  if (line.empty()) return {};
  text += indentation + line + "\n";
  return text.replace(0, indentation.size(), "  " + padded("counters", action_width));
}

/// The lines of each memory's segments at its last step.
using SegmentLines =
    std::map<std::pair<replay::StepMemory, traces::DeviceIndex>, std::set<std::string>>;

/// Segments that are not as they were; of the others the number.
std::string segments_text(const Step& step, Spelling spelling, SegmentLines& last_lines) {
  // Pinned memory is that of all devices.
  std::set<std::string>& before =
      last_lines[{step.memory, is_pinned(step) ? traces::DeviceIndex{} : step.event.device}];
  std::set<std::string> now;
  std::string text;
  std::size_t unchanged = 0;
  for (const SnapshotSegment& segment : step.state.segments) {
    const std::string line = segment_line(segment, step, spelling);
    if (before.contains(line))
      ++unchanged;
    else
      text += line;
    now.insert(line);
  }
  before = std::move(now);
  if (unchanged == 0) return text;
  return text + "  " + padded("as before", action_width) +
         counted(unchanged, "segment", "segments") + "\n";
}

std::string event_line(const Step& step, Spelling spelling, const traces::SnapshotTables& tables) {
  return "event " + std::to_string(step.number) + ": " +
         shown_name(spelling == Spelling::script ? traces::script_line_of(step.event, tables)
                                                 : record_text(step.event, tables)) +
         "\n";
}

/// The lines below that of the event.
std::string deeds_text(const Step& step, Spelling spelling, const traces::SnapshotTables& tables,
                       SegmentLines& last_lines) {
  std::string text;
  for (const AllocatorEvent& entry : step.entries) text += entry_line(entry, step);
  if (step.failure) text += "  " + failure_text(step, tables) + "\n";
  for (const allocator::Rule rule : step.rules)
    text += "  " + padded("rule " + rule_name(rule), action_width) + rule_text(rule) + "\n";
  text += passed_over_text(step) + not_split_text(step) +
          segments_text(step, spelling, last_lines) + counters_text(step);
  return text + "  " + padded("memory", action_width) + format_bytes(step.allocated) +
         " allocated, " + format_bytes(step.reserved) +
         (is_pinned(step) ? " pinned\n" : " reserved\n");
}

/// The events of both replays: what both say is shown once.
class BothTexts {
 public:
  BothTexts(const StepsOutcome& outcome, const traces::SnapshotTables& tables)
      : outcome_(outcome), tables_(tables) {
    for (std::size_t i = 0; i < outcome.steps.size(); ++i) add(i);
    if (outcome.beside && outcome.steps.size() < outcome.beside->steps.size())
      text_ += "\n" + version(outcome.report) + " ends earlier than " +
               version(outcome.beside->report) + ".\n";
  }

  const std::string& text() const { return text_; }
  std::string summary() const {
    return "beside the rules of " + version(outcome_.beside->report) + ": " +
           (differing_ == 0 ? "no event differs"
                            : counted(differing_, "event differs", "events differ") +
                                  ", the first is event " + std::to_string(first_));
  }

 private:
  static std::string version(const replay::ReplayReport& report) {
    return "PyTorch " + std::string(report.reference);
  }

  void add(std::size_t place) {
    const Step& step = outcome_.steps[place];
    text_ += "\n" + event_line(step, outcome_.spelling, tables_);
    const std::string own = deeds_text(step, outcome_.spelling, tables_, lines_);
    if (!outcome_.beside) {
      text_ += own;
      return;
    }
    std::string other = "  the replay is over\n";
    if (place < outcome_.beside->steps.size())
      other = deeds_text(outcome_.beside->steps[place], outcome_.spelling,
                         outcome_.beside->file.replayer.tables(), other_lines_);
    if (own == other) {
      text_ += own;
      return;
    }
    if (differing_++ == 0) first_ = step.number;
    text_ += " " + version(outcome_.report) + "\n" + own + " " + version(outcome_.beside->report) +
             "\n" + other;
  }

  const StepsOutcome& outcome_;
  const traces::SnapshotTables& tables_;
  std::string text_;
  SegmentLines lines_;
  SegmentLines other_lines_;
  std::uint64_t differing_ = 0;
  std::uint64_t first_ = 0;
};

std::string conditions_text(const replay::ReplayReport& report) {
  std::string text = "rules of PyTorch " + std::string(report.reference) + ", " +
                     (report.options.empty() ? "no options" : report.options);
  for (const replay::DeviceReport& device : report.devices)
    if (!device.memory_origin.empty())
      text +=
          "; device " + std::to_string(device.device.value) + ": " + format_bytes(device.memory);
  return text;
}

std::uint64_t last_event_of(const replay::ReplayReport& report) {
  std::uint64_t last = 0;
  for (const replay::DeviceReport& device : report.devices)
    last = std::max(last, device.curve.last_event());
  return last;
}

std::string steps_text(const StepsOutcome& outcome, const traces::SnapshotTables& tables) {
  std::string text = shown_name(outcome.file + "; " + conditions_text(outcome.report)) + "\n";
  const BothTexts both(outcome, tables);
  if (outcome.beside) text += both.summary() + "\n";
  text += both.text();
  if (outcome.report.stopped_at && outcome.range.contains(*outcome.report.stopped_at))
    text += "\nThe program ends here: a request failed (--on-oom skip goes on).\n";
  const std::uint64_t end = outcome.range.first + outcome.range.count;
  if (last_event_of(outcome.report) >= end)
    text += "\nThe next events: --from " + std::to_string(end) + "\n";
  for (const std::string& note : outcome.report.notes) text += "\nnote: " + shown_name(note) + "\n";
  return text;
}

ordered_json pool_json(PoolId pool) { return ordered_json::array({pool.graph, pool.user}); }

ordered_json entry_json(const AllocatorEvent& entry) {
  ordered_json json = {{"action", action_name(entry.action)}};
  json[entry.action == Action::oom ? "device_free_bytes" : "address"] = entry.address.value;
  json["bytes"] = entry.size.count;
  json["stream"] = entry.stream.value;
  return json;
}

ordered_json passed_over_json(const replay::PassedOver& block) {
  return {{"address", block.address.value},
          {"bytes", block.size.count},
          {"reason", reason_text(block.reason)},
          {"rule", rule_name(rule_of(block.reason))}};
}

ordered_json not_split_json(const std::optional<replay::KeptRest>& rest) {
  if (!rest) return nullptr;
  return {{"rest_bytes", rest->size.count},
          {"reason", reason_text(rest->reason)},
          {"rule", rule_name(rule_of(rest->reason))}};
}

ordered_json counter_json(const replay::CounterChange& change) {
  return {{"name", change.name}, {"before", change.before}, {"after", change.after}};
}

ordered_json segment_json(const SnapshotSegment& segment, const Step& step) {
  return {{"address", segment.address.value},
          {"bytes", segment.total_size.count},
          {"stream", segment.stream.value},
          {"kind", is_pinned(step) ? "pinned" : pool_kind_name(segment.kind)},
          {"pool", pool_json(segment.pool)},
          {"is_expandable", segment.is_expandable},
          {"blocks", json_list(segment.blocks, [&](const SnapshotBlock& block) {
             const auto named = step.ids.find(block.address);
             const bool has_name = named != step.ids.end() && block.state != BlockState::inactive;
             return ordered_json{
                 {"address", block.address.value},
                 {"bytes", block.size.count},
                 {"requested_bytes", block.requested.count},
                 {"state", block_state_name(block.state)},
                 {"id", has_name ? ordered_json(named->second) : ordered_json()},
                 {"name",
                  has_name ? ordered_json(traces::name_of_number(named->second)) : ordered_json()}};
           })}};
}

ordered_json step_json(const Step& step, const traces::SnapshotTables& tables) {
  return {{"event", step.number},
          {"memory", is_pinned(step) ? "pinned" : "device"},
          {"device", step.event.device.value},
          {"record", record_text(step.event, tables)},
          {"line", traces::script_line_of(step.event, tables)},
          {"rules", json_list(step.rules, [](auto rule) { return ordered_json(rule_name(rule)); })},
          {"entries", json_list(step.entries, entry_json)},
          {"failure",
           step.failure ? ordered_json(out_of_memory_message(*step.failure)) : ordered_json()},
          {"call_site", text_or_null(replay::line_of(step.event.stack, tables))},
          {"passed_over", json_list(step.passed_over, passed_over_json)},
          {"not_split", not_split_json(step.kept_rest)},
          {"counters", json_list(step.counters, counter_json)},
          {"allocated_bytes", step.allocated.count},
          {"reserved_bytes", step.reserved.count},
          {"segments", json_list(step.state.segments, [&](const SnapshotSegment& segment) {
             return segment_json(segment, step);
           })}};
}

ordered_json memory_json(const replay::DeviceReport& device) {
  const bool has_memory = !device.memory_origin.empty();
  return {{"device", device.device.value},
          {"memory_bytes", has_memory ? ordered_json(device.memory.count) : ordered_json()}};
}

ordered_json steps_list(const std::vector<Step>& steps, const traces::SnapshotTables& tables) {
  return json_list(steps, [&](const Step& step) { return step_json(step, tables); });
}

std::string steps_json(const StepsOutcome& outcome, const traces::SnapshotTables& tables) {
  ordered_json rules = ordered_json::object();
  for (const RuleText& row : rule_texts()) {
    const auto acts = [&](const Step& step) {
      return std::ranges::find(step.rules, row.rule) != step.rules.end();
    };
    if (std::ranges::any_of(outcome.steps, acts) ||
        (outcome.beside && std::ranges::any_of(outcome.beside->steps, acts)))
      rules[rule_name(row.rule)] = rule_text(row.rule);
  }
  return json_text(
      {{"schema_version", 3},
       {"file", outcome.file},
       {"reference", outcome.report.reference},
       {"options", outcome.report.options},
       {"notes", outcome.report.notes},
       {"devices", json_list(outcome.report.devices, memory_json)},
       {"allocator_calls", outcome.report.calls},
       {"stopped_at", or_null(outcome.report.stopped_at)},
       {"rules", std::move(rules)},
       {"steps", steps_list(outcome.steps, tables)},
       {"beside", outcome.beside
                      ? ordered_json{{"reference", outcome.beside->report.reference},
                                     {"steps", steps_list(outcome.beside->steps,
                                                          outcome.beside->file.replayer.tables())}}
                      : ordered_json()}});
}

constexpr std::uint64_t usual_count = 100;

struct StepsArguments {
  ReplayArguments replay;
  replay::StepRange range{0, usual_count};
  /// Empty for none.
  std::string beside;
  CommonFlags flags;
};

/// The file is read again, as a recording is explained by the rules of one version.
StepsBeside steps_beside(const StepsArguments& arguments, replay::ReplayConditions conditions) {
  const std::string& file = arguments.replay.file;
  if (file == "-")
    traces::refuse_file(traces::input_name(file), "a file for --beside, which reads it twice",
                        "standard input");
  conditions.version = allocator::find_reference_version(arguments.beside);
  StepsBeside beside{
      open_replayed(file, nullptr, {conditions.version, {}, replay::Passes::one}), {}, {}};
  beside.report = beside.file.replayer.run(conditions, watch_steps(arguments.range, beside.steps));
  return beside;
}

ExitStatus show_steps(const StepsArguments& arguments) {
  ProgressBar bar(arguments.replay.file, arguments.flags);
  replay::ReplayConditions conditions = conditions_of(arguments.replay);
  conditions.history_capacity = replay::unlimited_history;
  const ReplayedFile file = open_replayed(arguments.replay.file, bar.listener(),
                                          {conditions.version, {}, replay::Passes::one});
  StepsOutcome outcome;
  outcome.file = traces::input_name(arguments.replay.file);
  outcome.range = arguments.range;
  if (file.recording->format() == traces::TraceFormat::native_script)
    outcome.spelling = Spelling::script;
  outcome.report = file.replayer.run(conditions, watch_steps(arguments.range, outcome.steps));
  if (!arguments.beside.empty()) outcome.beside.emplace(steps_beside(arguments, conditions));
  for (const std::string& note : notes_on(arguments.replay)) outcome.report.notes.push_back(note);
  bar.remove();
  print(arguments.flags.json ? steps_json(outcome, file.replayer.tables())
                             : steps_text(outcome, file.replayer.tables()));
  return ExitStatus::done;
}

void add_options(CLI::App& command, StepsArguments& arguments) {
  add_replay_arguments(command, arguments.replay);
  command.add_option("--from", arguments.range.first, "The first event to show (default: 0)");
  command.add_option("--count", arguments.range.count,
                     "So many events (default: " + std::to_string(usual_count) + ")");
  add_version(command, {"--beside", "Also show what the rules of this version do otherwise"},
              arguments.beside);
}

}  // namespace

Command steps_command() {
  return {"steps", "Show what the allocator does at each event, and by which of its rules",
          "Example: vramlab steps program.vtrace.jsonl --conf expandable_segments:True",
          with<StepsArguments>(add_options, show_steps)};
}

}  // namespace vramlab::tools
