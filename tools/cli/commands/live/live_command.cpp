// `vramlab live`: replays a recording on the GPU and compares it with the simulation, and measures
// the calls of the GPU's driver. The driver is looked for at run time.
#include <algorithm>
#include <chrono>
#include <ctime>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "replay/conformance/live_beside_simulated.h"
#include "replay/replayer/replay_device.h"
#include "replay/replayer/replay_report.h"
#include "streams/live/calibration.h"
#include "streams/live/driven_live_device.h"
#include "tools/cli/kit/arguments.h"
#include "tools/cli/kit/commands.h"
#include "tools/cli/kit/input_files.h"
#include "tools/cli/kit/messages.h"
#include "tools/cli/kit/outputs.h"
#include "tools/cli/printers/json_text.h"
#include "tools/cli/printers/shown_text.h"
#include "tools/cli/printers/table.h"
#include "tools/cli/printers/text_lines.h"
#include "traces/io/byte_sink.h"
#include "traces/io/input_error.h"

namespace vramlab::tools {
namespace {

using nlohmann::ordered_json;
using replay::DecisionComparison;
using streams::DriverCallRow;
using Comparisons = std::vector<std::shared_ptr<replay::DecisionComparison>>;

/// The GPU's memory, by the driver's own account.
struct DriverMemory {
  Bytes total;
  /// With our context, and nothing else of ours.
  Bytes free_at_start;
  /// The least after any call that took memory.
  Bytes least_free;
  /// After everything was freed.
  Bytes free_at_end;
};

/// The GPU, through the CUDA driver, which is looked for at run time.
class LiveGpu {
 public:
  /// Throws std::runtime_error, one sentence, if there is no driver or no such GPU.
  explicit LiveGpu(int index);

  const streams::GpuFacts& facts() const { return facts_; }
  /// A device with no more memory than this, however much the GPU has.
  replay::DeviceSides make_device(const streams::MemoryOptions& memory);
  const streams::DriverCallTimings& timings() const { return timings_; }
  /// Requires: all devices that were made are gone.
  DriverMemory memory();
  std::vector<streams::DriverCallRow> calibrate(unsigned repeats) const;

 private:
  const streams::CudaDriver driver_;
  const streams::GpuFacts facts_;
  streams::DriverCallTimings timings_;
  /// Keeps the GPU's context, so that making one is no part of what is measured.
  streams::LiveDevice idle_;
  DriverMemory memory_;
};

struct LiveOutcome {
  std::string file;
  streams::GpuFacts gpu;
  replay::ReplayReport report;
  /// One comparison for each device of the file.
  std::vector<replay::DecisionComparison> comparisons;
  std::vector<streams::DriverCallRow> calls;
  DriverMemory memory;

  bool is_same() const;
};

struct Calibration {
  streams::GpuFacts gpu;
  /// Such as `2026-11-22`.
  std::string date;
  std::vector<streams::DriverCallRow> calls;
};

std::uint64_t steady_ns() {
  return static_cast<std::uint64_t>(std::chrono::duration_cast<std::chrono::nanoseconds>(
                                        std::chrono::steady_clock::now().time_since_epoch())
                                        .count());
}

streams::CudaDriver open_driver() {
  const auto driver = streams::open_cuda_driver();
  if (const auto* missing = std::get_if<streams::NoCudaDriver>(&driver))
    throw std::runtime_error(missing->reason);
  return std::get<streams::CudaDriver>(driver);
}

streams::GpuFacts facts_of_gpu(const streams::CudaDriver& driver, int index) {
  auto gpu = streams::find_gpu(driver, index);
  if (const auto* missing = std::get_if<streams::NoCudaDriver>(&gpu))
    throw std::runtime_error("there is no GPU to run on: " + missing->reason);
  return std::get<streams::GpuFacts>(std::move(gpu));
}

LiveGpu::LiveGpu(int index)
    : driver_(open_driver()),
      facts_(facts_of_gpu(driver_, index)),
      idle_(driver_, {.device = index}) {
  const allocator::MemoryInfo now = idle_.driver_memory();
  memory_ = {now.total, now.free, now.free, now.free};
}

replay::DeviceSides LiveGpu::make_device(const streams::MemoryOptions& memory) {
  streams::LiveOptions options{.device = facts_.index, .memory_limit = memory.total};
  options.timing = {[this](const streams::DriverCall& call) { timings_.add(call); }, steady_ns};
  const auto note_and_delete = [this](const streams::DrivenLiveDevice* device) {
    memory_.least_free = std::min(memory_.least_free, device->least_free());
    delete device;
  };
  return replay::both_sides(std::shared_ptr<streams::DrivenLiveDevice>(
      std::make_unique<streams::DrivenLiveDevice>(driver_, std::move(options)).release(),
      note_and_delete));
}

DriverMemory LiveGpu::memory() {
  memory_.free_at_end = idle_.driver_memory().free;
  return memory_;
}

std::vector<streams::DriverCallRow> LiveGpu::calibrate(unsigned repeats) const {
  return streams::calibrate(driver_,
                            {.device = facts_.index, .repeats = repeats, .now = steady_ns});
}

Bytes difference(Bytes more, Bytes less) { return more < less ? Bytes{} : more - less; }

std::string gpu_text(const streams::GpuFacts& gpu) {
  return gpu.name + ", compute capability " + std::to_string(gpu.compute_major) + "." +
         std::to_string(gpu.compute_minor) + ", " + format_bytes(gpu.memory) +
         ", driver for CUDA " + std::to_string(gpu.driver_version / 1000) + "." +
         std::to_string(gpu.driver_version % 1000 / 10);
}

std::string comparison_text(const DecisionComparison& compared) {
  std::string text;
  const std::string events = std::to_string(compared.events) + " events and " +
                             std::to_string(compared.device_actions) + " calls for memory";
  if (!compared.difference) {
    add_line(text, "decisions", "the same as simulated: " + events);
    return text;
  }
  const replay::DecisionDifference& found = *compared.difference;
  add_line(text, "decisions", "DIFFERENT from the simulation, after " + events);
  add_line(
      text, "first difference",
      (found.event ? "event " + std::to_string(*found.event) + ": " : std::string("at the end: ")) +
          found.what);
  add_line(text, "simulated", found.simulated);
  add_line(text, "live", found.live);
  return text;
}

std::string device_text(const LiveOutcome& outcome, const replay::DeviceReport& device) {
  std::string text = "\ndevice " + std::to_string(device.device.value) + " of the file\n";
  for (const DecisionComparison& compared : outcome.comparisons)
    if (compared.device == device.device) text += comparison_text(compared);
  add_line(text, "requests", std::to_string(device.requests));
  add_line(text, "frees", std::to_string(device.frees));
  add_line(text, "peak allocated", format_bytes(device.peak_allocated.bytes));
  add_line(text, "peak reserved", format_bytes(device.peak_reserved.bytes));
  add_line(text, "out of memory", std::to_string(device.failures.size()) + " requests");
  return text;
}

std::string memory_text(const DriverMemory& memory) {
  std::string text = "\nmemory by the driver's own count\n";
  add_line(text, "peak used", format_bytes(difference(memory.free_at_start, memory.least_free)));
  add_line(text, "free at the start",
           format_bytes(memory.free_at_start) + " of " + format_bytes(memory.total));
  add_line(text, "free at the end", format_bytes(memory.free_at_end));
  const Bytes gone = difference(memory.free_at_start, memory.free_at_end);
  const Bytes come = difference(memory.free_at_end, memory.free_at_start);
  if (gone.count + come.count > 0)
    add_line(text, "noise",
             "other programs or the driver itself " +
                 std::string(gone.count > 0 ? "took " : "released ") + format_bytes(gone + come) +
                 " meanwhile: the peak is off by as much");
  return text;
}

std::string bytes_cell(Bytes bytes) { return bytes.count == 0 ? "-" : format_bytes(bytes); }

std::string calls_text(const std::vector<DriverCallRow>& rows) {
  Table table({left("call", 28),
               {"up to", 10},
               {"count", 10},
               {"median", 10},
               {"p95", 10},
               {"max", 10},
               left("")});
  for (const DriverCallRow& row : rows)
    table.add({std::string(driver_call_name(row.kind)), bytes_cell(row.up_to),
               std::to_string(row.count), nanoseconds_text(row.median_ns),
               nanoseconds_text(row.p95_ns), nanoseconds_text(row.max_ns),
               row.failed > 0 ? std::to_string(row.failed) + " refused" : ""});
  return table.text("");
}

bool LiveOutcome::is_same() const {
  return std::none_of(comparisons.begin(), comparisons.end(),
                      [](const DecisionComparison& one) { return one.difference.has_value(); });
}

std::string live_text(const LiveOutcome& outcome) {
  std::string text = shown_name(outcome.file) + "\n";
  add_line(text, "GPU", gpu_text(outcome.gpu));
  add_line(text, "rules of", "PyTorch " + std::string(outcome.report.reference));
  add_line(text, "options", outcome.report.options.empty() ? "none" : outcome.report.options);
  add_line(text, "allocator calls", std::to_string(outcome.report.calls));
  if (outcome.report.stopped_at)
    add_line(text, "stopped", "at event " + std::to_string(*outcome.report.stopped_at));
  for (const std::string& note : outcome.report.notes) add_line(text, "note", note);
  for (const replay::DeviceReport& device : outcome.report.devices)
    text += device_text(outcome, device);
  text += memory_text(outcome.memory);
  return text + "\n" + calls_text(outcome.calls);
}

std::string calibration_text(const Calibration& calibration) {
  return gpu_text(calibration.gpu) + ", " + calibration.date + "\n" + calls_text(calibration.calls);
}

ordered_json gpu_json(const streams::GpuFacts& gpu) {
  return {{"index", gpu.index},
          {"name", gpu.name},
          {"compute_capability",
           std::to_string(gpu.compute_major) + "." + std::to_string(gpu.compute_minor)},
          {"memory_bytes", gpu.memory.count}};
}

ordered_json difference_json(const std::optional<replay::DecisionDifference>& found) {
  if (!found) return nullptr;
  return {{"event", or_null(found->event)},
          {"what", found->what},
          {"simulated", found->simulated},
          {"live", found->live}};
}

ordered_json device_json(const LiveOutcome& outcome, const replay::DeviceReport& device) {
  ordered_json json = {{"device", device.device.value},
                       {"device_memory_bytes", device.memory.count},
                       {"requests", device.requests},
                       {"frees", device.frees},
                       {"out_of_memory", device.failures.size()},
                       {"peak_allocated_bytes", device.peak_allocated.bytes.count},
                       {"peak_reserved_bytes", device.peak_reserved.bytes.count}};
  for (const replay::DecisionComparison& compared : outcome.comparisons) {
    if (compared.device != device.device) continue;
    json["same_decisions"] = !compared.difference.has_value();
    json["compared_events"] = compared.events;
    json["compared_memory_calls"] = compared.device_actions;
    json["first_difference"] = difference_json(compared.difference);
  }
  return json;
}

ordered_json calls_json(const std::vector<streams::DriverCallRow>& rows) {
  ordered_json calls = ordered_json::array();
  for (const streams::DriverCallRow& row : rows)
    calls.push_back({{"call", driver_call_name(row.kind)},
                     {"up_to_bytes", row.up_to.count},
                     {"count", row.count},
                     {"failed", row.failed},
                     {"median_nanoseconds", row.median_ns},
                     {"p95_nanoseconds", row.p95_ns},
                     {"max_nanoseconds", row.max_ns},
                     {"sum_nanoseconds", row.sum_ns}});
  return calls;
}

std::string live_json(const LiveOutcome& outcome) {
  ordered_json devices = ordered_json::array();
  for (const replay::DeviceReport& device : outcome.report.devices)
    devices.push_back(device_json(outcome, device));
  const DriverMemory& memory = outcome.memory;
  const ordered_json json = {{"schema_version", 2},
                             {"file", outcome.file},
                             {"gpu", gpu_json(outcome.gpu)},
                             {"driver", outcome.gpu.driver_version},
                             {"reference", outcome.report.reference},
                             {"options", outcome.report.options},
                             {"allocator_calls", outcome.report.calls},
                             {"stopped_at", or_null(outcome.report.stopped_at)},
                             {"notes", outcome.report.notes},
                             {"same_decisions", outcome.is_same()},
                             {"devices", devices},
                             {"driver_memory",
                              {{"total_bytes", memory.total.count},
                               {"free_at_start_bytes", memory.free_at_start.count},
                               {"least_free_bytes", memory.least_free.count},
                               {"free_at_end_bytes", memory.free_at_end.count}}},
                             {"calls", calls_json(outcome.calls)}};
  return json_text(json);
}

std::string calibration_json(const Calibration& calibration) {
  ordered_json calls = ordered_json::array();
  for (const streams::DriverCallRow& call : calibration.calls)
    calls.push_back({{"call", driver_call_name(call.kind)},
                     {"bytes", call.up_to.count},
                     {"nanoseconds", call.median_ns},
                     {"p95_nanoseconds", call.p95_ns},
                     {"max_nanoseconds", call.max_ns},
                     {"count", call.count}});
  const ordered_json json = {{"schema_version", 1},
                             {"gpu", calibration.gpu.name},
                             {"driver", calibration.gpu.driver_version},
                             {"date", calibration.date},
                             {"calls", calls}};
  return json_text(json);
}

struct LiveCommand {
  ReplayArguments replay;
  int gpu = 0;
  bool calibrates = false;
  unsigned repeats = 20;
  OutputArguments output;
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
/// written to is refused at once.
class LiveOutput {
 public:
  LiveOutput(const LiveCommand& command, const std::vector<std::string>& inputs)
      : command_(command), output_(command.output, inputs) {}

  void write(const std::string& text, const std::string& json) {
    if (command_.flags.json || !command_.output.path.empty()) {
      output_.write(json);
      output_.finish();
    }
    const bool json_is_printed = command_.flags.json || command_.output.path == "-";
    const bool is_asked_for = !command_.output.is_file() || !command_.flags.quiet;
    if (!json_is_printed && is_asked_for) print(text);
  }

 private:
  const LiveCommand& command_;
  OpenOutput output_;
};

ExitStatus calibrate(const LiveCommand& command) {
  LiveGpu gpu(command.gpu);
  LiveOutput output(command, {});
  const Calibration calibration{gpu.facts(), today(), gpu.calibrate(command.repeats)};
  output.write(calibration_text(calibration), calibration_json(calibration));
  return ExitStatus::done;
}

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
  LiveOutput output(command, {command.replay.file});
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
  command.add_option("-o", arguments.output.path,
                     "Write the JSON to a file (- is standard output)");
  add_force(command, arguments.output);
}

}  // namespace

Command live_command() {
  return {"live", "Replay a recording on the GPU, and compare each decision with the simulation",
          "Examples: vramlab live snapshot.pickle --device-memory 16GiB\n"
          "          vramlab live --calibrate -o h100.calls.json",
          with<LiveCommand>(add_options, live)};
}

}  // namespace vramlab::tools
