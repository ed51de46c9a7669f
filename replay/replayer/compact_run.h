// CompactRun: a compact program on all of its devices, as fast as it goes: the counters of the
// allocator and nothing else. Its figures are those of ProgramReplay, without times and curves.
// CompactRecordingRun keeps the allocator's entries as well.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <span>
#include <vector>

#include "replay/replayer/changes_on_the_way.h"
#include "replay/replayer/engine_replay.h"
#include "replay/replayer/replay_setup.h"

namespace vramlab::replay {

/// A block's id in a compact program is one more than its slot. By slot: where the block is.
/// 0 if the request failed or asked for nothing.
using SlotAddresses = std::vector<Address>;

/// One device of it.
template <class Allocator>
class CompactReplayOf : public EngineReplay<Allocator> {
  using Base = EngineReplay<Allocator>;

 public:
  /// `addresses` must outlive it, and have a place for each slot of the program.
  CompactReplayOf(traces::DeviceIndex device, const DeviceConditions& conditions,
                  SlotAddresses& addresses)
      : Base(device, conditions), addresses_(addresses) {}

  void adopt(const std::vector<StartingSegment>& start);
  using Base::follow_releases;
  /// All that was so at the start is so now: counters, peaks and entries begin here.
  void start_is_there();

  /// False where it failed.
  bool request(const CompactEvent& event, const EventShape& shape, std::uint64_t number) {
    ++this->requests_;
    const MallocResult result = this->allocate(shape.bytes, shape.stream, number);
    addresses_[event.slot()] = result.address;
    if (this->counted().peak_reserved_bytes() > peak_reserved_) [[unlikely]]
      note_peak(number);
    if (result.outcome == MallocOutcome::allocated) [[likely]]
      return true;
    if (result.outcome == MallocOutcome::nothing) return true;
    this->note_failure(result.outcome, {number, std::nullopt, shape.stream, {}});
    return false;
  }
  void free(const CompactEvent& event) {
    const Address at = addresses_[event.slot()];
    if (at == Address{}) return;
    ++this->frees_;
    this->engine_.free(at);
  }
  void use(const CompactEvent& event, const EventShape& shape) {
    const Address at = addresses_[event.slot()];
    if (at != Address{} && this->conditions_.timing != FreeTiming::eager)
      this->engine_.record_stream(at, shape.stream);
  }
  void apply_other(const traces::ProgramEvent& event, const traces::TextTable& texts);

  DeviceReport report() const;
  /// Entries made since they were taken last. Requires: the allocator keeps its entries.
  std::vector<AllocatorEvent> take_entries();
  std::size_t held_count() const {
    return static_cast<const allocator::History&>(this->engine_.listeners()).held_count();
  }

 private:
  void note_peak(std::uint64_t number);

  SlotAddresses& addresses_;
  std::int64_t peak_reserved_ = 0;
  std::uint64_t peak_event_ = 0;
};

/// Whether counters are all that it takes: no names of blocks, no streams in virtual time, and
/// PyTorch's own allocator.
bool can_run_compact(const ProgramPart& part, const ReplaySetup& setup);

/// Takes what an allocator that keeps its entries made since the last time.
using TakeEntries = std::function<void(std::span<const AllocatorEvent>)>;

template <class Allocator>
class CompactRunOf {
 public:
  /// All of it must outlive the run. Requires: can_run_compact().
  CompactRunOf(const ProgramPart& part, ReplaySetup& setup, const traces::TextTable& texts,
               TakeEntries take_entries = {});

  /// Adds devices to the report. Throws InputError where an event must not be.
  void run(ReplayReport& report);

 private:
  void adopt();
  void run_events(ReplayReport& report);
  /// Sets the options that are asked for before the next event.
  void change_options();
  CompactReplayOf<Allocator>& device_of(traces::DeviceIndex index);
  /// False where a request failed.
  bool apply(std::size_t index);
  void hand_over_entries(std::size_t from_count);

  const CompactProgram& program_;
  CompactReader reader_;
  const ProgramPart& part_;
  ReplaySetup& setup_;
  const traces::TextTable& texts_;
  TakeEntries take_entries_;
  SlotAddresses addresses_;
  /// The next event.
  std::size_t at_ = 0;
  ChangesOnTheWay changes_;
  /// Events that stand for recorded memory, where there is other memory.
  std::size_t left_out_ = 0;
  /// Events about memory that others held when it was recorded count.
  bool applies_recorded_memory_;
  std::map<traces::DeviceIndex, std::unique_ptr<CompactReplayOf<Allocator>>> devices_;
  /// The one that the last event was about.
  traces::DeviceIndex last_index_;
  CompactReplayOf<Allocator>* last_ = nullptr;
};

using CompactRun = CompactRunOf<allocator::CountingAllocator>;
/// Keeps entries, and hands them over in batches.
using CompactRecordingRun = CompactRunOf<allocator::RecordingAllocator>;

extern template class CompactRunOf<allocator::CountingAllocator>;
extern template class CompactRunOf<allocator::RecordingAllocator>;

}  // namespace vramlab::replay
