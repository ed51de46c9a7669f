// ProgramDevice: one device of a program that is replayed, whichever allocator runs on it.
#pragma once

#include <cstdint>
#include <vector>

#include "traces/values/program_event.h"
#include "traces/values/snapshot_tables.h"

namespace vramlab::replay {

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
