// Private pools and capture scopes: section 12, pools that lend or never split.
#include <algorithm>

#include "allocator/types/answers.h"
#include "tests/support/twin/textbook_twin.h"

namespace vramlab::tests {
namespace {

std::string pool_name(PoolId pool) {
  return "pool (" + std::to_string(pool.graph) + ", " + std::to_string(pool.user) + ")";
}

}  // namespace

PoolPair& TextbookTwin::pools_for(StreamId stream) {
  std::vector<const CaptureScope*> in_order;
  for (const CaptureScope& scope : scopes_) in_order.push_back(&scope);
  if (version_.scope_order == allocator::ScopeOrder::newest_first)
    std::reverse(in_order.begin(), in_order.end());
  for (const CaptureScope* scope : in_order)
    if (scope->accepts(stream)) return private_pools_.at(scope->pool).pools;
  return own_;
}

bool TextbookTwin::is_open(PoolId pool) const {
  return std::any_of(scopes_.begin(), scopes_.end(),
                     [&](const CaptureScope& scope) { return scope.pool == pool; });
}

PrivatePool& TextbookTwin::usable_pool(PoolId pool) {
  const auto found = private_pools_.find(pool);
  if (found == private_pools_.end())
    throw allocator::AllocatorError(pool_name(pool) + " is not known");
  if (found->second.use_count == 0)
    throw allocator::AllocatorError(pool_name(pool) + " has no use any more");
  return found->second;
}

void TextbookTwin::add_use(PoolId pool) {
  if (private_pools_.contains(pool)) usable_pool(pool);
  ++private_pools_.try_emplace(pool, pool).first->second.use_count;
}

void TextbookTwin::begin_scope(PoolId pool, allocator::StreamFilter filter) {
  if (is_open(pool)) throw allocator::AllocatorError(pool_name(pool) + " is already captured to");
  add_use(pool);
  scopes_.push_back({pool, std::move(filter)});
}

void TextbookTwin::end_scope(PoolId pool) {
  if (!is_open(pool)) throw allocator::AllocatorError(pool_name(pool) + " is not captured to");
  if (settings_.graph_capture_record_stream_reuse) handle_deferred_of(pool);
  std::erase_if(scopes_, [&](const CaptureScope& scope) { return scope.pool == pool; });
}

void TextbookTwin::release_pool(PoolId pool) { --usable_pool(pool).use_count; }

void TextbookTwin::create_pool(PoolId pool, allocator::PoolTraits traits) {
  add_use(pool);
  if (traits.use_on_oom) lenders_.insert(pool);
  if (traits.no_split) never_split_.insert(pool);
}

void TextbookTwin::destroy_pool(PoolId pool) {
  PrivatePool& leaving = usable_pool(pool);
  if (leaving.use_count == 1 && is_capturing())
    throw allocator::AllocatorError(pool_name(pool) + " goes during a capture");
  lenders_.erase(pool);
  --leaving.use_count;
  release_cached_blocks(pool);
}

// Before the caches are flushed, free blocks of the lending pools are tried, by classic rules.
Block* TextbookTwin::borrow(Request& request) {
  if (request.pool->owner != nullptr) return nullptr;
  for (const PoolId id : lenders_) {
    const auto found = private_pools_.find(id);
    if (found == private_pools_.end()) continue;
    PrivatePool& lender = found->second;
    ++lender.use_count;
    if (is_open(id)) {
      request.outcome = allocator::MallocOutcome::scope_already_open;
      return nullptr;
    }
    Request trial = request;
    trial.pool = request.pool->kind == PoolKind::small ? &lender.pools.small : &lender.pools.large;
    trial.expandable = false;
    Block* block = take_best_fit(trial);
    // The scope ends here: what it completes must not merge with the block just taken.
    if (block != nullptr) block->allocated = true;
    if (settings_.graph_capture_record_stream_reuse) handle_deferred_of(id);
    if (block != nullptr) block->allocated = false;
    --lender.use_count;
    if (block == nullptr) continue;
    request = trial;
    return block;
  }
  return nullptr;
}

}  // namespace vramlab::tests
