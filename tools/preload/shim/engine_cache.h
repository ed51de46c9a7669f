// EngineCache: the allocator's engine as an arena's cache. Its decisions are the simulator's.
#pragma once

#include <memory>

#include "allocator/caching_allocator.h"
#include "tools/preload/shim/arena_device.h"
#include "tools/preload/shim/block_cache.h"

namespace vramlab::shim {

struct EngineOptions {
  allocator::Settings settings;
  const allocator::ReferenceVersion* version = &allocator::default_reference_version();
};

class EngineCache final : public BlockCache {
 public:
  EngineCache(std::unique_ptr<ArenaDevice> device, const EngineOptions& options)
      : device_(std::move(device)), engine_(*device_, *options.version, options.settings) {}

  std::optional<allocator::Address> allocate(allocator::Bytes size) override;
  void free(allocator::Address at, Fence& fence) override;
  void free_now(allocator::Address at) override { engine_.free(at); }
  bool is_held(allocator::Address at) const override { return engine_.is_live(at); }
  std::optional<HeldBlock> held_around(allocator::Address at) const override;
  bool release_segment(allocator::Address at,
                       const std::function<bool(allocator::Address)>& may_go) override;
  allocator::Bytes idle(const std::vector<allocator::Address>& freed) const override;
  allocator::Snapshot snapshot() override { return engine_.take_snapshot(); }
  allocator::StatisticValues statistics() const override { return engine_.listeners().values(); }

 private:
  const allocator::Segment* segment_around(allocator::Address at) const;

  std::unique_ptr<ArenaDevice> device_;
  allocator::CountingAllocator engine_;
};

}  // namespace vramlab::shim
