// Holdings: who held a device's memory at a moment, as a list of blocks. They are found while the
// events go by, in one pass for any moment: the peak is known only at the end, but what was held at
// the highest point so far is kept at hand (HeldMemory).
//
// Allocated is what was handed out and not given back by its owner yet; the peak is the first event
// at which most of it, as requested, was allocated. Where a file does not say when memory was given
// back, the completion of the free counts.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "replay/figures/moment.h"
#include "replay/holders/held_memory.h"

namespace vramlab::replay {

struct DeviceHoldings {
  std::int64_t device = 0;
  std::uint64_t event_count = 0;
  /// False: only the state at the end is known, and shown.
  bool has_history = false;
  /// The last event before the moment, or at it; nothing where that is before the first one.
  std::optional<std::uint64_t> event;
  /// Of that event, counted from the first one of the file.
  std::optional<std::uint64_t> since_begin_ns;
  std::optional<std::uint64_t> time_ns;
  /// Oldest first.
  std::vector<HeldBlock> blocks;
  /// They are as large as the blocks were, not only as the requests rounded up.
  bool has_block_sizes = false;
  /// Handed out again without having been given back, or neither given back nor there at the end.
  std::uint64_t contradictions = 0;
};

class HoldingsFinder : public MemoryEventSink {
 public:
  /// `file` is for messages. `allocated_after`: only what was allocated after this event.
  HoldingsFinder(std::string file, const Moment& moment, KeyMeaning keys,
                 std::optional<std::uint64_t> allocated_after = {});

  void memory_event(const MemoryEvent& event) override;
  void device_seen(std::int64_t device) override { devices_[device]; }
  void final_segment(std::int64_t device) override { devices_[device].has_final_state = true; }
  void final_block(std::int64_t device, const HeldBlock& block) override {
    devices_[device].final_blocks.push_back(block);
  }

  /// Once the reader is through; devices by number, those without such a moment left out. Throws
  /// InputError where no device has it. `event_count`: of a program, across its devices.
  std::vector<DeviceHoldings> finish(std::optional<std::uint64_t> event_count);

 private:
  /// Nothing: before the first event; an event may have no time.
  struct EventMoment {
    std::optional<std::uint64_t> event;
    std::optional<std::uint64_t> time_ns;
  };
  struct Device {
    HeldMemory memory;
    std::uint64_t event_count = 0;
    bool has_history = false;
    bool says_when_freed = false;
    /// The moment was reached, and nothing after it counts.
    bool is_reached = false;
    std::int64_t highest = 0;
    EventMoment last;
    EventMoment last_allocation;
    EventMoment marked;
    std::uint64_t contradictions = 0;
    bool has_final_state = false;
    std::vector<HeldBlock> final_blocks;
  };

  bool is_past_moment(const MemoryEvent& event) const;
  static void mark(Device& device, const EventMoment& at);
  void apply(Device& device, const MemoryEvent& event);
  void release(Device& device, const MemoryEvent& event);
  void complete_free(Device& device, const MemoryEvent& event);
  void note_peak(Device& device);
  bool ends_at_moment(const Device& device, std::optional<std::uint64_t> event_count) const;
  DeviceHoldings holdings_of(std::int64_t number, Device& device) const;
  static std::vector<HeldBlock> at_end(const Device& device);
  static void add_survivors(const Device& device, std::vector<HeldBlock>& blocks);
  static std::uint64_t missing_at_end(const Device& device);
  traces::InputError no_such_moment() const;

  std::string file_;
  Moment moment_;
  KeyMeaning keys_;
  std::optional<std::uint64_t> allocated_after_;
  /// A checkpoint was restored: ids that no malloc named may be freed.
  bool allows_unknown_ids_ = false;
  std::optional<std::uint64_t> first_time_ns_;
  std::optional<std::uint64_t> last_time_ns_;
  std::map<std::int64_t, Device> devices_;
};

}  // namespace vramlab::replay
