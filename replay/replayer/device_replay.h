// DeviceReplay: a program's events on one device, an allocator and a simulated device under it.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <unordered_set>
#include <vector>

#include "replay/metrics/device_state.h"
#include "replay/recording/recorded_history.h"
#include "replay/replayer/apply_event.h"
#include "replay/replayer/engine_replay.h"
#include "replay/replayer/program_device.h"

namespace vramlab::replay {

class DeviceReplay final : public ProgramDevice,
                           public EngineReplay<allocator::ExplainingAllocator> {
 public:
  DeviceReplay(traces::DeviceIndex device, const DeviceConditions& conditions);

  void adopt(const std::vector<StartingSegment>& start) override;
  void start_is_there() override;
  bool apply(const traces::ProgramEvent& event, std::uint64_t number,
             const traces::TextTable& texts) override;
  DeviceReport report() const override;
  DeviceReplay* native() override { return this; }

  std::uint64_t options_left_out() const override { return options_left_out_; }
  Snapshot take_snapshot() { return engine_.take_snapshot(); }
  std::vector<AllocatorEvent> history() const;
  /// The history begins here.
  void forget_history();
  /// With all that did not stay in the allocator; it is gone from here then.
  traces::LongSequence<AllocatorEvent> take_history();
  /// For the blocks in use and for others too, if that is noted.
  const std::map<Address, RequestOrigin>& origins() const { return origins_; }
  /// Up to now.
  const ReachedPeak& peak_allocated() const { return peak_allocated_; }
  const ReachedPeak& peak_reserved() const { return peak_reserved_; }
  /// Figures of the request, where they are noted.
  const std::optional<RequestSizes>& request_sizes() const { return request_sizes_; }
  /// Empty before the first event.
  const std::optional<StateMoment>& last_event() const { return last_event_; }
  /// Rules that acted since they were asked for last.
  std::vector<allocator::Rule> take_rules() {
    return static_cast<allocator::ActedRules&>(engine_.listeners()).take_rules();
  }
  /// Gives back what was given back after the last call, if a course is followed.
  void follow_to_the_end(std::uint64_t event_count);
  Bytes device_free() { return on_device_.device().memory_info().free; }
  /// For each entry of history() or take_history(): the stack of the request or the free.
  traces::LongSequence<traces::StackId> history_stacks(
      const traces::LongSequence<AllocatorEvent>& entries) const;
  /// Empty if the id names no live block.
  std::optional<Address> address_of(std::uint64_t id) const { return live_.find(id); }
  /// Blocks that the last restored checkpoint brought back: they have the ids from its event's on.
  std::size_t restored_count() const { return restored_count_; }

 private:
  allocator::History& kept() { return engine_.listeners(); }
  const allocator::History& kept() const { return engine_.listeners(); }
  void apply_other(const Event& event, const traces::TextTable& texts);
  bool request(const Event& event, std::uint64_t number);
  void move_history_out();
  void move_entries_out();
  void note_origin(const Event& event, std::uint64_t number, Address at);
  void free(const Event& event);
  void use(const Event& event);
  void keep_or_restore(const Event& event, const traces::TextTable& texts);
  bool make_call(const Event& event, std::uint64_t number, const traces::TextTable& texts);
  void note_peaks(const Event& event, std::uint64_t number);
  void note_level(const Event& event, std::uint64_t number);
  std::optional<std::uint64_t> time_of(const Event& event) const;
  Address address_of(const Event& event, const char* purpose) const;

  LiveAddresses live_;
  /// Requests that failed: what else the program does with them is left out.
  std::unordered_set<std::uint64_t> failed_ids_;
  std::map<std::string, allocator::Checkpoint> checkpoints_;
  std::size_t restored_count_ = 0;
  std::map<Address, RequestOrigin> origins_;
  std::optional<RequestSizes> request_sizes_;
  std::optional<StateMoment> last_event_;
  /// The part of a history that is kept as a whole and is no longer in the allocator.
  traces::LongSequence<AllocatorEvent> history_;
  traces::LongSequence<traces::StackId> request_stacks_;
  /// All frees, while a history is kept.
  traces::LongSequence<traces::StackId> free_stacks_;
  /// Requests that failed and have an entry, while a history is kept.
  traces::LongSequence<traces::StackId> failure_stacks_;
  ReachedPeak peak_allocated_;
  ReachedPeak peak_reserved_;
  MemoryCurve curve_;
  std::optional<std::uint64_t> begin_ns_;
  std::optional<std::uint64_t> end_ns_;
};

/// As it is now. The device's free memory is that of the simulated one.
DeviceState state_of(DeviceReplay& replay);

/// Its allocator's history, as a recording would have it. Requires: it is kept as a whole; it is
/// gone from there then.
DeviceHistory history_of(DeviceReplay& replay);

}  // namespace vramlab::replay
