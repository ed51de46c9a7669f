#include "replay/recording/placed_events.h"

#include <map>
#include <utility>

namespace vramlab::replay {

std::vector<LiveBlock> blocks_from_before(const DeviceHistory& history,
                                          const StartedHistory& started,
                                          const PlacementBlocks& blocks) {
  const std::map<Address, Bytes> requested = requested_at_start(started.start);
  const std::map<Address, traces::StackId> stacks = stacks_from_before(history);
  std::vector<LiveBlock> found;
  for (const auto& [at, block] : blocks.blocks()) {
    if (block.use != GivenUse::live && block.use != GivenUse::waiting) continue;
    const SegmentLife& life = blocks.lives()[block.life];
    LiveBlock there;
    there.key = at.value;
    there.bytes = block.size;
    there.life = block.life;
    there.stream = life.stream;
    there.pool = life.pool.value_or(allocator::default_pool);
    if (const auto known = requested.find(at); known != requested.end())
      there.requested = known->second;
    if (const auto known = stacks.find(at); known != stacks.end()) there.stack = known->second;
    if (block.use == GivenUse::waiting) there.freed.emplace();
    found.push_back(there);
  }
  return found;
}

void PlacedEvents::run() {
  if (started_ != nullptr) watch_placements(history_, *started_, *this);
  pass_until(history_.events.size());
}

void PlacedEvents::begin(const PlacementBlocks& blocks) {
  for (const LiveBlock& block : blocks_from_before(history_, *started_, blocks))
    block_was_before(block);
}

void PlacedEvents::event_done(std::size_t event, const PlacementBlocks& blocks) {
  pass_until(event);
  MemoryEvent told = memory_event(history_, next_++);
  if (told.kind == MemoryEventKind::allocated)
    if (const PlacedBlock* placed = blocks.find({told.block.key})) {
      told.block.bytes = placed->size;
      told.block.life = placed->life;
    }
  pass(told);
}

void PlacedEvents::pass_until(std::size_t end) {
  while (next_ < end) pass(memory_event(history_, next_++));
}

void PlacedEvents::pass(const MemoryEvent& event) {
  if (event.kind == MemoryEventKind::other) note_segment_call(as_index(event.number));
  passed(event);
  const bool ends_request =
      event.kind == MemoryEventKind::allocated || event.kind == MemoryEventKind::failed;
  if (ends_request && std::exchange(request_reserves_most_, false)) most_is_reserved();
}

void PlacedEvents::note_segment_call(std::size_t event) {
  const AllocatorEvent what = history_.events[event];
  if (is_release(what.action))
    reserved_.subtract(what.size);
  else if (is_segment_call(what.action))
    request_reserves_most_ = reserved_.add(what.size) || request_reserves_most_;
}

namespace {

class PeakWalk : public PlacedEvents, private LiveBlocks {
 public:
  using PlacedEvents::PlacedEvents;
  RecordedPeaks peaks() const {
    return {{allocated_.above(before_), as_index(allocated_.moment())}, reserved_};
  }

 private:
  void block_was_before(const LiveBlock& block) override {
    add_earlier(block);
    if (!block.freed) before_ += static_cast<std::int64_t>(block.bytes.count);
  }
  void passed(const MemoryEvent& event) override {
    step_ = as_index(event.number) + 1;
    apply(event);
  }
  void most_is_reserved() override { reserved_.step = step_; }
  void block_allocated(const LiveBlock& block) override { allocated_.add(block.bytes, step_); }
  void block_freed(const LiveBlock& block) override { allocated_.subtract(block.bytes); }
  void block_lost(const LiveBlock& block) override {
    if (!block.freed) allocated_.subtract(block.bytes);
  }

  std::size_t step_ = 0;
  std::int64_t before_ = 0;
  Peak allocated_;
  RecordedPeak reserved_;
};

class CurveWalk : public PlacedEvents, private LiveBlocks {
 public:
  CurveWalk(const DeviceHistory& history, const StartedHistory& started, std::size_t most_steps)
      : PlacedEvents(history, &started), curve_(most_steps) {
    for (const GivenSegment& segment : started.start.segments)
      reserved_before_ += mapped_size(segment);
  }
  const MemoryCurve& curve() const { return curve_; }

 private:
  void block_was_before(const LiveBlock& block) override {
    add_earlier(block);
    if (!block.freed) allocated_.add(block.bytes);
  }
  void passed(const MemoryEvent& event) override {
    apply(event);
    const auto reserved =
        static_cast<std::int64_t>(reserved_before_.count) + reserved_since_beginning();
    curve_.note(event.number, {allocated_.bytes_now(), {static_cast<std::uint64_t>(reserved)}});
  }
  void block_allocated(const LiveBlock& block) override { allocated_.add(block.bytes); }
  void block_freed(const LiveBlock& block) override { allocated_.subtract(block.bytes); }
  void block_lost(const LiveBlock& block) override {
    if (!block.freed) allocated_.subtract(block.bytes);
  }

  Bytes reserved_before_;
  Peak allocated_;
  MemoryCurve curve_;
};

}  // namespace

MemoryCurve memory_over_time(const DeviceHistory& history, const StartedHistory& started,
                             std::size_t most_steps) {
  CurveWalk walk(history, started, most_steps);
  walk.run();
  return walk.curve();
}

RecordedPeaks find_peaks(const DeviceHistory& history, const StartedHistory& started) {
  PeakWalk walk(history, &started);
  walk.run();
  RecordedPeaks peaks = walk.peaks();
  peaks.reserved.bytes = peak_reserved_of(history).value_or(Bytes{});
  return peaks;
}

}  // namespace vramlab::replay
