// `vramlab live`: a recording replayed on the GPU, beside the simulation; and what the GPU's driver
// takes for its calls.
#include <chrono>
#include <cstdio>
#include <ctime>
#include <memory>
#include <optional>

#include "tools/cli/commands/live/live_report.h"
#include "tools/cli/kit/commands.h"
#include "tools/cli/kit/input_files.h"
#include "tools/cli/kit/progress_bar.h"
#include "tools/cli/kit/replay_arguments.h"
#include "traces/io/byte_sink.h"
#include "traces/io/input_error.h"

namespace vramlab::tools {
namespace {

struct LiveCommand {
  ReplayArguments replay;
  int gpu = 0;
  bool calibrates = false;
  unsigned repeats = 20;
  std::string output;
  bool may_overwrite = false;
  CommonFlags flags;
};

std::string today() {
  const std::time_t now = std::chrono::system_clock::to_time_t(std::chrono::system_clock::now());
  std::tm parts{};
  gmtime_r(&now, &parts);
  char text[sizeof "2026-11-22"];
  std::strftime(text, sizeof text, "%Y-%m-%d", &parts);
  return text;
}

/// The destination of the result. A file is opened before the work, so that a name that can't be
/// written to is told at once.
class LiveOutput {
 public:
  explicit LiveOutput(const LiveCommand& command) : flags_(command.flags) {
    if (!command.output.empty())
      file_.emplace(command.output, command.may_overwrite ? traces::Overwrite::allowed
                                                          : traces::Overwrite::refused);
  }

  void write(const std::string& text, const std::string& json) {
    if (file_) {
      file_->write(json);
      file_->finish();
    } else if (flags_.json) {
      std::fputs(json.c_str(), stdout);
      return;
    }
    if (!flags_.json && (!file_ || !flags_.quiet)) std::fputs(text.c_str(), stdout);
  }

 private:
  const CommonFlags& flags_;
  std::optional<traces::OutputFile> file_;
};

ExitStatus calibrate(const LiveCommand& command) {
  LiveGpu gpu(command.gpu);
  LiveOutput output(command);
  const Calibration calibration{gpu.facts(), today(), gpu.calibrate(command.repeats)};
  output.write(calibration_text(calibration), calibration_json(calibration));
  return ExitStatus::done;
}

using Comparisons = std::vector<std::shared_ptr<replay::DecisionComparison>>;

replay::ReplayConditions live_conditions(const LiveCommand& command, LiveGpu& gpu,
                                         Comparisons& comparisons) {
  replay::ReplayConditions conditions = conditions_of(command.replay);
  if (conditions.held_by_others)
    throw traces::InputError({"--held-by-others", "", "a device that is simulated",
                              "a GPU, on which others hold what they hold"});
  if (!conditions.timing) conditions.timing = replay::FreeTiming::recorded;
  if (*conditions.timing == replay::FreeTiming::modelled)
    throw traces::InputError(
        {"--frees", "", "recorded or eager, which a GPU can follow", "modelled"});
  conditions.make_program_device = [&gpu, &comparisons](traces::DeviceIndex device,
                                                        const replay::DeviceConditions& of) {
    comparisons.push_back(std::make_shared<replay::DecisionComparison>());
    return std::make_unique<replay::LiveBesideSimulated>(
        device, of,
        [&gpu](const streams::MemoryOptions& memory) { return gpu.make_device(memory); },
        comparisons.back());
  };
  return conditions;
}

void add_notes(LiveOutcome& outcome) {
  auto& notes = outcome.report.notes;
  if (outcome.report.devices.size() > 1)
    notes.push_back("all devices of the file are replayed on the same GPU");
  for (const replay::DeviceReport& device : outcome.report.devices)
    if (device.peak_reserved.bytes > outcome.memory.free_at_start)
      notes.push_back("device " + std::to_string(device.device.value) +
                      " reserves more than the GPU had free at the start");
  const Bytes others = outcome.memory.total - outcome.memory.free_at_start;
  notes.push_back(format_bytes(others) +
                  " of the GPU were in use at the start, by its driver, our context and other "
                  "programs");
}

ExitStatus run_live(const LiveCommand& command) {
  LiveGpu gpu(command.gpu);
  LiveOutput output(command);
  ProgressBar bar(command.replay.file, command.flags);
  Comparisons comparisons;
  LiveOutcome outcome;
  outcome.file = command.replay.file;
  outcome.gpu = gpu.facts();
  const replay::ReplayConditions conditions = live_conditions(command, gpu, comparisons);
  const ReplayedFile file = open_replayed(command.replay.file, bar.listener(),
                                          {conditions.version, {}, replay::Passes::one});
  outcome.report = file.replayer.run(conditions);
  for (const auto& comparison : comparisons) outcome.comparisons.push_back(*comparison);
  outcome.calls = gpu.timings().rows();
  outcome.memory = gpu.memory();
  add_notes(outcome);
  output.write(live_text(outcome), live_json(outcome));
  return outcome.is_same() ? ExitStatus::done : ExitStatus::answer_is_no;
}

ExitStatus live(const LiveCommand& command) {
  if (command.calibrates) return calibrate(command);
  if (command.replay.file.empty())
    throw traces::InputError(
        {"the command line", "", "a FILE to replay, or --calibrate", "neither"});
  return run_live(command);
}

void add_options(CLI::App& command, LiveCommand& arguments) {
  add_replay_arguments(command, arguments.replay);
  command.get_option("FILE")->required(false);
  command.add_option("--device", arguments.gpu, "Which GPU, by the driver's number (default: 0)")
      ->check(CLI::NonNegativeNumber);
  CLI::Option* calibrates =
      command.add_flag("--calibrate", arguments.calibrates,
                       "Measure what the driver's calls take, by size, instead of a replay");
  command
      .add_option("--repeats", arguments.repeats, "How often each call is measured (default: 20)")
      ->check(CLI::Range(1, 100000))
      ->needs(calibrates);
  command.add_option("-o", arguments.output, "Write the JSON to a file");
  command.add_flag("--force", arguments.may_overwrite, "Overwrite the output");
}

}  // namespace

Command live_command() {
  return {"live", "Replay a recording on the GPU, and compare each decision with the simulation",
          "Examples: vramlab live snapshot.pickle --device-memory 16GiB\n"
          "          vramlab live --calibrate -o h100.calls.json",
          with<LiveCommand>(add_options, live)};
}

}  // namespace vramlab::tools
