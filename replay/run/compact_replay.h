// CompactReplay: a compact program on one device, as fast as it goes: the counters of the allocator
// and nothing else. What it comes to is what DeviceReplay comes to, without a curve over time.
#pragma once

#include <optional>

#include "replay/run/compact_program.h"
#include "replay/run/device_replay.h"
#include "replay/run/replay_report.h"

namespace vramlab::replay {

/// A block's id in a compact program is one more than its slot. By slot: where the block is.
/// Nothing where the request failed or asked for nothing.
using SlotAddresses = std::vector<allocator::Address>;

class CompactReplay {
 public:
  /// `addresses` must outlive it, and have a place for each slot of the program.
  CompactReplay(traces::DeviceIndex device, const DeviceConditions& conditions,
                SlotAddresses& addresses);

  void adopt(const std::vector<StartingSegment>& start);
  /// All that was so at the start is so now: counters and peaks begin here.
  void start_is_there();

  /// False where it failed.
  bool request(const CompactEvent& event, const EventShape& shape, std::uint64_t number) {
    ++requests_;
    const allocator::MallocResult result = engine_.malloc(shape.bytes, shape.stream);
    addresses_[event.slot()] = result.address;
    const allocator::Statistics& counted = engine_.listeners();
    if (counted.peak_reserved_bytes() > peak_reserved_) [[unlikely]]
      note_peak(number);
    if (result.outcome == allocator::MallocOutcome::allocated) [[likely]]
      return true;
    return note_failure(result.outcome, shape, number);
  }
  void free(const CompactEvent& event) {
    const allocator::Address at = addresses_[event.slot()];
    if (at == allocator::Address{}) return;
    ++frees_;
    engine_.free(at);
  }
  void use(const CompactEvent& event, const EventShape& shape) {
    const allocator::Address at = addresses_[event.slot()];
    if (at != allocator::Address{} && conditions_.timing != FreeTiming::eager)
      engine_.record_stream(at, shape.stream);
  }
  void apply_other(const traces::ProgramEvent& event, const traces::TextTable& texts);

  DeviceReport report() const;
  std::uint64_t options_left_out() const { return options_left_out_; }
  const streams::MemoryDevice& device() const { return *world_.streams().simulated(); }

 private:
  void note_peak(std::uint64_t number);
  bool note_failure(allocator::MallocOutcome outcome, const EventShape& shape,
                    std::uint64_t number);
  void set_options(const traces::ProgramEvent& event, const traces::TextTable& texts);

  traces::DeviceIndex index_;
  DeviceConditions conditions_;
  PlacedWorld world_;
  allocator::CountingAllocator engine_;
  SlotAddresses& addresses_;
  std::int64_t peak_reserved_ = 0;
  std::uint64_t peak_event_ = 0;
  allocator::Bytes stranded_at_peak_;
  std::vector<FailedRequest> failures_;
  std::uint64_t requests_ = 0;
  std::uint64_t frees_ = 0;
  std::uint64_t options_left_out_ = 0;
};

}  // namespace vramlab::replay
