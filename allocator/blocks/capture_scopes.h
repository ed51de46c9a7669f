// CaptureScopes: which private pools requests are taken to at the moment, by stream, in the order
// in which the scopes were opened.
#pragma once

#include <vector>

#include "allocator/blocks/pool.h"
#include "allocator/types/reference_version.h"

namespace vramlab::allocator {

class CaptureScopes {
 public:
  explicit CaptureScopes(ScopeOrder order) : order_(order) {}

  bool is_empty() const { return scopes_.empty(); }
  bool is_open(PoolId pool) const;
  void open(PrivatePool& pool, StreamFilter filter);
  /// Requires: it is open.
  PrivatePool& close(PoolId pool);
  /// The private pool that a request on this stream is taken to; null for the device's own.
  PrivatePool* find(StreamId stream) const;

 private:
  struct Scope {
    PrivatePool* pool;
    StreamFilter accepts;
  };
  std::vector<Scope> scopes_;
  ScopeOrder order_;
};

}  // namespace vramlab::allocator
