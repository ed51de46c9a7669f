// The options that a replay runs under: read, or refused with a reason that names a version that
// has the option, or the nearest option there is.
#pragma once

#include <exception>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "allocator/options/settings.h"
#include "allocator/types/answers.h"
#include "allocator/types/device.h"
#include "allocator/types/reference_version.h"
#include "replay/replayer/history_program.h"
#include "replay/replayer/program_device.h"
#include "streams/device/device_costs.h"
#include "traces/model/program_event.h"

namespace vramlab::replay {

/// Help with an option that this version does not have: the oldest version that has it, or
/// else a name that is much like this one. Such as `; the nearest is backend`; empty for neither.
std::string hint_about(std::string_view option, const ReferenceVersion& version);

/// Why this version takes no such string; nothing where it does.
std::optional<std::string> refusal_of(const std::string& options, const ReferenceVersion& version);

/// Values of the string that this version passes over with a warning, a sentence each.
std::vector<std::string> ignored_in(const std::string& options, const ReferenceVersion& version);

/// The option string as settings. Throws InputError where it is refused; `where` is for that.
Settings settings_of(const std::string& options, const ReferenceVersion& version,
                     const std::string& where);

// ReplaySetup: what a program is replayed under, made of what is asked for and of what the file
// says. The one place where the conditions of a device are made.

class ProgramError;

struct ReplaySetup {
  /// For messages.
  std::string file;
  ReplayConditions asked;
  const ReferenceVersion* version = nullptr;
  Settings settings;
  /// Devices that a program describes.
  std::vector<traces::TraceDevice> known_devices = {};
  /// One device of a recorded history, which must outlive this; null for a program.
  const HistoryProgram* history = nullptr;
  /// The places of the history's next segments.
  std::optional<RecordedPlaces> places = {};
  /// A driver places the segments, as it did in the recorded run.
  std::optional<FirstWorks> drivers_places = {};
  /// The course of the history, where it is followed; otherwise null.
  const RecordedCourse* course = nullptr;

  FreeTiming timing() const;
  /// Whether the program goes on after this request failed.
  bool goes_on_after(std::uint64_t number) const;
  /// The program's own changes of options are left out.
  bool keeps_settings() const {
    return asked.options.has_value() && asked.own_options == OwnOptions::left_out;
  }
  const streams::DeviceCosts& device_costs() const {
    return asked.costs ? *asked.costs : streams::estimated_costs();
  }
  ChosenMemory memory_of(traces::DeviceIndex device) const;
  /// The program's share of a device of this size: as much as the recorded program had of its own
  /// device, unless another one is asked for.
  double fraction_of(Bytes device_total, double fraction) const;
  /// This must outlive the device and stay where it is.
  DeviceConditions conditions_of(traces::DeviceIndex device);
  // Each throws the InputError for a call that failed with this.
  [[noreturn]] void refuse(std::uint64_t event, const AllocatorError& error) const;
  [[noreturn]] void refuse(std::uint64_t event, const DeviceError& error) const;
  [[noreturn]] void refuse(std::uint64_t event, const ProgramError& error) const;

 private:
  [[noreturn]] void refuse_history(const char* expected, const std::exception& error) const;
  [[noreturn]] void refuse_event(std::uint64_t event, const char* expected,
                                 const std::exception& error) const;
};

/// For a program whose file begins like this. Throws InputError if version or options are
/// refused.
ReplaySetup setup_of(std::string file, ReplayConditions asked, const traces::TraceHeader& header);

/// Throws InputError where the options choose another backend than PyTorch's own.
void refuse_other_backends(const Settings& settings, const std::string& where);

}  // namespace vramlab::replay
