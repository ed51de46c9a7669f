// ReplaySetup: what a program is replayed under, made of what is asked for and of what the file
// says. The one place where the conditions of a device are made.
#pragma once

#include <exception>
#include <optional>
#include <string>
#include <vector>

#include "allocator/types/answers.h"
#include "allocator/types/device.h"
#include "replay/replayer/history_program.h"
#include "replay/replayer/program_device.h"
#include "streams/device/device_costs.h"
#include "traces/model/program_event.h"

namespace vramlab::replay {

class ProgramError;

struct ReplaySetup {
  /// For messages.
  std::string file;
  ReplayConditions asked;
  const ReferenceVersion* version = nullptr;
  Settings settings;
  /// What a program says of its devices.
  std::vector<traces::TraceDevice> known_devices = {};
  /// One device of a recorded history, which must outlive this; null for a program.
  const HistoryProgram* history = nullptr;
  /// The places of the history's next segments.
  std::optional<RecordedPlaces> places = {};

  FreeTiming timing() const;
  /// The program's own changes of options are left out.
  bool keeps_settings() const { return asked.options.has_value(); }
  const streams::DeviceCosts& device_costs() const {
    return asked.costs ? *asked.costs : streams::estimated_costs();
  }
  ChosenMemory memory_of(traces::DeviceIndex device) const;
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
