// `vramlab advise`: which setting to use for this workload, what it saves, what it costs.
#include <cstdio>
#include <map>
#include <stdexcept>

#include "replay/run/device_replay.h"
#include "replay/state/pinners.h"
#include "tools/commands/advise/advise_report.h"
#include "tools/kit/commands.h"
#include "tools/kit/what_if_runs.h"
#include "traces/values/user_frame.h"

namespace vramlab::tools {
namespace {

using allocator::Bytes;
using replay::Recording;

struct AdviseArguments {
  std::string file;
  ReplayArguments replay;
  std::string prefer = "memory";
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

std::string site_of(const replay::DeviceState& state, const replay::Pinner& pinner,
                    const traces::SnapshotTables& tables) {
  const auto origin = state.origins.find(pinner.at);
  if (origin == state.origins.end()) return "an unknown place";
  const auto frame = traces::innermost_user_frame(origin->second.stack, tables);
  return frame ? traces::frame_text(*frame, tables) : "an unknown place";
}

/// What live blocks keep at the peak, by where they were asked for.
std::vector<std::string> pinner_sentences(const replay::DeviceState& state,
                                          const traces::SnapshotTables& tables) {
  constexpr std::size_t looked_at = 1000;
  constexpr std::size_t told = 3;
  std::map<std::string, Bytes> stranded;
  for (const replay::Pinner& pinner : find_pinners(state.snapshot, state.rules, looked_at))
    stranded[site_of(state, pinner, tables)] += pinner.strands;
  std::multimap<Bytes, std::string, std::greater<>> largest;
  for (const auto& [site, bytes] : stranded)
    if (bytes > Bytes{}) largest.emplace(bytes, site);
  std::vector<std::string> sentences;
  for (const auto& [bytes, site] : largest) {
    if (sentences.size() == told) break;
    sentences.push_back("blocks allocated at " + site + " keep " + format_bytes(bytes) +
                        " from being released at the peak");
  }
  return sentences;
}

std::vector<std::string> find_pinner_sentences(const AdviseArguments& arguments,
                                               const Recording& recording,
                                               replay::ReplayConditions conditions) {
  if (arguments.file == "-") return {};
  conditions.on_out_of_memory = replay::OnOutOfMemory::stop;
  traces::DeviceIndex device;
  replay::ReplayWatch watch = at_peak_of(recording.figures(conditions), device);
  std::optional<replay::DeviceState> state;
  watch.at_end = [&](replay::DeviceReplay& replay) {
    if (replay.device() == device) state = state_of(replay);
  };
  conditions.notes_origins = replay::NotesOrigins::yes;
  replay::ReplaySource source(arguments.file, conditions, traces::ProgressListener());
  source.run(watch);
  return state ? pinner_sentences(*state, source.tables()) : std::vector<std::string>{};
}

/// What is left for the program.
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

ExitStatus give_advice(const AdviseArguments& arguments) {
  const auto recordings =
      load_recordings({arguments.file}, arguments.replay, arguments.flags, arguments.threads);
  const Recording& recording = recordings.front();
  replay::ReplayConditions conditions = conditions_of(arguments.replay);
  const replay::AdviseOptions options{conditions, preference_of(arguments.prefer)};
  AdviseOutcome outcome;
  outcome.file = recording.file();
  outcome.reference = recording.version().name;
  outcome.conditions = conditions_text(arguments.replay);
  outcome.notes = recording.notes();
  for (const std::string& note : notes_on(arguments.replay)) outcome.notes.push_back(note);
  outcome.costs_origin =
      conditions.costs ? conditions.costs->origin() : streams::estimated_costs().origin();
  outcome.advice =
      advise(recording, options, [&](const std::vector<replay::AskedSetting>& settings) {
        return run_settings(recordings, settings, conditions, arguments.threads);
      });
  // What no setting gets round, such as a start that does not fit.
  if (outcome.advice.best.was_refused()) throw std::runtime_error(outcome.advice.best.refusal);
  conditions.options = outcome.advice.best.conf;
  outcome.trust = recording.trust(conditions);
  outcome.memory = memory_of(conditions, recording.figures(conditions));
  if (outcome.advice.nothing_helps() || outcome.advice.best.worst().failed)
    outcome.pinners = find_pinner_sentences(arguments, recording, conditions);
  const std::string text = arguments.flags.json ? advise_json(outcome) : advise_text(outcome);
  std::fwrite(text.data(), 1, text.size(), stdout);
  return ExitStatus::done;
}

void add_options(CLI::App& command, AdviseArguments& arguments) {
  command
      .add_option("FILE", arguments.file,
                  "A recording or a program, in any format that vramlab info knows")
      ->required();
  command
      .add_option("--prefer", arguments.prefer,
                  "What to optimize: memory (the lowest peak), calls (the fewest device calls) or "
                  "time (the least modelled time in them)")
      ->check(CLI::IsMember({"memory", "calls", "time"}))
      ->capture_default_str();
  add_replay_conditions(command, arguments.replay);
  command.add_option("-j,--jobs", arguments.threads, "Threads to use (default: one per core)")
      ->check(CLI::Range(1, 1024));
}

}  // namespace

Command advise_command() {
  return {"advise", "Find the best setting for a workload, what it saves and what it costs",
          "Example: vramlab advise snapshot.pickle --gpu a100-80gb",
          with<AdviseArguments>(add_options, give_advice)};
}

}  // namespace vramlab::tools
