// ProgramDevice: one device of a program that is replayed, whichever allocator runs on it.
#pragma once

#include <cstdint>
#include <vector>

#include "allocator/types/check.h"
#include "replay/replayer/replay_conditions.h"
#include "replay/replayer/replay_device.h"
#include "traces/model/program_event.h"
#include "traces/model/snapshot_tables.h"

namespace vramlab::replay {

class StreamProgram;
struct ReplaySetup;

/// The places of segments that were there at the start.
enum class StartPlaces : bool { as_recorded, where_the_device_puts_them };

/// Under what one device of a program is replayed. ReplaySetup makes them.
struct DeviceConditions {
  /// For all devices of the program; must outlive this.
  ReplaySetup& setup;
  Bytes memory;
  std::optional<double> memory_fraction = {};
  FreeTiming timing = FreeTiming::recorded;
  /// With modelled timing: shared by all devices of the program; must outlive this.
  StreamProgram* streams = nullptr;
  /// Hears of device memory that was given back.
  std::function<void(streams::AddressRange)> released = {};
  /// Makes something else than a simulated device. Not with modelled timing.
  MakeDevice make_device = {};
  StartPlaces start_places = StartPlaces::as_recorded;
  /// The part of the device beside its memory that the driver keeps.
  Bytes kept{};
};

struct DeviceReport;
struct StartingSegment;
class DeviceReplay;

class ProgramDevice : public Interface {
 public:
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
