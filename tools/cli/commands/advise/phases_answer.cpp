#include "tools/cli/commands/advise/phases_answer.h"

#include "allocator/types/check.h"
#include "replay/replayer/replay_setup.h"
#include "tools/cli/commands/sweep/sweep_outcome.h"
#include "tools/cli/printers/json_text.h"
#include "tools/cli/printers/shown_text.h"
#include "tools/cli/printers/text_lines.h"
#include "traces/io/input_error.h"
#include "traces/model/user_frame.h"

namespace vramlab::tools {
namespace {

using nlohmann::ordered_json;
using replay::PhasePlace;
using replay::PlaceKind;

std::string place_text(const PhasePlace& place, const traces::SnapshotTables& tables) {
  if (place.kind == PlaceKind::at_mark) return "where '" + place.mark + "' begins";
  const std::string line = frame_text(*place.frame, tables);
  return place.kind == PlaceKind::behind_step ? "behind " + line + ", the optimizer's step"
                                              : "before " + line;
}

WrittenChange written(const replay::PhaseChange& change, const replay::Replayer& replayer) {
  const traces::SnapshotTables& tables = replayer.tables();
  WrittenChange text{.change = change,
                     .place = place_text(change.place, tables),
                     .file = {},
                     .function = {},
                     .python = {}};
  if (change.place.frame) {
    const traces::FrameValue& frame = tables.frames.frame(*change.place.frame);
    text.file = tables.texts.text(frame.filename);
    text.line = static_cast<std::uint64_t>(frame.line);
    text.function = tables.texts.text(frame.name);
  }
  text.python = {"# " + text.place, replay::python_setter(change.conf, replayer.version())};
  return text;
}

/// Another way through the program than the one that the search takes.
void prove(const PhasesOutcome& outcome, const replay::PhasesQuestion& question,
           const replay::Replayer& replayer) {
  replay::ReplayConditions conditions = question.options.conditions;
  conditions.options = outcome.advice.conf_at_start;
  for (const replay::PhaseChange& change : outcome.advice.changes)
    conditions.changes.push_back({change.place.event, replayer.tables().texts.intern(change.conf)});
  const replay::SweepFigures again = figures_of(replayer.file(), replayer.run(conditions));
  const replay::SweepFigures& found = outcome.advice.best.worst();
  check(value_of(again.metrics, "peak_reserved") == value_of(found.metrics, "peak_reserved") &&
            again.failed == found.failed,
        "a replay event by event has the figures of the search");
}

std::int64_t reserved_peak_of(const replay::SweepRow& row) {
  return value_of(row.worst().metrics, "peak_reserved");
}

ordered_json saved_by_phases_json(const replay::SweepRow& best, const replay::SweepRow& other) {
  if (best.was_refused() || other.was_refused() || best.worst().failed || other.worst().failed)
    return nullptr;
  return reserved_peak_of(other) - reserved_peak_of(best);
}

std::string_view kind_name(PlaceKind kind) {
  if (kind == PlaceKind::at_mark) return "mark";
  return kind == PlaceKind::behind_step ? "behind" : "before";
}

ordered_json change_json(const WrittenChange& written) {
  const PhasePlace& place = written.change.place;
  return {{"place", written.place},
          {"kind", kind_name(place.kind)},
          {"file", text_or_null(written.file)},
          {"line", place.frame ? ordered_json(written.line) : ordered_json(nullptr)},
          {"function", text_or_null(written.function)},
          {"mark", text_or_null(place.mark)},
          {"before_event", place.event},
          {"conf", written.change.conf},
          {"python", written.python}};
}

}  // namespace

void refuse_for_phases(const replay::Replayers& replayers) {
  const replay::Replayer& first = *replayers.front();
  if (replayers.size() > 1)
    throw traces::InputError(
        {"--phases", "", "one file", std::to_string(replayers.size()) + ": ask for each of them"});
  std::size_t devices = 0;
  for (const replay::ProgramPart* const part : first.parts())
    devices += part->program.devices().size();
  if (devices != 1)
    throw traces::InputError({first.file(), "", "requests on one device, for --phases",
                              std::to_string(devices) + " devices"});
}

PhasesOutcome find_phases_outcome(const replay::PhasesQuestion& question,
                                  const replay::Replayer& replayer,
                                  const replay::RunSettings& run) {
  PhasesOutcome outcome{find_phases(question, replayer, run), {}, {}};
  for (const replay::PhaseChange& change : outcome.advice.changes)
    outcome.changes.push_back(written(change, replayer));
  if (!outcome.pays()) return outcome;
  prove(outcome, question, replayer);
  if (!outcome.advice.conf_at_start.empty())
    outcome.exported = std::string(replay::options_variable_of(replayer.version())) + "=" +
                       outcome.advice.conf_at_start;
  return outcome;
}

std::string phases_text(const PhasesOutcome& outcome) {
  std::string text = "  " +
                     (outcome.exported.empty() ? std::string("# at the start: no options")
                                               : "export " + outcome.exported) +
                     "\n";
  for (const WrittenChange& change : outcome.changes)
    for (const std::string& line : change.python) text += "  " + shown_name(line) + "\n";
  return text;
}

std::string no_phases_text(const PhasesOutcome& outcome) {
  if (outcome.advice.place_count == 0)
    return "the history names no place in the program: it has no stacks and no marks";
  return "no change of options while the program runs saves 1 % more; tried " +
         std::to_string(outcome.advice.runs) + " plans at " +
         counted(outcome.advice.place_count, "place", "places");
}

ordered_json phases_json(const PhasesOutcome& outcome) {
  const replay::PhasesAdvice& advice = outcome.advice;
  return {{"pays", outcome.pays()},
          {"conf_at_start", advice.conf_at_start},
          {"export", text_or_null(outcome.exported)},
          {"changes", json_list(outcome.changes, change_json)},
          {"saves_against_single", saved_by_phases_json(advice.best, advice.single)},
          {"saves_against_no_options", saved_by_phases_json(advice.best, advice.usual)},
          {"places", advice.place_count},
          {"runs", advice.runs},
          {"best", sweep_row_json(advice.best)},
          {"single", sweep_row_json(advice.single)}};
}

}  // namespace vramlab::tools
