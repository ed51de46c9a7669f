// CompactRun: a compact program on all of its devices, as fast as it goes: the counters of the
// allocator and nothing else. What it comes to is what ProgramReplay comes to, without times and
// curves.
#pragma once

#include <map>
#include <memory>
#include <vector>

#include "replay/replayer/engine_replay.h"
#include "replay/replayer/replay_setup.h"

namespace vramlab::replay {

/// A block's id in a compact program is one more than its slot. By slot: where the block is.
/// 0 if the request failed or asked for nothing.
using SlotAddresses = std::vector<Address>;

/// One device of it.
class CompactReplay : public EngineReplay<allocator::CountingAllocator> {
 public:
  /// `addresses` must outlive it, and have a place for each slot of the program.
  CompactReplay(traces::DeviceIndex device, const DeviceConditions& conditions,
                SlotAddresses& addresses)
      : EngineReplay(device, conditions), addresses_(addresses) {}

  void adopt(const std::vector<StartingSegment>& start);
  using EngineReplay::follow_releases;
  /// All that was so at the start is so now: counters and peaks begin here.
  void start_is_there();

  /// False where it failed.
  bool request(const CompactEvent& event, const EventShape& shape, std::uint64_t number) {
    ++requests_;
    const MallocResult result = allocate(shape.bytes, shape.stream, number);
    addresses_[event.slot()] = result.address;
    if (counted().peak_reserved_bytes() > peak_reserved_) [[unlikely]]
      note_peak(number);
    if (result.outcome == MallocOutcome::allocated) [[likely]]
      return true;
    if (result.outcome == MallocOutcome::nothing) return true;
    note_failure(result.outcome, {number, std::nullopt, shape.stream, {}});
    return false;
  }
  void free(const CompactEvent& event) {
    const Address at = addresses_[event.slot()];
    if (at == Address{}) return;
    ++frees_;
    engine_.free(at);
  }
  void use(const CompactEvent& event, const EventShape& shape) {
    const Address at = addresses_[event.slot()];
    if (at != Address{} && conditions_.timing != FreeTiming::eager)
      engine_.record_stream(at, shape.stream);
  }
  void apply_other(const traces::ProgramEvent& event, const traces::TextTable& texts);

  DeviceReport report() const;

 private:
  void note_peak(std::uint64_t number);

  SlotAddresses& addresses_;
  std::int64_t peak_reserved_ = 0;
  std::uint64_t peak_event_ = 0;
};

class CompactRun {
 public:
  /// All of it must outlive the run. Requires: can_run().
  CompactRun(const ProgramPart& part, ReplaySetup& setup, const traces::TextTable& texts);

  /// Whether counters are all that it takes: no names of blocks, no streams in virtual time, and
  /// PyTorch's own allocator.
  static bool can_run(const ProgramPart& part, const ReplaySetup& setup);

  /// Adds devices to the report. Throws InputError where an event must not be.
  void run(ReplayReport& report);

 private:
  void adopt();
  void run_events(ReplayReport& report);
  CompactReplay& device_of(traces::DeviceIndex index);
  /// False where a request failed.
  bool apply(std::size_t index);

  const CompactProgram& program_;
  CompactReader reader_;
  const ProgramPart& part_;
  ReplaySetup& setup_;
  const traces::TextTable& texts_;
  SlotAddresses addresses_;
  /// The next event.
  std::size_t at_ = 0;
  /// Events that stand for recorded memory, where there is other memory.
  std::size_t left_out_ = 0;
  /// Events about memory that others held when it was recorded count.
  bool applies_recorded_memory_;
  std::map<traces::DeviceIndex, std::unique_ptr<CompactReplay>> devices_;
  /// The one that the last event was about.
  traces::DeviceIndex last_index_;
  CompactReplay* last_ = nullptr;
};

}  // namespace vramlab::replay
