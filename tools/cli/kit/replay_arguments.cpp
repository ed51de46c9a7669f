#include "tools/cli/kit/replay_arguments.h"

#include <algorithm>
#include <cctype>
#include <charconv>

#include "allocator/types/reference_version.h"
#include "replay/metrics/nearest_name.h"
#include "replay/replayer/read_device_costs.h"
#include "streams/device/gpu_models.h"
#include "tools/cli/kit/arguments.h"

namespace vramlab::tools {
namespace {

using replay::FreeTiming;

std::string gpu_names() {
  std::string names;
  for (const streams::GpuModel& gpu : streams::gpu_models())
    names += (names.empty() ? "" : ", ") + std::string(gpu.name);
  return names;
}

std::string nearest_gpu(std::string name) {
  std::ranges::transform(name, name.begin(), [](unsigned char letter) {
    return static_cast<char>(std::tolower(letter));
  });
  return std::string(replay::nearest_name(name, streams::gpu_models(), &streams::GpuModel::name));
}

FreeTiming timing_of(const std::string& name) {
  if (name == "eager") return FreeTiming::eager;
  return name == "recorded" ? FreeTiming::recorded : FreeTiming::modelled;
}

/// A number of bytes that a device can have.
std::optional<std::uint64_t> bytes_of_device(const std::string& text) {
  constexpr std::uint64_t most = 1ULL << 40;
  std::uint64_t bytes = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), bytes);
  if (error == std::errc() && end == text.data() + text.size() && bytes <= most) return bytes;
  return std::nullopt;
}

void add_device(CLI::App& command, ReplayArguments& arguments) {
  CLI::Option* memory =
      add_device_memory(command, arguments.device_memory, "as in the file, otherwise no limit");
  add_gpu(command, arguments.gpu, "Memory of a known GPU: " + gpu_names())->excludes(memory);
}

void add_memory_shares(CLI::App& command, ReplayArguments& arguments) {
  command.add_option(
      "--device-costs", arguments.device_costs,
      "A file with the cost of device calls (docs/guide/sweep.md; default: estimates)");
  command
      .add_option("--memory-fraction", arguments.memory_fraction,
                  "Share of the device that may be used")
      ->check(CLI::Range(0.0, 1.0));
  add_held_by_others(command, arguments.held_by_others, "as in the file");
}

}  // namespace

std::string refusal_of_memory(const std::string& text) {
  constexpr std::uint64_t least = 2ULL << 20;
  if (bytes_of_device(text).value_or(0) >= least) return "";
  return "no device has " + text + " bytes: from 2 MiB, of which its memory is made, to 1 TiB";
}

CLI::Option* add_gpu(CLI::App& command, std::string& gpu, const std::string& description) {
  return command.add_option("--gpu", gpu, description)->check([](const std::string& name) {
    return streams::find_gpu(name)
               ? std::string()
               : "there is no GPU '" + name + "' in the list; the nearest is " + nearest_gpu(name);
  });
}

CLI::Option* add_device_memory(CLI::App& command, std::optional<std::uint64_t>& memory,
                               const std::string& without) {
  return command
      .add_option("--device-memory", memory,
                  "Memory of each device, such as 80GiB (default: " + without + ")")
      ->transform(size_in_bytes())
      ->check(refusal_of_memory);
}

void add_held_by_others(CLI::App& command, std::optional<std::uint64_t>& bytes,
                        const std::string& without) {
  command
      .add_option("--held-by-others", bytes,
                  "Memory of each device that other processes hold all the time, such as 4GiB "
                  "(default: " +
                      without + ")")
      ->transform(size_in_bytes())
      ->check([](const std::string& text) {
        return bytes_of_device(text) ? std::string()
                                     : "others cannot hold " + text +
                                           " bytes: no device has more "
                                           "than 1 TiB";
      });
}

void add_replay_arguments(CLI::App& command, ReplayArguments& arguments) {
  add_file(command, arguments.file,
           "A recording or a program, in any format that vramlab info knows (- is standard "
           "input)");
  command.add_option("--conf", arguments.options,
                     "Options (PYTORCH_CUDA_ALLOC_CONF) instead of those in the file");
  add_replay_conditions(command, arguments);
}

void add_replay_conditions(CLI::App& command, ReplayArguments& arguments) {
  add_device(command, arguments);
  add_limitless_conditions(command, arguments);
  command
      .add_option("--on-oom", arguments.on_out_of_memory,
                  "At an out-of-memory: stop (the default), skip the request, or skip and report "
                  "each")
      ->check(CLI::IsMember({"stop", "skip", "report"}));
}

void add_limitless_conditions(CLI::App& command, ReplayArguments& arguments) {
  add_memory_shares(command, arguments);
  add_reference(command, arguments.reference, "default: as in the file, or guessed from it");
  command
      .add_option("--frees", arguments.frees,
                  "When memory that other streams used is free again: recorded (default of a "
                  "recording), eager (at once), modelled (default of a program: by the durations "
                  "of its work)")
      ->check(CLI::IsMember({"recorded", "eager", "modelled"}));
}

std::vector<std::string> notes_on(const ReplayArguments& arguments) {
  if (arguments.gpu.empty()) return {};
  const streams::GpuModel& gpu = *streams::find_gpu(arguments.gpu);
  return {std::string(gpu.name) + ": " + format_bytes(gpu.available()) +
          " for the allocator, which is " + format_bytes(gpu.total) + " in all (" +
          std::string(gpu.total_source) + ") less " + format_bytes(gpu.context) +
          " for the process (" + std::string(gpu.context_source) + ")"};
}

replay::ReplayConditions conditions_of(const ReplayArguments& arguments) {
  replay::ReplayConditions conditions;
  conditions.scratch = scratch_place();
  if (!arguments.reference.empty())
    conditions.version = allocator::find_reference_version(arguments.reference);
  conditions.options = arguments.options;
  if (arguments.device_memory) conditions.memory = Bytes{*arguments.device_memory};
  if (!arguments.gpu.empty()) conditions.memory = streams::find_gpu(arguments.gpu)->available();
  if (!arguments.device_costs.empty())
    conditions.costs = std::make_shared<const streams::DeviceCosts>(
        replay::read_device_costs(arguments.device_costs));
  conditions.memory_fraction = arguments.memory_fraction;
  if (arguments.held_by_others) conditions.held_by_others = Bytes{*arguments.held_by_others};
  if (conditions.memory) refuse_full_device(conditions, *conditions.memory);
  if (!arguments.frees.empty()) conditions.timing = timing_of(arguments.frees);
  if (arguments.on_out_of_memory != "stop")
    conditions.on_out_of_memory = replay::OnOutOfMemory::skip;
  return conditions;
}

}  // namespace vramlab::tools
