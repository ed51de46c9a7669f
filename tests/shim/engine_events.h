// EngineEvents: what an engine did, told by what can be seen of it: what it asked of the driver and
// gave back, in order, and where blocks were cut, merged, taken and freed. Two engines that decide
// the same have the same events, and the first that differs is a line that can be read.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "allocator/types/snapshot.h"
#include "replay/conformance/live_beside_simulated.h"

namespace vramlab::tests {

using EngineEvents = std::vector<std::string>;

/// Says what was asked of one driver and given back, with a number for each piece of memory. What
/// is mapped is not told: the blocks tell it.
class DriverEvents {
 public:
  EngineEvents events_of(const std::vector<replay::DeviceAction>& actions);

 private:
  std::string text_of(const replay::DeviceAction& action);

  std::map<allocator::Address, std::uint64_t> numbers_;
  std::uint64_t granted_ = 0;
};

/// Addresses are told as their distance from `origin`. What became of the blocks from one state to
/// the other: cut, merged, come, gone, or otherwise used.
EngineEvents block_events(const allocator::Snapshot& before, const allocator::Snapshot& after,
                          std::uint64_t origin);

/// One engine's events, from one time to the next: the driver's first.
class EventReader {
 public:
  EngineEvents of(std::vector<replay::DeviceAction>& driver, const allocator::Snapshot& now,
                  std::uint64_t origin) {
    EngineEvents events = driver_.events_of(driver);
    driver.clear();
    for (std::string& event : block_events(before_, now, origin))
      events.push_back(std::move(event));
    before_ = now;
    return events;
  }

 private:
  DriverEvents driver_;
  allocator::Snapshot before_;
};

}  // namespace vramlab::tests
