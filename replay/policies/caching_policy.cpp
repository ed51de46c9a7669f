// The caching allocator as it is in PyTorch, so that ideas are compared with it by the same
// requests. Private pools are there from their first request on and are never given up.
#include <unordered_map>

#include "allocator/caching_allocator.h"
#include "replay/policies/policies.h"

namespace vramlab::replay {
namespace {

using allocator::Address;
using allocator::StreamId;

class CachingPolicy final : public Policy {
 public:
  CachingPolicy(streams::MemoryDevice& device, const allocator::ReferenceVersion& version,
                const allocator::Settings& settings)
      : engine_(device, version, settings) {}

  std::optional<Address> malloc(const PolicyRequest& request) override {
    const bool is_private = request.arena.pool != allocator::default_pool;
    if (is_private) engine_.begin_scope(request.arena.pool, [](StreamId) { return true; });
    const allocator::MallocResult result = engine_.malloc(request.bytes, request.arena.stream);
    if (is_private) engine_.end_scope(request.arena.pool);
    if (!result) return std::nullopt;
    live_[request.id] = {result.address, result.address + request.bytes};
    return result.address;
  }

  void free(std::uint64_t id) override {
    const auto at = live_.find(id);
    engine_.free(at->second.begin);
    live_.erase(at);
  }

  std::vector<streams::AddressRange> memory_of(std::uint64_t id) const override {
    return {live_.at(id)};
  }

  PolicyReport report() const override { return {}; }

 private:
  allocator::BareAllocator engine_;
  /// Looked up only.
  std::unordered_map<std::uint64_t, streams::AddressRange> live_;
};

}  // namespace

std::unique_ptr<Policy> make_caching_policy(streams::MemoryDevice& device,
                                            const PolicyConditions& conditions) {
  return std::make_unique<CachingPolicy>(device, conditions.version, conditions.settings);
}

std::unique_ptr<Policy> make_expandable_policy(streams::MemoryDevice& device,
                                               const PolicyConditions& conditions) {
  allocator::Settings settings = conditions.settings;
  settings.expandable_segments = true;
  return std::make_unique<CachingPolicy>(device, conditions.version, settings);
}

}  // namespace vramlab::replay
