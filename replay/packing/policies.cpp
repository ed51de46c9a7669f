#include "replay/packing/policies.h"

#include <array>
#include <map>
#include <unordered_map>

#include "allocator/caching_allocator.h"

namespace vramlab::replay {
namespace {

constexpr std::array<PolicyRow, 6> policies = {{
    {"caching", "PyTorch's caching allocator under the settings of the file", true,
     make_caching_policy},
    {"caching_expandable", "the same with expandable_segments:True", true, make_expandable_policy},
    {"first_fit", "segments of any use, the lowest free range that fits", false,
     make_first_fit_policy},
    {"tlsf", "segments of any use, a free range of the next class of sizes, as TLSF does", false,
     make_tlsf_policy},
    {"stitching", "units of 2 MiB, any free ones of which make up a block", false,
     make_stitching_policy},
    {"planned", "an iteration is watched, planned and then repeated; the rest is first_fit", false,
     make_planned_policy},
}};

/// The caching allocator as it is in PyTorch, so that ideas are compared with it by the same
/// requests. Private pools exist from their first request on.
class CachingPolicy final : public Policy {
 public:
  /// `kept_options` stay in force, whatever options the program sets.
  CachingPolicy(streams::MemoryDevice& device, const ReferenceVersion& version,
                const allocator::Settings& settings, std::string kept_options)
      : engine_(device, version, settings), kept_options_(std::move(kept_options)) {}

  std::optional<Address> malloc(const PolicyRequest& request) override {
    const bool is_private = request.arena.pool != default_pool;
    if (is_private) begin(request.arena.pool);
    const MallocResult result = engine_.malloc(request.bytes, request.arena.stream);
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

  PolicyReport report() const override { return {.notes = notes_}; }

  void cache_emptied(PoolId pool) override {
    if (pool == default_pool || uses_.contains(pool)) engine_.empty_cache(pool);
  }

  void pool_given_up(PoolId pool) override {
    const auto found = uses_.find(pool);
    if (found == uses_.end()) return;
    for (; found->second > 0; --found->second) engine_.release_pool(pool);
  }

  void options_changed(const std::string& options) override {
    const std::string both =
        options + (options.empty() || kept_options_.empty() ? "" : ",") + kept_options_;
    if (const auto error = engine_.set_options(both))
      notes_.push_back("options that are refused: " + both);
  }

 private:
  /// Each scope is a use of its pool.
  void begin(PoolId pool) {
    engine_.begin_scope(pool, [](StreamId) { return true; });
    ++uses_[pool];
  }

  allocator::BareAllocator engine_;
  std::string kept_options_;
  std::map<PoolId, std::uint64_t> uses_;
  std::vector<std::string> notes_;
  /// Looked up only.
  std::unordered_map<std::uint64_t, streams::AddressRange> live_;
};

}  // namespace

std::span<const PolicyRow> all_policies() { return policies; }

std::unique_ptr<Policy> make_caching_policy(streams::MemoryDevice& device,
                                            const PolicyConditions& conditions) {
  return std::make_unique<CachingPolicy>(device, conditions.version, conditions.settings, "");
}

std::unique_ptr<Policy> make_expandable_policy(streams::MemoryDevice& device,
                                               const PolicyConditions& conditions) {
  allocator::Settings settings = conditions.settings;
  settings.expandable_segments = true;
  return std::make_unique<CachingPolicy>(device, conditions.version, settings,
                                         "expandable_segments:True");
}

}  // namespace vramlab::replay
