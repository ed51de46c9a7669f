#include "replay/replayer/replay_setup.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "allocator/options/option_reader.h"
#include "allocator/options/size_rules.h"
#include "allocator/types/device.h"
#include "replay/metrics/nearest_name.h"
#include "replay/replayer/stream_program.h"
#include "traces/io/input_error.h"

namespace vramlab::replay {

using traces::InputError;

std::string hint_about(std::string_view option, const ReferenceVersion& version) {
  for (const ReferenceVersion& row : allocator::reference_versions())
    if (find_option(rules_of(row.grammar), option) != nullptr)
      return "; PyTorch " + std::string(row.name) + " has it (--reference " +
             std::string(row.name) + ")";
  std::vector<std::string_view> names;
  for (const allocator::OptionRow& row : rules_of(version.grammar).options)
    names.push_back(row.name);
  return nearest_hint(option, names);
}

namespace {

allocator::ParsedSettings parse_at_start(const std::string& options,
                                         const ReferenceVersion& version) {
  Settings at_start;
  at_start.backend = allocator::backend_at_start(options);
  return parse_settings(at_start, options, version);
}

}  // namespace

std::optional<std::string> refusal_of(const std::string& options, const ReferenceVersion& version) {
  if (options.empty()) return std::nullopt;
  const auto error = parse_at_start(options, version).error;
  if (!error) return std::nullopt;
  if (error->kind == allocator::SettingsErrorKind::unknown_option)
    return "there is no option '" + error->option + "'" + hint_about(error->option, version);
  return error->message;
}

std::vector<std::string> ignored_in(const std::string& options, const ReferenceVersion& version) {
  return parse_at_start(options, version).ignored;
}

Settings settings_of(const std::string& options, const ReferenceVersion& version,
                     const std::string& where) {
  if (const auto refusal = refusal_of(options, version))
    throw InputError(
        {where, "", "options that PyTorch " + std::string(version.name) + " takes", *refusal});
  return options.empty() ? Settings{} : parse_at_start(options, version).settings;
}

using traces::DeviceIndex;
using traces::InputError;

void refuse_full_device(const ReplayConditions& conditions, Bytes memory) {
  if (conditions.held_by_others && *conditions.held_by_others >= memory)
    throw InputError({"memory held by others", "", "less than the device's " + format_bytes(memory),
                      format_bytes(*conditions.held_by_others)});
}

void refuse_other_backends(const Settings& settings, const std::string& where) {
  if (settings.backend != allocator::Backend::native)
    throw InputError({where, "", "PyTorch's own allocator, which alone can run live",
                      "the option backend:cudaMallocAsync"});
}

ReplaySetup setup_of(std::string file, ReplayConditions asked, const traces::TraceHeader& header) {
  ReplaySetup setup{std::move(file), std::move(asked), nullptr, {}, header.devices};
  setup.version = setup.asked.version;
  if (setup.version == nullptr && !header.reference.empty()) {
    setup.version = allocator::find_reference_version(header.reference);
    if (setup.version == nullptr)
      throw InputError({setup.file, "its header", "a version of the reference that is known",
                        "'" + header.reference + "'"});
  }
  if (setup.version == nullptr) setup.version = &allocator::default_reference_version();
  setup.settings = setup.asked.options
                       ? settings_of(*setup.asked.options, *setup.version, "the options")
                       : settings_of(header.settings, *setup.version, setup.file);
  if (setup.asked.backend == ChosenBackend::native)
    setup.settings.backend = allocator::Backend::native;
  return setup;
}

FreeTiming ReplaySetup::timing() const {
  return asked.timing.value_or(history != nullptr ? FreeTiming::recorded : FreeTiming::modelled);
}

bool ReplaySetup::goes_on_after(std::uint64_t number) const {
  if (asked.on_out_of_memory == OnOutOfMemory::as_recorded)
    return history != nullptr && history->went_on_after(number);
  return asked.on_out_of_memory == OnOutOfMemory::skip;
}

ChosenMemory ReplaySetup::memory_of(DeviceIndex device) const {
  if (history != nullptr) return choose_memory(history->memory, history->shown_device, asked);
  if (asked.memory) return {*asked.memory, "as given"};
  for (const traces::TraceDevice& known : known_devices)
    if (known.index == device && known.memory.count != 0) return {known.memory, "as the file says"};
  return {boundless_memory, ""};
}

DeviceConditions ReplaySetup::conditions_of(DeviceIndex device) {
  if (asked.first_of_private_pools && settings.backend != allocator::Backend::native)
    throw InputError({file, "", "PyTorch's own allocator, which alone has private pools",
                      "the option backend:cudaMallocAsync"});
  DeviceConditions of_device{*this, memory_of(device).memory, asked.memory_fraction, timing()};
  // Its share of the recorded device is not known, so it says nothing of another one.
  const bool may_be_inferred = history != nullptr && !history->told_memory &&
                               !asked.memory_fraction && !asked.memory && course == nullptr;
  if (history != nullptr && !asked.memory)
    of_device.kept = kept_beside(history->memory, history->shown_device);
  if (may_be_inferred && history->fidelity.allowed)
    of_device.memory_fraction =
        history->fidelity.allowed->fraction_of(of_device.memory + of_device.kept);
  return of_device;
}

double ReplaySetup::fraction_of(Bytes device_total, double fraction) const {
  if (history == nullptr || !history->told_memory || asked.memory) return fraction;
  if (fraction >= 1 && version->whole_fraction == allocator::WholeFraction::removes_limit)
    return fraction;
  const Bytes allowed = allocator::share_of(fraction, *history->told_memory);
  double share = static_cast<double>(allowed.count) / static_cast<double>(device_total.count);
  while (share < 1 && allocator::share_of(share, device_total) < allowed)
    share = std::nextafter(share, 1.0);
  // The whole of a smaller device is a share all the same.
  return std::min(share, fraction < 1 ? std::nextafter(1.0, 0.0) : 1.0);
}

void ReplaySetup::refuse(std::uint64_t event, const AllocatorError& error) const {
  if (history != nullptr) refuse_history("a history that an allocator can have made", error);
  refuse_event(event, "a call that may be made then", error);
}

void ReplaySetup::refuse(std::uint64_t event, const DeviceError& error) const {
  if (history != nullptr)
    refuse_history("memory that the recorded starting state fits into", error);
  refuse_event(event, "what a device can do then", error);
}

void ReplaySetup::refuse(std::uint64_t event, const ProgramError& error) const {
  if (history != nullptr) refuse_history("a history that an allocator can have made", error);
  refuse_event(event, "what the program made before", error);
}

void ReplaySetup::refuse_history(const char* expected, const std::exception& error) const {
  throw InputError(
      {file, "device " + std::to_string(history->device.value), expected, error.what()});
}

void ReplaySetup::refuse_event(std::uint64_t event, const char* expected,
                               const std::exception& error) const {
  throw InputError(
      {file, "event " + std::to_string(event) + " of the program", expected, error.what()});
}

}  // namespace vramlab::replay
