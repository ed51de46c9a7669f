// `vramlab advise`: finds the best setting for a workload, with its savings and its costs. Of
// several recordings, such as the ranks of a job, the worst decides.
#include <nlohmann/json.hpp>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "replay/explain/stranding_sites.h"
#include "replay/replayer/device_replay.h"
#include "replay/settings_search/advise.h"
#include "tools/cli/commands/advise/phases_answer.h"
#include "tools/cli/commands/pack/pack_report.h"
#include "tools/cli/commands/sweep/sweep_outcome.h"
#include "tools/cli/kit/commands.h"
#include "tools/cli/kit/explanation_report.h"
#include "tools/cli/kit/messages.h"
#include "tools/cli/kit/outputs.h"
#include "tools/cli/kit/several_files.h"
#include "tools/cli/kit/what_if_runs.h"
#include "tools/cli/printers/json_text.h"
#include "tools/cli/printers/shown_text.h"
#include "tools/cli/printers/text_lines.h"

namespace vramlab::tools {
namespace {

using nlohmann::ordered_json;
using replay::Advice;
using replay::Replayer;
using replay::Replayers;
using replay::SweepFigures;
using replay::SweepRow;
using replay::Trust;

struct AdviseOutcome {
  AskedWhatIf about;
  replay::Trust trust = replay::Trust::exact;
  /// The environment variable that takes the options.
  std::string options_variable;
  /// The origin of the costs of device calls.
  std::string costs_origin;
  /// The device's memory; empty without a limit.
  std::optional<Bytes> memory;
  /// Sentences: the reasons for the peak, if no setting helps.
  std::vector<std::string> pinners;
  replay::Preference preference = replay::Preference::memory;
  replay::Advice advice;
  /// Modelled, for a recording that began late: its first blocks are requested anew.
  std::optional<replay::Advice> anew;
  /// True of the file that decides, which the memory, the reasons and the packing are of too.
  bool has_caught_failures = false;
  /// Groups that are too long to pack here are left out.
  PackOutcome packing;
  /// Empty unless it was asked for.
  std::optional<PhasesOutcome> phases;

  bool phases_pay() const { return phases && phases->pays(); }

  bool has_several_files() const { return about.files.size() > 1; }
};

Bytes peak_of(const SweepFigures& figures) {
  return {static_cast<std::uint64_t>(value_of(figures.metrics, "peak_reserved"))};
}

Bytes peak_of(const SweepRow& row) { return peak_of(row.worst()); }

/// `4.69 GiB (27.1 %) less than with no options`. Requires: the other one was not refused.
std::string saving_text(const SweepRow& best, const SweepRow& other, const std::string& name) {
  const replay::SweepFigures& figures = other.worst();
  if (figures.stopped_at || (figures.failed && !best.worst().failed))
    return "with " + name + " it runs out of memory at event " +
           std::to_string(figures.stopped_at.value_or(figures.failed->event)) +
           (other.files.size() > 1 ? " of " + figures.file : "");
  const Bytes before = peak_of(other);
  const Bytes now = peak_of(best);
  if (now == before) return "as much as with " + name;
  const Bytes change = now < before ? before - now : now - before;
  return format_bytes(change) + " (" + percent_of(change.count, before.count) + ")" +
         (now < before ? " less than with " : " more than with ") + name;
}

std::string calls_text(const SweepRow& row) {
  const std::int64_t calls = device_calls_of(row.worst().metrics);
  return counted(static_cast<std::uint64_t>(calls), "device call", "device calls") + ", about " +
         nanoseconds_text(
             static_cast<std::uint64_t>(value_of(row.worst().metrics, "device_time"))) +
         " of host time";
}

const char* trust_word(Trust trust) {
  if (trust == Trust::exact) return "exact";
  return trust == Trust::modelled ? "modelled" : "guessed";
}

std::string trust_text(const AdviseOutcome& outcome) {
  const std::string word = trust_word(outcome.trust);
  const auto& depends_from = outcome.advice.best.worst().depends_from;
  if (outcome.phases_pay() && outcome.trust == Trust::exact)
    return word + ": a replay of all requests, with the options changed at these places";
  if (outcome.trust == Trust::exact && depends_from) return exact_until_text(*depends_from);
  if (outcome.trust == Trust::exact)
    return word + ": the allocator's own answers to these requests";
  if (outcome.trust == Trust::guessed) return word + ": see the notes";
  if (!outcome.about.late.empty()) return word + ": " + same_start_text;
  return word + ": when memory that other streams used is free again is modelled";
}

/// The best setting as a shell takes it; empty where none helps or runs.
std::string exported(const AdviseOutcome& outcome) {
  const Advice& advice = outcome.advice;
  if (advice.nothing_helps() || advice.best.worst().stopped_at) return {};
  return outcome.options_variable + "=" + advice.best.conf;
}

/// The setting that stays where no other one helps. Requires: nothing helps.
std::string kept_text(const SweepRow& best) {
  return best.is_recorded ? "the recorded " + best.conf : "no options";
}

/// Whether leaving out the recorded options helps. Requires: no other setting does.
bool no_options_help(const Advice& advice) {
  const SweepRow& recorded = advice.recorded;
  return !advice.best.is_recorded && !recorded.conf.empty() && !recorded.was_refused() &&
         !recorded.worst().failed && peak_of(advice.best) < peak_of(recorded);
}

/// Begins behind the word `no`.
std::string setting_helps_text(const SweepRow& best) {
  return " setting helps: " +
         (best.is_recorded ? kept_text(best) + " is best" : std::string("the defaults are best")) +
         ", with " + format_bytes(peak_of(best)) + " reserved at the peak.";
}

/// The event is that of a failure which the recorded run survived.
std::string headline_as_it_went_on(const AdviseOutcome& outcome) {
  const SweepRow& best = outcome.advice.best;
  const std::string failed = "No setting that was tried grants the request at event " +
                             std::to_string(best.worst().failed->event) +
                             ", which failed in the recorded run. As the program went on, ";
  if (!outcome.advice.nothing_helps()) return failed + "use this setting:";
  return failed + "no" + setting_helps_text(best);
}

std::string headline(const AdviseOutcome& outcome) {
  const Advice& advice = outcome.advice;
  const replay::SweepFigures& best = advice.best.worst();
  if (best.failed && !best.stopped_at) return headline_as_it_went_on(outcome);
  if (best.failed && advice.nothing_helps())
    return "No setting that was tried runs on this device, and none gets further than " +
           kept_text(advice.best) + ": " + remark_text(advice.best) + ".";
  if (best.failed)
    return "No setting that was tried runs on this device. The one that gets furthest, " +
           conf_text(advice.best) + ", runs " + remark_text(advice.best) + ".";
  if (advice.nothing_helps() && outcome.about.is_beyond_judging())
    return "With that memory as it was recorded, no setting changes the peak of " +
           format_bytes(peak_of(advice.best)) + ".";
  if (advice.nothing_helps() && no_options_help(advice))
    return "Use no options: no setting is better, with " + format_bytes(peak_of(advice.best)) +
           " reserved at the peak.";
  if (advice.nothing_helps()) return "No" + setting_helps_text(advice.best);
  return "Use this setting:";
}

/// The answer of the model, for a recording that began late.
std::string anew_text(const AdviseOutcome& outcome) {
  if (!outcome.anew || outcome.anew->best.was_refused()) return {};
  const SweepRow& best = outcome.anew->best;
  std::string text =
      "Modelled, with the blocks of that moment requested anew in the order of their "
      "addresses: ";
  if (best.worst().failed) return text + conf_text(best) + " runs " + remark_text(best) + ".";
  if (outcome.anew->nothing_helps())
    return text + "no setting helps, with " + format_bytes(peak_of(best)) +
           " reserved at the peak.";
  return text + conf_text(best) + " reserves " + format_bytes(peak_of(best)) + " at the peak, " +
         saving_text(best, outcome.anew->usual, "no options") + ".";
}

/// Both ways to judge a run that went on after requests had failed.
void add_both_ways(AnswerText& answer, const AdviseOutcome& outcome) {
  if (!outcome.has_caught_failures) return;
  const Advice& advice = outcome.advice;
  if (const auto& passed = advice.best.worst().depends_from)
    answer.add("judged by", "every request granted, also the one at event " +
                                std::to_string(*passed) + " that failed in the recorded run");
  else
    answer.add("judged by", "the program as it went on after the requests that failed");
  const auto& other = advice.best_as_it_went_on;
  if (other && advice.best.worst().depends_from)
    answer.add("", "as the program went on after it failed, " + conf_text(*other) +
                       " is best with " + format_bytes(peak_of(*other)));
}

std::vector<std::string> savings_of(const Advice& advice) {
  std::vector<std::string> savings;
  const SweepRow& recorded = advice.recorded;
  if (!recorded.conf.empty() && recorded.conf != advice.best.conf && !recorded.was_refused())
    savings.push_back(saving_text(advice.best, recorded, "the recorded " + recorded.conf));
  if (!advice.best.conf.empty() && !advice.usual.was_refused())
    savings.push_back(saving_text(advice.best, advice.usual, "no options"));
  return savings;
}

ordered_json saved_json(const SweepRow& best, const SweepRow& other) {
  if (best.was_refused() || other.was_refused() || best.worst().failed || other.worst().failed)
    return nullptr;
  return value_of(other.worst().metrics, "peak_reserved") -
         value_of(best.worst().metrics, "peak_reserved");
}

/// The reason why no setting helps or the program does not fit; empty if a setting helps and it
/// fits.
std::vector<std::string> advise_reasons(const AdviseOutcome& outcome) {
  const Advice& advice = outcome.advice;
  const bool fails = advice.best.worst().failed.has_value();
  if (!fails && !advice.nothing_helps()) return {};
  std::vector<std::string> reasons;
  if (advice.live && outcome.memory && advice.live->on_device > *outcome.memory)
    reasons.push_back("what lives at once does not fit: it takes " +
                      format_bytes(advice.live->on_device) + ", and the device has " +
                      format_bytes(*outcome.memory));
  else if (advice.live && !fails)
    reasons.push_back(format_bytes(advice.live->rounded) + " of the " +
                      format_bytes(peak_of(advice.best)) +
                      " are requests that live at once, which no setting can reduce");
  reasons.insert(reasons.end(), outcome.pinners.begin(), outcome.pinners.end());
  return reasons;
}

/// The peak of one of the files.
std::string peak_cell(const SweepRow& row, std::size_t file) {
  if (row.was_refused()) return "-";
  const SweepFigures& figures = row.files[file];
  return figures.failed ? "fails at event " + std::to_string(figures.failed->event)
                        : format_bytes(peak_of(figures));
}

/// The peak of each file; empty for one file.
std::string files_text(const AdviseOutcome& outcome) {
  if (!outcome.has_several_files()) return {};
  const Advice& advice = outcome.advice;
  const std::vector<std::string> names = short_names(outcome.about.files);
  std::vector<Column> columns = {name_column("file"), {"as recorded"}, {"no options"}};
  if (!advice.nothing_helps()) columns.push_back({advice.best.conf});
  Table table(std::move(columns));
  for (std::size_t file = 0; file < names.size(); ++file) {
    std::vector<std::string> cells = {names[file], peak_cell(advice.recorded, file),
                                      peak_cell(advice.usual, file)};
    if (!advice.nothing_helps()) cells.push_back(peak_cell(advice.best, file));
    table.add(std::move(cells));
  }
  return "\npeak reserved of each file\n" + table.text_within(table_columns());
}

void add_certainty(AnswerText& answer, const AdviseOutcome& outcome) {
  const Advice& advice = outcome.advice;
  answer.add("certainty", trust_text(outcome));
  answer.add("", "time in device calls is modelled (" + outcome.costs_origin + ")" +
                     (advice.is_decided_by_time(outcome.preference)
                          ? "; nothing else puts this setting before the next best"
                          : ""));
  if (!advice.runner_up) return;
  const std::string remark = remark_text(*advice.runner_up);
  answer.add("next best", conf_text(*advice.runner_up) + " with " +
                              format_bytes(peak_of(*advice.runner_up)) +
                              (remark.empty() ? "" : ", " + remark));
}

/// A line about the file whose peak rises above all peaks with no options, if there is one: a file
/// that began late does not decide.
void add_rising_file(AnswerText& answer, const AdviseOutcome& outcome) {
  const Advice& advice = outcome.advice;
  if (!outcome.has_several_files() || advice.usual.was_refused()) return;
  const auto below = [](const SweepFigures& a, const SweepFigures& b) {
    return peak_of(a) < peak_of(b);
  };
  const auto rising = std::ranges::max_element(advice.best.files, below);
  if (peak_of(*rising) <= peak_of(*std::ranges::max_element(advice.usual.files, below))) return;
  const auto at = static_cast<std::size_t>(rising - advice.best.files.begin());
  answer.add("but", short_names(outcome.about.files)[at] + " rises from " +
                        peak_cell(advice.usual, at) + " to " + peak_cell(advice.best, at) +
                        "; it began late, so its peak does not count");
}

AnswerText advise_answer(const AdviseOutcome& outcome) {
  const Advice& advice = outcome.advice;
  AnswerText answer{headline(outcome), {}};
  if (outcome.has_several_files()) answer.add("worst file", advice.best.worst().file);
  answer.add("peak reserved", format_bytes(peak_of(advice.best)));
  for (const std::string& saving : savings_of(advice)) answer.add("", saving);
  add_rising_file(answer, outcome);
  if (const auto largest = largest_packing(outcome.packing)) {
    const PackOutcome& packing = outcome.packing;
    answer.add("best packing",
               best_packing_text(packing.input.groups[*largest], packing.results[*largest]));
    answer.add("", std::string("for a planner that knows all blocks in advance") +
                       (outcome.has_caught_failures ? ", with the requests that failed" : ""));
  }
  answer.add("costs", calls_text(advice.best));
  if (!advice.best.conf.empty() && !advice.usual.was_refused())
    answer.add("", "instead of " + calls_text(advice.usual) + " with no options");
  add_both_ways(answer, outcome);
  add_certainty(answer, outcome);
  for (const std::string& reason : advise_reasons(outcome)) answer.add("why", reason);
  answer.add("tried", std::to_string(advice.runs) + " of " + std::to_string(advice.grid_size) +
                          " settings; the others cannot be better, or are unlikely to be");
  for (const std::string& note : outcome.about.notes) answer.add("note", note);
  return answer;
}

/// The answer where options that change on the way are better than any for the whole run.
AnswerText phases_answer(const AdviseOutcome& outcome) {
  const replay::PhasesAdvice& found = outcome.phases->advice;
  AnswerText answer{"Set options while the program runs:", {}};
  answer.add("peak reserved", format_bytes(peak_of(found.best)));
  if (!found.single.conf.empty())
    answer.add(
        "", saving_text(found.best, found.single, "the best single setting, " + found.single.conf));
  answer.add("", saving_text(found.best, found.usual, "no options"));
  answer.add("costs", calls_text(found.best));
  answer.add("", "instead of " + calls_text(found.single) + " with " +
                     (found.single.conf.empty() ? "no options" : "the best single setting"));
  answer.add("certainty", trust_text(outcome));
  answer.add("", "a line that runs again sets the same options again, which changes nothing");
  answer.add("tried", std::to_string(outcome.advice.runs) + " settings for the whole run, " +
                          std::to_string(found.runs) + " plans at " +
                          counted(found.place_count, "place", "places"));
  for (const std::string& note : outcome.about.notes) answer.add("note", note);
  return answer;
}

AnswerText advice_answer(const AdviseOutcome& outcome) {
  if (outcome.phases_pay()) return phases_answer(outcome);
  AnswerText answer = advise_answer(outcome);
  if (outcome.phases) answer.add("phases", no_phases_text(*outcome.phases));
  return answer;
}

std::string advise_text(const AdviseOutcome& outcome) {
  const AnswerText answer = advice_answer(outcome);
  if (outcome.phases_pay())
    return head_text(outcome.about) + paragraph(answer.headline) + phases_text(*outcome.phases) +
           lines_text(answer.lines);
  const std::string setting = exported(outcome);
  std::string text =
      head_text(outcome.about) + paragraph(anew_text(outcome)) + paragraph(answer.headline);
  if (!setting.empty()) text += "  export " + setting + "\n";
  return text + lines_text(answer.lines) + files_text(outcome);
}

ordered_json packing_json(const PackOutcome& packing) {
  const auto largest = largest_packing(packing);
  return best_packing_json(largest ? &packing.results[*largest] : nullptr);
}

/// The answer of the model.
ordered_json anew_json(const Advice& anew) {
  return {{"conf", anew.best.conf},
          {"nothing_helps", anew.nothing_helps()},
          {"best", sweep_row_json(anew.best)},
          {"no_options", sweep_row_json(anew.usual)}};
}

std::string advise_json(const AdviseOutcome& outcome) {
  const Advice& advice = outcome.advice;
  const AnswerText answer = advice_answer(outcome);
  const auto live = [&](Bytes replay::LiveBounds::* part) {
    return or_null(advice.live, [part](const auto& bounds) { return (bounds.*part).count; });
  };
  return json_text({{"schema_version", 2},
                    {"file", advice.best.worst().file},
                    {"files", outcome.about.files},
                    {"reference", outcome.about.reference},
                    {"conditions", outcome.about.conditions},
                    {"headline", answer.headline},
                    {"export", text_or_null(exported(outcome))},
                    {"lines", json_list(answer.lines, answer_line_json)},
                    {"conf", advice.best.conf},
                    {"nothing_helps", advice.nothing_helps()},
                    {"trust", trust_word(outcome.trust)},
                    {"costs_origin", outcome.costs_origin},
                    {"saves_against_no_options", saved_json(advice.best, advice.usual)},
                    {"saves_against_recorded", saved_json(advice.best, advice.recorded)},
                    {"live_requested_bytes", live(&replay::LiveBounds::requested)},
                    {"live_rounded_bytes", live(&replay::LiveBounds::rounded)},
                    {"best_packing", packing_json(outcome.packing)},
                    {"runs", advice.runs},
                    {"grid_settings", advice.grid_size},
                    {"reasons", advise_reasons(outcome)},
                    {"decided_by_time", advice.is_decided_by_time(outcome.preference)},
                    {"late_starts", late_json(outcome.about)},
                    {"requested_anew", or_null(outcome.anew, anew_json)},
                    {"notes", outcome.about.notes},
                    {"best", sweep_row_json(advice.best)},
                    {"runner_up", or_null(advice.runner_up, sweep_row_json)},
                    {"best_as_it_went_on", or_null(advice.best_as_it_went_on, sweep_row_json)},
                    {"no_options", sweep_row_json(advice.usual)},
                    {"recorded", sweep_row_json(advice.recorded)},
                    {"phases", or_null(outcome.phases, phases_json)}});
}

struct AdviseArguments {
  std::vector<std::string> files;
  ReplayArguments replay;
  std::string prefer = "memory";
  bool phases = false;
  std::vector<std::string> without;
  std::size_t threads = usual_thread_count();
  CommonFlags flags;
};

replay::Preference preference_of(const std::string& name) {
  if (name == "calls") return replay::Preference::calls;
  return name == "time" ? replay::Preference::time : replay::Preference::memory;
}

/// The device that reserves most, and when.
replay::ReplayWatch at_peak_of(const replay::ReplayReport& report, traces::DeviceIndex& device) {
  Bytes most;
  replay::ReplayWatch watch;
  for (const replay::DeviceReport& candidate : report.devices) {
    if (candidate.peak_reserved.bytes < most) continue;
    most = candidate.peak_reserved.bytes;
    device = candidate.device;
    watch.until = {{device, candidate.peak_reserved.event}};
  }
  return watch;
}

/// The memory of live blocks at the peak, by call site.
std::vector<std::string> pinner_sentences(const replay::DeviceState& state,
                                          const traces::SnapshotTables& tables) {
  constexpr std::size_t most = 3;
  std::vector<std::string> sentences;
  for (const replay::StrandingSite& site : stranding_sites(state, tables)) {
    if (sentences.size() == most) break;
    sentences.push_back(site.place + ": its blocks keep " + format_bytes(site.strands) +
                        " from being released at the peak");
  }
  return sentences;
}

std::vector<std::string> find_pinner_sentences(const Replayer& replayer,
                                               replay::ReplayConditions conditions) {
  conditions.on_out_of_memory = replay::OnOutOfMemory::stop;
  traces::DeviceIndex device;
  replay::ReplayWatch watch = at_peak_of(replayer.figures(conditions), device);
  std::optional<replay::DeviceState> state;
  watch.at_end = [&](replay::DeviceReplay& replay) {
    if (replay.device() == device) state = state_of(replay);
  };
  conditions.notes_origins = replay::NotesOrigins::yes;
  replayer.run(conditions, watch);
  return state ? pinner_sentences(*state, replayer.tables()) : std::vector<std::string>{};
}

/// The memory that is left for the program.
std::optional<Bytes> memory_of(const replay::ReplayConditions& conditions,
                               const replay::ReplayReport& report) {
  const Bytes others = conditions.held_by_others.value_or(Bytes{});
  if (conditions.memory) return *conditions.memory - others;
  std::optional<Bytes> least;
  for (const replay::DeviceReport& device : report.devices)
    if (device.memory < replay::boundless_memory)
      least = std::min(least.value_or(device.memory), device.memory - others);
  return least;
}

/// Packing more blocks takes as long as the advice itself.
constexpr std::uint64_t most_calls_to_pack = 1'000'000;
/// The modelled answer is a search of its own.
constexpr std::uint64_t most_calls_to_model = 1'000'000;

std::uint64_t call_count_of(const Replayers& replayers) {
  std::uint64_t count = 0;
  for (const Replayer* const replayer : replayers) count += replayer->call_count();
  return count;
}

/// The answer about the file that decides, under the best setting.
void add_worst_file(const Replayer& replayer, const replay::ReplayConditions& conditions,
                    AdviseOutcome& outcome) {
  outcome.has_caught_failures = replayer.has_caught_failures();
  if (replayer.call_count() <= most_calls_to_pack)
    outcome.packing = packing_beside(replayer, conditions);
  outcome.memory = memory_of(conditions, replayer.figures(conditions));
  if (outcome.advice.nothing_helps() || outcome.advice.best.worst().failed)
    outcome.pinners = find_pinner_sentences(replayer, conditions);
}

replay::Trust trust_of(const Replayers& replayers, const replay::ReplayConditions& conditions) {
  Trust least = Trust::exact;
  for (const Replayer* const replayer : replayers)
    least = std::max(least, replayer->trust(conditions));
  return least;
}

std::vector<std::string> names_of(const Replayers& replayers) {
  std::vector<std::string> names;
  for (const Replayer* const replayer : replayers) names.push_back(replayer->file());
  return names;
}

/// Requires: the row was not refused.
const Replayer& worst_of(const Replayers& replayers, const SweepRow& row) {
  return *replayers[static_cast<std::size_t>(&row.worst() - row.files.data())];
}

/// Throws InputError for a name that is no option of this version.
void refuse_unknown_options(const std::vector<std::string>& names,
                            const ReferenceVersion& version) {
  for (const std::string& name : names) {
    const auto error = allocator::parse_settings({}, name + ":1", version).error;
    if (error && error->kind == allocator::SettingsErrorKind::unknown_option)
      throw traces::InputError({"--without", "",
                                "the name of an option of PyTorch " + std::string(version.name),
                                name + replay::hint_about(name, version)});
  }
}

/// Looks for options that change while the program runs. The program's own changes count, too.
void add_phases(const ReplayedFile& file, replay::AdviseOptions options,
                const AdviseArguments& arguments, AdviseOutcome& outcome) {
  options.conditions.own_options = replay::OwnOptions::kept;
  const replay::RunSettings run = [&](const std::vector<replay::AskedSetting>& settings) {
    return run_settings({&file.replayer}, settings, options.conditions, arguments.threads);
  };
  const bool helps = !outcome.advice.nothing_helps();
  outcome.phases = find_phases_outcome(
      {*file.recording, options, helps ? outcome.advice.best.conf : ""}, file.replayer, run);
}

ExitStatus give_advice(const AdviseArguments& arguments) {
  const std::vector<ReplayedFile> files =
      open_all(arguments.files, arguments.replay, arguments.flags, arguments.threads);
  const Replayers replayers = replayers_of(files);
  for (const Replayer* const replayer : replayers) replayer->refuse_without_requests();
  replay::ReplayConditions conditions = conditions_of(arguments.replay);
  refuse_unknown_options(arguments.without, replayers.front()->version());
  if (arguments.phases) refuse_for_phases(replayers);
  replay::AdviseOptions options{conditions,
                                preference_of(arguments.prefer),
                                {arguments.without.begin(), arguments.without.end()}};
  AdviseOutcome outcome;
  outcome.preference = options.preference;
  outcome.about = asked_what_if(names_of(replayers), replayers, arguments.replay);
  note_short_memory(outcome.about, replayers, arguments.replay);
  outcome.options_variable = replay::options_variable_of(replayers.front()->version());
  outcome.costs_origin =
      conditions.costs ? conditions.costs->origin() : streams::estimated_costs().origin();
  ProgressBar bar(arguments.files.front(), arguments.flags);
  std::size_t tried = 0;
  const replay::RunSettings run = [&](const std::vector<replay::AskedSetting>& settings) {
    tried += settings.size();
    bar.show("tries setting " + std::to_string(tried));
    return run_settings(replayers, settings, options.conditions, arguments.threads);
  };
  outcome.advice = advise(replayers, options, run);
  // No setting avoids this, such as a start that does not fit.
  if (outcome.advice.best.was_refused()) throw std::runtime_error(outcome.advice.best.refusal);
  if (arguments.phases) {
    bar.show("looks for places to change options");
    add_phases(files.front(), options, arguments, outcome);
  }
  conditions.options =
      outcome.phases_pay() ? outcome.phases->advice.conf_at_start : outcome.advice.best.conf;
  bar.show("looks for the best packing and the reasons");
  add_worst_file(worst_of(replayers, outcome.advice.best), conditions, outcome);
  outcome.trust = trust_of(replayers, conditions);
  if (!outcome.about.late.empty()) {
    // Other settings are not judged exactly either.
    outcome.trust = std::max(outcome.trust, Trust::modelled);
    if (call_count_of(replayers) <= most_calls_to_model) {
      options.conditions.starting_memory = replay::StartingMemory::requested_anew;
      outcome.anew = advise(replayers, options, run);
    }
  }
  bar.remove();
  print(arguments.flags.json ? advise_json(outcome) : advise_text(outcome));
  return ExitStatus::done;
}

void add_options(CLI::App& command, AdviseArguments& arguments) {
  add_file(command, arguments.files,
           "Recordings or programs, in any format that vramlab info knows; of several the worst "
           "counts");
  command
      .add_option("--prefer", arguments.prefer,
                  "What to optimize: memory (the lowest peak), calls (the fewest device calls) or "
                  "time (the least modelled time in them)")
      ->check(CLI::IsMember({"memory", "calls", "time"}))
      ->capture_default_str();
  command.add_flag("--phases", arguments.phases,
                   "Look for places in the program from which on other options pay, and write the "
                   "lines of Python that set them");
  command
      .add_option("--without", arguments.without,
                  "The name of an option that must not be used, such as expandable_segments; may "
                  "be given several times")
      ->type_name("NAME")
      ->expected(1)
      ->allow_extra_args(false)
      ->take_all();
  add_replay_conditions(command, arguments.replay);
  add_jobs(command, arguments.threads);
}

}  // namespace

Command advise_command() {
  return {"advise", "Find the best setting for a workload, what it saves and what it costs",
          "Example: vramlab advise snapshot.pickle --gpu a100-80gb",
          with<AdviseArguments>(add_options, give_advice)};
}

}  // namespace vramlab::tools
