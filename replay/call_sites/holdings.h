// Holdings: who held a device's memory at a moment, as a list of blocks. They are found while the
// events go by, in one pass for any moment: the peak is known only at the end, but the blocks at
// the highest point so far are kept at hand. A new mark only costs forgetting the one before, and
// memory is bounded by the blocks ever held at once, not by the number of events.
//
// Memory is allocated from when it is handed out until its owner gives it back; the peak is the
// first event at which most memory was allocated. If a file does not say when memory was given
// back, the completion of the free counts. Bytes are those of blocks, as torch.cuda counts them:
// what a block has beyond its request belongs to the request's call site.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "replay/call_sites/call_sites.h"
#include "replay/call_sites/memory_events.h"
#include "replay/metrics/device_state.h"
#include "replay/metrics/memory_curve.h"
#include "traces/io/input_error.h"

namespace vramlab::replay {

struct DeviceHoldings {
  std::int64_t device = 0;
  std::uint64_t event_count = 0;
  /// False: only the state at the end is known, and shown.
  bool has_history = false;
  /// The last event up to the moment; empty if the moment is before the first event.
  std::optional<std::uint64_t> event;
  /// The time of that event, counted from the first one of the file.
  std::optional<std::uint64_t> since_begin_ns;
  std::optional<std::uint64_t> time_ns;
  /// Oldest first.
  std::vector<LiveBlock> blocks;
  /// They are as large as the blocks were. Otherwise requests are rounded up: where no allocator
  /// can have made the history, and for a program's pinned memory.
  bool has_block_sizes = false;
  /// Handed out again without having been given back, or neither given back nor there at the end.
  std::uint64_t contradictions = 0;
};

/// The refusal of a moment that a file does not have, such as an out-of-memory; another may have
/// it.
class NoSuchMoment : public traces::InputError {
 public:
  using InputError::InputError;
};

class HoldingsFinder : public MemoryEventSink {
 public:
  /// `file` is for messages. `allocated_after`: only what was allocated after this event.
  HoldingsFinder(std::string file, const Moment& moment, KeyMeaning keys,
                 std::optional<std::uint64_t> allocated_after = {});

  void memory_event(const MemoryEvent& event) override;
  void device_seen(std::int64_t device) override { device_of(device); }
  void sizes_are_known(std::int64_t device) override { device_of(device).has_sizes = true; }
  void earlier_block(std::int64_t device, const LiveBlock& block) override {
    device_of(device).add_earlier(block);
  }
  void most_is_reserved(std::int64_t device) override;
  void restored(std::int64_t device, const RestoredBlocks& restored) override;
  void final_segment(std::int64_t device) override { device_of(device).has_final_state = true; }
  void final_block(std::int64_t device, const LiveBlock& block) override {
    device_of(device).final_blocks.push_back(block);
  }

  /// Once the reader is through; devices by number, those without such a moment left out. Throws
  /// NoSuchMoment where no device has it. `event_count`: of a program, across its devices.
  std::vector<DeviceHoldings> finish(std::optional<std::uint64_t> event_count);

 private:
  /// Empty before the first event; an event may have no time.
  struct EventMoment {
    std::optional<std::uint64_t> event;
    std::optional<std::uint64_t> time_ns;
  };
  /// Blocks that are held on a device now, and those that were held at the mark.
  struct Device : LiveBlocks {
    explicit Device(const HoldingsFinder& finder)
        : LiveBlocks(finder.keys_, finder.file_),
          marks_peaks(finder.moment_.kind == MomentKind::peak) {}

    void mark(const EventMoment& at);
    bool was_at_mark(const LiveBlock& block) const {
      return !block.event || (marked.event && *block.event <= *marked.event);
    }
    /// Null where its owner gave it back.
    const LiveBlock* held(std::uint64_t key) const;
    /// Blocks from before the first event that were never given back are not among them.
    std::vector<LiveBlock> held_at_mark() const;
    std::vector<LiveBlock> held_at_end() const;
    std::vector<LiveBlock> survivors() const;
    std::uint64_t missing_at_end() const;

    void block_allocated(const LiveBlock& block) override;
    void block_freed(const LiveBlock& block) override;
    void block_lost(const LiveBlock& block) override;
    void first_free_told() override;
    void raise(Bytes bytes);

    const bool marks_peaks;
    std::uint64_t event_count = 0;
    bool has_history = false;
    /// The moment was reached, and nothing after it counts.
    bool is_reached = false;
    /// Blocks from before the first event are left out.
    Peak allocated;
    bool has_sizes = false;
    Bytes earlier_given_back;
    EventMoment last;
    EventMoment last_allocation;
    EventMoment marked;
    std::vector<LiveBlock> given_back_since_mark;
    std::uint64_t contradictions = 0;
    bool has_final_state = false;
    std::vector<LiveBlock> final_blocks;
  };

  Device& device_of(std::int64_t number) {
    return devices_.try_emplace(number, *this).first->second;
  }
  bool is_past_moment(const MemoryEvent& event) const;
  bool ends_at_moment(const Device& device, std::optional<std::uint64_t> event_count) const;
  DeviceHoldings holdings_of(std::int64_t number, Device& device) const;
  NoSuchMoment no_such_moment() const;

  std::string file_;
  Moment moment_;
  KeyMeaning keys_;
  std::optional<std::uint64_t> allocated_after_;
  std::optional<std::uint64_t> first_time_ns_;
  std::optional<std::uint64_t> last_time_ns_;
  std::map<std::int64_t, Device> devices_;
};

struct FoundHoldings {
  std::vector<DeviceHoldings> devices;
  /// The kinds of memory; null where nobody asked, or the recording does not say.
  std::shared_ptr<const RecordingKinds> kinds;
  /// Sentences about all that is not sure.
  std::vector<std::string> notes;
};

/// `allocated_after`: only what was allocated after this event. Throws InputError; NoSuchMoment
/// where there is none.
FoundHoldings find_holdings(Recording& recording, const Moment& moment,
                            std::optional<std::uint64_t> allocated_after = {});

/// Adds what blocks hold, with all that is not sure about it; null adds a note that the recording
/// does not say it.
void add_kinds(FoundHoldings& found, std::shared_ptr<const RecordingKinds> kinds);

/// The blocks of one of its devices in groups.
std::vector<HeldGroup> group_holdings(const FoundHoldings& found, const DeviceHoldings& device,
                                      GroupBy by, const traces::SnapshotTables& tables);

}  // namespace vramlab::replay
