// DeviceReplay: a program's events on one device, an allocator and a simulated device under it.
#pragma once

#include <cstdint>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <unordered_set>
#include <vector>

#include "allocator/door/caching_allocator.h"
#include "replay/figures/memory_curve.h"
#include "replay/run/history_program.h"
#include "replay/run/placed_world.h"
#include "replay/run/program_device.h"
#include "replay/runner/live_addresses.h"
#include "replay/state/device_state.h"
#include "streams/device/device_costs.h"
#include "traces/values/program_event.h"
#include "traces/values/snapshot_tables.h"

namespace vramlab::replay {

/// When memory that other streams used is free again.
enum class FreeTiming : std::uint8_t {
  /// When the program says that a stream's work is done.
  recorded,
  /// At once, as if nobody used it on another stream.
  eager,
  /// By the durations of the work on the streams; also when the program says so.
  modelled,
};

enum class NotesOrigins : bool { no, yes };

/// Where the segments are laid out that were there at the start.
enum class StartPlaces : bool { as_recorded, where_the_device_puts_them };

/// As many entries as there are.
inline constexpr std::size_t unlimited_history = std::numeric_limits<std::size_t>::max();

struct DeviceConditions {
  const allocator::ReferenceVersion& version;
  allocator::Settings settings;
  allocator::Bytes memory;
  std::optional<double> memory_fraction;
  /// In place of what the program says of others.
  std::optional<allocator::Bytes> held_by_others = {};
  FreeTiming timing = FreeTiming::recorded;
  /// Of modelled timing: what all devices of the program share, and what must outlive this.
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
  /// Larger reservations are left to the device.
  allocator::Bytes dictated_below{UINT64_MAX};
  streams::KeepsPlaceBook keeps_place_book = streams::KeepsPlaceBook::no;
  /// What device calls cost; estimates where there are none.
  std::shared_ptr<const streams::DeviceCosts> costs = {};
  /// Hears of device memory that was given back.
  std::function<void(streams::AddressRange)> released = {};
  /// Where something else than a simulated device is to be replayed on. Not with modelled timing.
  MakeDevice make_device = {};
  StartPlaces start_places = StartPlaces::as_recorded;
};

const streams::DeviceCosts& costs_of(const DeviceConditions& conditions);

/// A moment at which more was held than ever before.
struct PeakMoment {
  allocator::Bytes bytes;
  std::uint64_t event = 0;
  std::optional<std::uint64_t> time_ns;
};

struct FailedRequest {
  std::uint64_t event = 0;
  std::optional<std::uint64_t> time_ns;
  allocator::StreamId stream;
  allocator::OutOfMemory figures;
};

class DeviceReplay final : public ProgramDevice {
 public:
  DeviceReplay(traces::DeviceIndex device, const DeviceConditions& conditions);

  void adopt(const std::vector<StartingSegment>& start) override;
  void start_is_there() override;
  bool apply(const traces::ProgramEvent& event, std::uint64_t number,
             const traces::TextTable& texts) override;
  DeviceReport report() const override;
  DeviceReplay* native() override { return this; }

  traces::DeviceIndex device() const { return index_; }
  allocator::StatisticValues statistics() const;
  streams::DeviceCallCounts device_calls() const { return world_.call_counts(); }
  allocator::Bytes memory() const { return conditions_.memory; }
  const PeakMoment& peak_allocated() const { return peak_allocated_; }
  const PeakMoment& peak_reserved() const { return peak_reserved_; }
  std::uint64_t options_left_out() const override { return options_left_out_; }
  const std::vector<FailedRequest>& failures() const { return failures_; }

  allocator::Snapshot take_snapshot() { return engine_.take_snapshot(); }
  std::vector<allocator::AllocatorEvent> history() const;
  /// With all that did not stay in the allocator; it is gone from here then.
  traces::LongSequence<allocator::AllocatorEvent> take_history();
  /// Of the blocks in use; of others too. Where that is noted.
  const std::map<allocator::Address, RequestOrigin>& origins() const { return origins_; }
  /// What was asked for, where that is noted.
  const std::optional<RequestSizes>& request_sizes() const { return request_sizes_; }
  /// Nothing before the first event.
  const std::optional<StateMoment>& last_event() const { return last_event_; }
  allocator::Bytes device_free() { return world_.device().memory_info().free; }
  /// Of each entry of history() or take_history(): where the request or the free is in the program.
  traces::LongSequence<traces::StackId> history_stacks(
      const traces::LongSequence<allocator::AllocatorEvent>& entries) const;
  const allocator::RecordingAllocator& engine() const { return engine_; }
  allocator::RecordingAllocator& engine() { return engine_; }
  /// Nothing where the id names no live block.
  std::optional<allocator::Address> address_of(std::uint64_t id) const { return live_.find(id); }

 private:
  using Event = traces::ProgramEvent;

  using Kind = traces::ProgramEventKind;

  void apply_other(const Event& event, const traces::TextTable& texts);
  bool request(const Event& event, std::uint64_t number);
  void move_history_out();
  void move_entries_out();
  void note_origin(const Event& event, std::uint64_t number, allocator::Address at);
  void free(const Event& event);
  void use(const Event& event);
  void set_options(const Event& event, const traces::TextTable& texts);
  void keep_or_restore(const Event& event, const traces::TextTable& texts);
  bool make_call(const Event& event, std::uint64_t number, const traces::TextTable& texts);
  void note_peaks(const Event& event, std::uint64_t number);
  void note_level(const Event& event, std::uint64_t number);
  void adopt(const StartingSegment& start);
  std::optional<std::uint64_t> time_of(const Event& event) const;
  allocator::Address address_of(const Event& event, const char* purpose) const;

  traces::DeviceIndex index_;
  DeviceConditions conditions_;
  PlacedWorld world_;
  allocator::RecordingAllocator engine_;
  LiveAddresses live_;
  /// Requests that failed: what else the program does with them is left out.
  std::unordered_set<std::uint64_t> failed_ids_;
  std::map<std::string, allocator::Checkpoint> checkpoints_;
  std::map<allocator::Address, RequestOrigin> origins_;
  std::optional<RequestSizes> request_sizes_;
  std::optional<StateMoment> last_event_;
  /// Of a history that is kept as a whole, what is no longer in the allocator.
  traces::LongSequence<allocator::AllocatorEvent> history_;
  traces::LongSequence<traces::StackId> request_stacks_;
  /// Of all frees, while a history is kept.
  traces::LongSequence<traces::StackId> free_stacks_;
  std::vector<FailedRequest> failures_;
  PeakMoment peak_allocated_;
  PeakMoment peak_reserved_;
  allocator::Bytes stranded_at_peak_;
  MemoryCurve curve_;
  std::optional<std::uint64_t> begin_ns_;
  std::optional<std::uint64_t> end_ns_;
  std::uint64_t requests_ = 0;
  std::uint64_t frees_ = 0;
  std::uint64_t options_left_out_ = 0;
};

/// As it is now. The device's free memory is that of the simulated one.
DeviceState state_of(DeviceReplay& replay);

}  // namespace vramlab::replay
