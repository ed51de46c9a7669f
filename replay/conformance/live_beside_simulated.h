// LiveBesideSimulated: a program's events on a real device and, event by event, on a simulated one
// whose segments are put where the real one put them. Every decision is compared when it is made,
// so that no history has to be kept: calls to the device and their answers, the address that a
// request got, how much is held, and at the end every block and counter.
#pragma once

#include <memory>
#include <string>

#include "replay/conformance/logged_device.h"
#include "replay/replayer/device_replay.h"
#include "replay/replayer/replay_report.h"

namespace vramlab::replay {

struct DecisionDifference {
  /// The event; empty if the difference shows only at the end.
  std::optional<std::uint64_t> event;
  /// The value that differs, such as `the address`.
  std::string what;
  std::string simulated;
  std::string live;
};

/// The result of comparing one device's decisions.
struct DecisionComparison {
  traces::DeviceIndex device;
  /// The number of events up to the first difference.
  std::uint64_t events = 0;
  std::uint64_t device_actions = 0;
  std::optional<DecisionDifference> difference;
};

class LiveBesideSimulated final : public ProgramDevice {
 public:
  /// The result is filled on the way. Requires: the timing is not modelled.
  LiveBesideSimulated(traces::DeviceIndex device, const DeviceConditions& conditions,
                      const MakeDevice& make_live, std::shared_ptr<DecisionComparison> result);

  void adopt(const std::vector<StartingSegment>& start) override;
  void start_is_there() override;
  bool apply(const traces::ProgramEvent& event, std::uint64_t number,
             const traces::TextTable& texts) override;
  void finish() override;
  DeviceReport report() const override { return live_->report(); }
  std::uint64_t options_left_out() const override { return live_->options_left_out(); }
  DeviceReplay* native() override { return live_.get(); }

 private:
  /// Requires: no difference was found yet.
  void compare_actions(std::optional<std::uint64_t> event);
  void compare_event(const traces::ProgramEvent& event, std::uint64_t number);
  void compare_held(std::optional<std::uint64_t> event);
  void note(DecisionDifference difference);
  bool is_same_so_far() const { return !result_->difference.has_value(); }

  std::shared_ptr<DecisionComparison> result_;
  // Made for the current event.
  std::vector<DeviceAction> live_actions_;
  std::vector<DeviceAction> simulated_actions_;
  PlaceRepeater places_;
  std::unique_ptr<DeviceReplay> live_;
  std::unique_ptr<DeviceReplay> simulated_;
};

}  // namespace vramlab::replay
