// The cache that is the allocator's engine.
#include <chrono>
#include <functional>
#include <type_traits>
#include <vector>

#include "allocator/options/size_rules.h"
#include "allocator/replay_access.h"
#include "allocator/types/check.h"
#include "tools/preload/shim/block_cache.h"

namespace vramlab::shim {
namespace {

using allocator::Block;
using allocator::BlockIndex;
using allocator::BlockUse;
using allocator::ReplayAccess;
using allocator::ReplayView;
using allocator::Segment;

/// A fence stands for all streams that may have used a block.
constexpr StreamId fence_stream{1};

/// The allocator's device seam inside an arena. Memory is the supply's; an event is the fence that
/// the arena has at hand when it gives a block back. Nothing here waits.
class ArenaDevice final : public allocator::Device {
 public:
  ArenaDevice(SegmentSupply& supply, FencePool& fences) : supply_(supply), fences_(fences) {}

  /// A step that lets other threads in keeps the stack of its call.
  void set_notes(StackNotes& notes, std::function<std::uint64_t()> count_recorded) {
    notes_ = &notes;
    count_recorded_ = std::move(count_recorded);
  }
  /// The next event that is recorded.
  void have_at_hand(Fence& fence) { at_hand_ = &fence; }

  allocator::MemoryInfo memory_info() override { return supply_.info(); }
  std::optional<Address> allocate(Bytes size, StreamId) override {
    return with_stack_kept([&] { return supply_.allocate(size); });
  }
  void release(Address at) override { supply_.release(at); }
  bool ask_program() {
    return with_stack_kept([&] { return supply_.ask_program(); });
  }

  std::optional<Address> reserve(Bytes size, StreamId) override {
    return with_stack_kept([&] { return supply_.reserve(size); });
  }
  void release_reservation(Address at, Bytes) override { supply_.release_reservation(at); }
  [[nodiscard]] bool map(const UnitRange& range) override {
    return with_stack_kept([&] { return supply_.map(range); });
  }
  void unmap(const UnitRange& range) override { supply_.unmap(range); }

  /// The allocator has nothing to wait for: freed blocks come back when their fence is complete.
  void wait_for_stream(StreamId) override {}
  EventId record_event(StreamId) override {
    check(at_hand_ != nullptr, "a block is given back with a fence");
    return {reinterpret_cast<std::uintptr_t>(at_hand_)};
  }
  bool is_complete(EventId event) override { return poll(fence_of(event)) == Progress::complete; }
  /// The supply has waited by then; an event that it could not wait for is a DeviceError.
  void wait_for_event(EventId event) override {
    if (!is_complete(event)) throw DeviceError("the work before a free cannot be waited for");
  }
  void forget_event(EventId event) override {
    Fence& fence = fence_of(event);
    if (--fence.uses == 0) fences_.give(fence);
  }

  std::optional<StreamCapture> capture_of(StreamId) override { return std::nullopt; }
  std::vector<GraphNode> dependencies_of(GraphNode) override { return {}; }

 private:
  /// An event's number is the place of its fence; it is only ever turned back into it.
  static Fence& fence_of(EventId event) { return *reinterpret_cast<Fence*>(event.value); }
  template <class Ask>
  auto with_stack_kept(const Ask& ask) -> decltype(ask()) {
    if (notes_ == nullptr) return ask();
    const StackKept kept(*notes_, count_recorded_);
    return ask();
  }

  SegmentSupply& supply_;
  FencePool& fences_;
  Fence* at_hand_ = nullptr;
  StackNotes* notes_ = nullptr;
  std::function<std::uint64_t()> count_recorded_;
};

/// `Engine` is the allocator with the listeners that it has: Statistics, or History too. Without a
/// wish for a history the engine keeps none.
template <class Engine>
class EngineCache final : public BlockCache {
 public:
  EngineCache(SegmentSupply& supply, FencePool& fences, const Settings& settings,
              const ShimOptions& options)
      : device_(supply, fences), engine_(device_, *options.version, settings) {
    if constexpr (has_history) {
      history_of(engine_).set_capacity(options.history_entries);
      notes_.set_capacity(options.history_entries);
      if (options.stacks.take != nullptr)
        device_.set_notes(notes_, [this] { return history_of(engine_).recorded_count(); });
    }
    engine_.add_free_memory_callback([this] {
      const bool has_freed = device_.ask_program();
      if (has_freed) engine_.complete_frees();
      return has_freed;
    });
  }

  std::optional<Address> allocate(Bytes size) override {
    note_time_of_call();
    const MallocResult result = engine_.malloc(size, owner_stream);
    if (!result) return std::nullopt;
    return result.address;
  }
  void free(Address at, Fence& fence) override {
    note_time_of_call();
    device_.have_at_hand(fence);
    engine_.record_stream(at, fence_stream);
    engine_.free(at);
  }
  void free_now(Address at) override {
    note_time_of_call();
    engine_.free(at);
  }
  bool is_held(Address at) const override { return engine_.is_live(at); }
  std::optional<HeldBlock> held_around(Address at) const override;
  bool release_segment(Address at, const std::function<bool(Address)>& may_go) override;
  void release_idle(Bytes to_keep) override;
  Bytes idle(const std::vector<Address>& freed) const override;
  WaitingBytes waiting() const override {
    const auto& statistics = engine_.listeners();
    return {{static_cast<std::uint64_t>(statistics.current_waiting_bytes())},
            {static_cast<std::uint64_t>(statistics.peak_allocated_bytes())}};
  }
  bool has_waiting_for(Bytes request) const override;
  Snapshot snapshot() override { return engine_.take_snapshot(); }
  StatisticValues statistics() const override { return engine_.listeners().values(); }
  void set_stack([[maybe_unused]] StackNumber stack) override {
    if constexpr (has_history) notes_.go_on_with(stack, history_of(engine_).recorded_count());
  }
  std::vector<HistoryEntry> history() const override {
    if constexpr (has_history) {
      const allocator::History& history = engine_.listeners();
      return notes_.beside(history.entries(), history.recorded_count());
    }
    return {};
  }

 private:
  static constexpr bool has_history = std::is_same_v<Engine, allocator::RecordingAllocator>;
  static allocator::History& history_of(Engine& engine) { return engine.listeners(); }
  void note_time_of_call() {
    if constexpr (has_history) note_time(history_of(engine_));
  }
  const Segment* segment_around(Address at) const;
  /// The places of segments that are free as a whole, and of free blocks in expandable ones.
  std::vector<Address> free_places() const;

  ArenaDevice device_;
  Engine engine_;
  StackNotes notes_;
};

template <class Engine>
const Segment* EngineCache<Engine>::segment_around(Address at) const {
  const auto& core = engine_.core();
  const auto& segments = core.segments.by_address();
  const auto above = segments.upper_bound(at);
  if (above == segments.begin()) return nullptr;
  const Segment& segment = core.segments[std::prev(above)->second];
  return at < segment.base + segment.size ? &segment : nullptr;
}

template <class Engine>
std::optional<HeldBlock> EngineCache<Engine>::held_around(Address at) const {
  const Segment* segment = segment_around(at);
  if (segment == nullptr) return std::nullopt;
  const auto& blocks = engine_.core().blocks;
  for (BlockIndex i = segment->first; i != BlockIndex::none; i = blocks[i].next) {
    const Block& block = blocks[i];
    if (at < block.address || at >= block.end()) continue;
    if (block.use() != BlockUse::live) return std::nullopt;
    return HeldBlock{block.address, block.size(),  block.requested,
                     segment->base, segment->size, segment->is_expandable};
  }
  return std::nullopt;
}

template <class Engine>
bool EngineCache<Engine>::release_segment(Address at, const std::function<bool(Address)>& may_go) {
  const Segment* segment = segment_around(at);
  if (segment == nullptr) return false;
  const Address base = segment->base;
  const bool is_expandable = segment->is_expandable;
  const auto& blocks = engine_.core().blocks;
  std::vector<Address> going;
  for (BlockIndex i = segment->first; i != BlockIndex::none; i = blocks[i].next) {
    if (blocks[i].use() == BlockUse::waiting || blocks[i].use() == BlockUse::being_mapped)
      return false;
    if (blocks[i].use() != BlockUse::live) continue;
    if (!may_go(blocks[i].address)) return false;
    going.push_back(blocks[i].address);
  }
  for (const Address block : going) engine_.free(block);
  if (is_expandable) {
    // Several of them may have become one free block by now.
    for (const Address block : going)
      if (ReplayAccess(engine_).can_unmap_named(block)) ReplayAccess(engine_).unmap_named(block);
    return true;
  }
  if (!ReplayAccess(engine_).can_release_named(base)) return false;
  ReplayAccess(engine_).release_named(base);
  return true;
}

template <class Engine>
std::vector<Address> EngineCache<Engine>::free_places() const {
  const auto& core = engine_.core();
  std::vector<Address> places;
  for (const auto& [base, index] : core.segments.by_address()) {
    const Segment& segment = core.segments[index];
    for (BlockIndex i = segment.first; i != BlockIndex::none; i = core.blocks[i].next)
      if (segment.is_expandable ? core.blocks[i].use() == BlockUse::free
                                : ReplayView(engine_).can_release_named(core.blocks[i].address))
        places.push_back(core.blocks[i].address);
  }
  return places;
}

template <class Engine>
void EngineCache<Engine>::release_idle(Bytes to_keep) {
  note_time_of_call();
  engine_.complete_frees();
  if (idle({}) <= to_keep) return;
  for (const Address at : free_places()) {
    if (ReplayAccess(engine_).can_release_named(at))
      ReplayAccess(engine_).release_named(at);
    else if (ReplayAccess(engine_).can_unmap_named(at))
      ReplayAccess(engine_).unmap_named(at);
    if (idle({}) <= to_keep) return;
  }
}

template <class Engine>
bool EngineCache<Engine>::has_waiting_for(Bytes request) const {
  const auto& core = engine_.core();
  const Bytes rounded = allocator::round_request(request, core.settings);
  const PoolKind kind = allocator::pool_kind_of(rounded);
  for (const auto& [base, index] : core.segments.by_address()) {
    BlockIndex i = core.segments[index].first;
    if (core.lane_of(core.blocks[i]).kind != kind) continue;
    for (; i != BlockIndex::none; i = core.blocks[i].next) {
      const Block& block = core.blocks[i];
      if (block.use() == BlockUse::waiting && block.size() >= rounded &&
          !allocator::is_oversize_mismatch(block.size(), rounded, core.settings))
        return true;
    }
  }
  return false;
}

template <class Engine>
Bytes EngineCache<Engine>::idle(const std::vector<Address>& freed) const {
  const auto& statistics = engine_.listeners();
  Bytes idle{static_cast<std::uint64_t>(statistics.current_reserved_bytes() -
                                        statistics.current_allocated_bytes())};
  const auto& core = engine_.core();
  for (const Address at : freed) idle += core.blocks[core.live_at(at)].size();
  return idle;
}

}  // namespace

std::unique_ptr<BlockCache> make_engine_cache(SegmentSupply& supply, FencePool& fences,
                                              const Settings& settings,
                                              const ShimOptions& options) {
  using allocator::CountingAllocator;
  using allocator::RecordingAllocator;
  if (options.history_entries == 0)
    return std::make_unique<EngineCache<CountingAllocator>>(supply, fences, settings, options);
  return std::make_unique<EngineCache<RecordingAllocator>>(supply, fences, settings, options);
}

void note_time(allocator::History& history) {
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  history.set_time_us(static_cast<std::uint64_t>(
      std::chrono::duration_cast<std::chrono::microseconds>(now).count()));
}

}  // namespace vramlab::shim
