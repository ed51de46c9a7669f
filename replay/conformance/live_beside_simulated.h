// LiveBesideSimulated: a program's events on a real device and, event by event, on a simulated one
// whose segments are put where the real one put them. Every decision is compared when it is made,
// so that no history has to be kept: calls to the device and their answers, the address that a
// request got, how much is held, and at the end every block and counter.
#pragma once

#include <deque>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "replay/replayer/device_replay.h"
#include "replay/replayer/replay_device.h"
#include "replay/replayer/replay_report.h"
#include "streams/memory/simulated_memory.h"

namespace vramlab::replay {

struct DeviceAction {
  enum class Kind : std::uint8_t { allocate, release, reserve, release_reservation, map, unmap };
  Kind kind = Kind::allocate;
  /// False if the device had no room.
  bool was_granted = true;
  /// 0 if the action was not granted.
  Address at;
  /// All units together.
  Bytes size;
  friend bool operator==(const DeviceAction&, const DeviceAction&) = default;
};

/// Such as `map 20.00 MiB at 0x7f0000000000`.
std::string action_text(const DeviceAction& action);

/// Passes everything on to a device and notes what was done with its memory, in order. Two devices
/// with the same calls and the same answers have equal logs.
class LoggedDevice final : public allocator::Device {
 public:
  /// Both must outlive this.
  LoggedDevice(allocator::Device& device, std::vector<DeviceAction>& log)
      : device_(device), log_(log) {}

  allocator::MemoryInfo memory_info() override { return device_.memory_info(); }
  std::optional<Address> allocate(Bytes size, StreamId stream) override;
  void release(Address at) override;
  std::optional<Address> reserve(Bytes size, StreamId stream) override;
  void release_reservation(Address at, Bytes size) override;
  [[nodiscard]] bool map(const UnitRange& range) override;
  void unmap(const UnitRange& range) override;
  void wait_for_stream(StreamId stream) override { device_.wait_for_stream(stream); }
  EventId record_event(StreamId stream) override { return device_.record_event(stream); }
  bool is_complete(EventId event) override { return device_.is_complete(event); }
  void wait_for_event(EventId event) override { device_.wait_for_event(event); }
  void forget_event(EventId event) override { device_.forget_event(event); }
  std::optional<StreamCapture> capture_of(StreamId stream) override {
    return device_.capture_of(stream);
  }
  std::vector<GraphNode> dependencies_of(GraphNode node) override {
    return device_.dependencies_of(node);
  }

 private:
  using Kind = DeviceAction::Kind;

  allocator::Device& device_;
  std::vector<DeviceAction>& log_;
};

/// The same device, with its actions noted in the log, which must outlive it.
DeviceSides logged(DeviceSides device, std::vector<DeviceAction>& log);

/// Puts a simulated device's segments and reservations where another device put its own. The
/// allocator prefers the lowest of equal addresses, so two runs decide alike only where their
/// addresses are in the same order; with the same addresses, everything can be compared.
class PlaceRepeater {
 public:
  /// Adds the next actions of the other device.
  void add(std::span<const DeviceAction> actions) {
    for (const DeviceAction& action : actions)
      if (action.was_granted && (action.kind == DeviceAction::Kind::allocate ||
                                 action.kind == DeviceAction::Kind::reserve))
        places_.push_back(action);
  }
  /// The next place, if it is for such a request; otherwise the device chooses.
  std::optional<Address> place(const streams::PlaceRequest& request) {
    const auto kind = request.kind == streams::PlaceKind::allocation ? DeviceAction::Kind::allocate
                                                                     : DeviceAction::Kind::reserve;
    if (places_.empty() || places_.front().kind != kind || places_.front().size != request.size)
      return std::nullopt;
    const Address at = places_.front().at;
    places_.pop_front();
    return at;
  }

 private:
  std::deque<DeviceAction> places_;
};

/// Simulated devices with these places, which must outlive them.
MakeDevice simulated_at(PlaceRepeater& places);

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
