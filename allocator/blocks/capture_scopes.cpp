#include "allocator/blocks/capture_scopes.h"

#include <algorithm>

#include "allocator/types/check.h"

namespace vramlab::allocator {

bool CaptureScopes::is_open(PoolId pool) const {
  return std::ranges::any_of(scopes_,
                             [pool](const Scope& scope) { return scope.pool->id == pool; });
}

void CaptureScopes::open(PrivatePool& pool, StreamFilter filter) {
  pool.has_open_scope = true;
  scopes_.push_back({&pool, std::move(filter)});
}

PrivatePool& CaptureScopes::close(PoolId pool) {
  const auto scope = std::find_if(scopes_.begin(), scopes_.end(), [pool](const Scope& candidate) {
    return candidate.pool->id == pool;
  });
  check(scope != scopes_.end(), "only an open scope is closed");
  PrivatePool& closed = *scope->pool;
  closed.has_open_scope = false;
  scopes_.erase(scope);
  return closed;
}

PrivatePool* CaptureScopes::find(StreamId stream) const {
  const auto accepts = [stream](const Scope& scope) { return scope.accepts(stream); };
  if (order_ == ScopeOrder::oldest_first) {
    const auto scope = std::find_if(scopes_.begin(), scopes_.end(), accepts);
    return scope == scopes_.end() ? nullptr : scope->pool;
  }
  const auto scope = std::find_if(scopes_.rbegin(), scopes_.rend(), accepts);
  return scope == scopes_.rend() ? nullptr : scope->pool;
}

}  // namespace vramlab::allocator
