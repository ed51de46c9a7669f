// ProgramDevice: one device of a program that is replayed, whichever allocator runs on it.
#pragma once

#include <cstdint>
#include <vector>

#include "allocator/options/settings.h"
#include "replay/devices/device_sides.h"
#include "replay/run/replay_conditions.h"
#include "streams/device/device_costs.h"
#include "streams/memory/simulated_memory.h"
#include "traces/values/program_event.h"
#include "traces/values/snapshot_tables.h"

namespace vramlab::replay {

// DeviceConditions: under what one device of a program is replayed. ReplaySetup makes them.

class StreamProgram;

/// The places of segments that were there at the start.
enum class StartPlaces : bool { as_recorded, where_the_device_puts_them };

struct DeviceConditions {
  const ReferenceVersion& version;
  Settings settings;
  Bytes memory;
  std::optional<double> memory_fraction;
  /// In place of what the program says of others.
  std::optional<Bytes> held_by_others = {};
  FreeTiming timing = FreeTiming::recorded;
  /// With modelled timing: shared by all devices of the program; must outlive this.
  StreamProgram* streams = nullptr;
  /// The program's own changes of options are left out.
  bool keeps_settings = false;
  /// Entries of history to keep.
  std::size_t history_capacity = 0;
  /// For a history that is kept as a whole.
  traces::ScratchPlace scratch = {};
  /// What states tell beside the snapshot is noted.
  NotesOrigins notes_origins = NotesOrigins::no;
  streams::PlacementRule placement = {};
  /// New memory goes here or above, into the lowest gap; empty for the device's own places.
  std::optional<Address> lowest_allocation = {};
  std::optional<Address> lowest_reservation = {};
  /// Larger reservations are left to the device.
  Bytes dictated_below{UINT64_MAX};
  streams::KeepsRanges keeps_ranges = streams::KeepsRanges::no;
  /// What device calls cost; estimates where there are none.
  std::shared_ptr<const streams::DeviceCosts> costs = {};
  /// Hears of device memory that was given back.
  std::function<void(streams::AddressRange)> released = {};
  /// Makes something else than a simulated device. Not with modelled timing.
  MakeDevice make_device = {};
  StartPlaces start_places = StartPlaces::as_recorded;

  const streams::DeviceCosts& device_costs() const {
    return costs ? *costs : streams::estimated_costs();
  }
};

struct DeviceReport;
struct StartingSegment;
class DeviceReplay;

class ProgramDevice {
 public:
  ProgramDevice() = default;
  ProgramDevice(const ProgramDevice&) = delete;
  ProgramDevice& operator=(const ProgramDevice&) = delete;
  virtual ~ProgramDevice() = default;

  /// Before the first event: what was there when a recording began.
  virtual void adopt(const std::vector<StartingSegment>& start) = 0;
  /// All that was so at the start is so now: counters, peaks and history begin here.
  virtual void start_is_there() {}
  /// False where a request failed. `number` is the event's, for reports. Throws AllocatorError
  /// where the event must not be, such as a free of what is not there, or DeviceError.
  virtual bool apply(const traces::ProgramEvent& event, std::uint64_t number,
                     const traces::TextTable& texts) = 0;
  /// After the last event.
  virtual void finish() {}
  virtual DeviceReport report() const = 0;
  virtual std::uint64_t options_left_out() const = 0;
  /// Null unless PyTorch's own allocator runs on it.
  virtual DeviceReplay* native() { return nullptr; }
};

}  // namespace vramlab::replay
