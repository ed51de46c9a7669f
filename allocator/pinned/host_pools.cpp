#include "allocator/pinned/host_pools.h"

#include <algorithm>

namespace vramlab::allocator {

std::vector<HostPools::Scope>::iterator HostPools::scope_of(PoolId id) {
  return std::ranges::find(scopes_, id, &Scope::pool);
}

void HostPools::begin(PoolId id, StreamFilter filter) {
  const auto [place, is_new] = private_pools_.try_emplace(id);
  HostPool& pool = place->second;
  pool.id = id;
  if (!is_new && pool.use_count <= 0)
    throw HostError(HostErrorKind::internal, "Host pool " + name_of(id) + " is held by nobody.");
  ++pool.use_count;
  if (scope_of(id) != scopes_.end())
    throw HostError(HostErrorKind::already_recording,
                    "Host pool " + name_of(id) + " has an open scope already.");
  scopes_.push_back({id, std::move(filter)});
}

void HostPools::end(PoolId id) {
  const auto scope = scope_of(id);
  if (scope == scopes_.end())
    throw HostError(HostErrorKind::not_recording,
                    "Host pool " + name_of(id) + " has no open scope.");
  scopes_.erase(scope);
}

void HostPools::release(PoolId id) {
  const auto pool = private_pools_.find(id);
  if (pool == private_pools_.end())
    throw HostError(HostErrorKind::unknown_pool, "There is no host pool " + name_of(id) + ".");
  if (--pool->second.use_count < 0)
    throw HostError(HostErrorKind::internal,
                    "Host pool " + name_of(id) + " was released more often than it was held.");
}

HostPool& HostPools::pool_for(StreamId stream) {
  const auto scope = std::ranges::find_if(
      scopes_, [stream](const Scope& candidate) { return candidate.accepts(stream); });
  if (scope == scopes_.end()) return default_pool_;
  const auto pool = private_pools_.find(scope->pool);
  if (pool == private_pools_.end())
    throw HostError(HostErrorKind::internal,
                    "Host pool " + name_of(scope->pool) + " of an open scope is gone.");
  return pool->second;
}

std::vector<HostPool*> HostPools::freeable() {
  std::vector<HostPool*> pools;
  for (auto& [id, pool] : private_pools_)
    if (pool.use_count <= 0) pools.push_back(&pool);
  return pools;
}

}  // namespace vramlab::allocator
