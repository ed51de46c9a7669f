// EngineCache: the allocator's engine as an arena's cache. Its decisions are the simulator's. Of
// two kinds: where no history is asked for, the engine has none that it would have to keep quiet.
#pragma once

#include <memory>
#include <type_traits>
#include <vector>

#include "allocator/door/caching_allocator.h"
#include "tools/preload/shim/arena_device.h"
#include "tools/preload/shim/block_cache.h"
#include "tools/preload/shim/whole_history.h"

namespace vramlab::shim {

struct EngineOptions {
  allocator::Settings settings;
  const allocator::ReferenceVersion* version = &allocator::default_reference_version();
  /// How many entries of its history are kept.
  std::size_t history_entries = 0;
};

std::unique_ptr<BlockCache> make_engine_cache(std::unique_ptr<ArenaDevice> device,
                                              const EngineOptions& options);

/// `Engine` is the allocator with the listeners that it has: Statistics, or History too.
template <class Engine>
class EngineCache final : public BlockCache {
 public:
  EngineCache(std::unique_ptr<ArenaDevice> device, const EngineOptions& options)
      : device_(std::move(device)), engine_(*device_, *options.version, options.settings) {
    if constexpr (has_history) history_of(engine_).set_capacity(options.history_entries);
  }

  std::optional<allocator::Address> allocate(allocator::Bytes size) override;
  void free(allocator::Address at, Fence& fence) override;
  void free_now(allocator::Address at) override {
    note_time_of_call();
    engine_.free(at);
  }
  bool is_held(allocator::Address at) const override { return engine_.is_live(at); }
  std::optional<HeldBlock> held_around(allocator::Address at) const override;
  bool release_segment(allocator::Address at,
                       const std::function<bool(allocator::Address)>& may_go) override;
  allocator::Bytes idle(const std::vector<allocator::Address>& freed) const override;
  allocator::Snapshot snapshot() override { return engine_.take_snapshot(); }
  allocator::StatisticValues statistics() const override { return engine_.listeners().values(); }
  std::vector<allocator::AllocatorEvent> history() const override;

 private:
  static constexpr bool has_history = std::is_same_v<Engine, allocator::RecordingAllocator>;
  static allocator::History& history_of(Engine& engine) { return engine.listeners(); }
  void note_time_of_call() {
    if constexpr (has_history) note_time(history_of(engine_));
  }
  const allocator::Segment* segment_around(allocator::Address at) const;

  std::unique_ptr<ArenaDevice> device_;
  Engine engine_;
};

}  // namespace vramlab::shim
