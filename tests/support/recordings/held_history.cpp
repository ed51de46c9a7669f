#include "tests/support/recordings/held_history.h"

#include "tests/support/kit/random_numbers.h"

namespace vramlab::tests {
namespace {

using replay::LiveBlock;
using traces::KnownText;
using traces::TraceEntry;

constexpr std::uint64_t first_address = 0x10000;
constexpr std::uint64_t place_bytes = 0x1000;

class HeldHistoryMaker {
 public:
  HeldHistoryMaker(std::uint64_t seed, FreeEntries frees) : random_(seed), frees_(frees) {}

  HeldHistory make(std::size_t steps, std::size_t steps_before) {
    for (std::size_t i = 0; i < steps_before; ++i) step();
    begin();
    for (std::size_t i = steps_before; i < steps; ++i) step();
    add_final_segments();
    return std::move(made_);
  }

 private:
  /// Entries until now are not in the recording.
  void begin() {
    made_ = {};
    for (auto& [address, block] : live_) {
      block.event.reset();
      block.time_ns.reset();
    }
    made_.truth.push_back(live_);
  }

  void step() {
    const std::uint64_t choice = random_.below(20);
    if (choice < 9 || live_.empty()) return allocate();
    if (choice < 13) return free(true);
    if (choice < 17) return free(frees_ == FreeEntries::completed_only);
    if (choice < 19) return complete();
    add(KnownText::snapshot, 0, {});
  }

  /// The last entry has this effect.
  void add(KnownText action, std::uint64_t address, const LiveBlock& block) {
    TraceEntry entry;
    entry.action = traces::TextId(action);
    entry.address = {address};
    entry.size = block.requested;
    entry.stream = block.stream;
    entry.pool = block.pool;
    entry.stack = action == KnownText::alloc ? block.stack : traces::StackId{7};
    now_us_ += random_.below(3) * random_.below(5000);
    entry.time_us = now_us_;
    entry.keys.add(KnownText::time_us);
    made_.entries.push_back(entry);
    made_.truth.push_back(live_);
  }

  void allocate() {
    std::uint64_t address = first_address + random_.below(8) * place_bytes;
    while (live_.contains(address) || waiting_.contains(address)) address += place_bytes;
    LiveBlock block;
    block.key = address;
    block.requested = {1 + random_.below(place_bytes)};
    block.bytes = block.requested;
    block.stream = {random_.below(3)};
    block.pool = {random_.below(2), 0};
    block.stack = {static_cast<std::uint32_t>(random_.below(5))};
    block.event = made_.entries.size();
    live_[address] = block;
    add(KnownText::alloc, address, block);
    // Its own time is known only now.
    live_[address].time_ns = now_us_ * 1000;
    made_.truth.back() = live_;
  }

  void free(bool is_completed) {
    auto at = live_.begin();
    std::advance(at, static_cast<std::ptrdiff_t>(random_.below(live_.size())));
    const auto [address, block] = *at;
    live_.erase(at);
    if (frees_ == FreeEntries::both) add(KnownText::free_requested, address, block);
    if (is_completed)
      add(KnownText::free_completed, address, block);
    else
      waiting_[address] = block;
  }

  void complete() {
    if (waiting_.empty()) return;
    const auto [address, block] = *waiting_.begin();
    waiting_.erase(waiting_.begin());
    add(KnownText::free_completed, address, block);
  }

  void add_final_segments() {
    for (const auto& [address, block] : live_) add_block(block, KnownText::active_allocated);
    for (const auto& [address, block] : waiting_) add_block(block, KnownText::active_pending_free);
  }

  void add_block(const LiveBlock& held, KnownText state) {
    traces::BlockValue block;
    block.address = {held.key};
    block.size = {place_bytes};
    block.requested_size = held.requested;
    block.keys.add(KnownText::requested_size);
    block.state = traces::TextId(state);
    block.stack = held.stack;
    traces::SegmentValue& segment = made_.final_segments.emplace_back();
    segment.address = block.address;
    segment.total_size = block.size;
    segment.stream = held.stream;
    segment.pool = held.pool;
    segment.blocks.push_back(block);
  }

  RandomNumbers random_;
  FreeEntries frees_;
  HeldHistory made_;
  std::map<std::uint64_t, LiveBlock> live_;
  std::map<std::uint64_t, LiveBlock> waiting_;
  std::uint64_t now_us_ = 1;
};

}  // namespace

HeldHistory random_held_history(std::uint64_t seed, FreeEntries frees, std::size_t steps,
                                std::size_t steps_before) {
  return HeldHistoryMaker(seed, frees).make(steps, steps_before);
}

void feed(const HeldHistory& history, traces::SnapshotSink& sink, bool segments_first) {
  const auto give_segment = [&] {
    sink.section(traces::SnapshotSection::segments);
    for (const traces::SegmentValue& segment : history.final_segments) sink.segment(segment);
  };
  if (segments_first) give_segment();
  sink.section(traces::SnapshotSection::device_traces);
  sink.device_trace({0});
  for (const TraceEntry& entry : history.entries) sink.trace_entry({0}, entry);
  if (!segments_first) give_segment();
}

}  // namespace vramlab::tests
