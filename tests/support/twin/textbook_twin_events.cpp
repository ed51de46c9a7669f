// Blocks that wait for other streams: section 8, and reuse inside a capture.
#include <algorithm>

#include "tests/support/twin/textbook_twin.h"

namespace vramlab::tests {

// The deferred list comes first, so a block on it never completes by its events alone.
void TextbookTwin::process_events() {
  handle_deferred();
  for (auto& [stream, queue] : events_) {
    while (!queue.empty() && device_.is_complete(queue.front().first)) {
      const auto [event, block] = queue.front();
      queue.pop_front();
      finish_event(event, *block);
    }
  }
}

// With a private pool, only the events that its own blocks wait for.
void TextbookTwin::synchronize_events(const PrivatePool* only) {
  ++values_.num_sync_all_streams;
  handle_deferred();
  for (auto& [stream, queue] : events_) {
    for (auto at = queue.begin(); at != queue.end();) {
      const auto [event, block] = *at;
      if (only != nullptr && pool_of(*block).owner != only) {
        ++at;
        continue;
      }
      device_.wait_for_event(event);
      at = queue.erase(at);
      finish_event(event, *block);
    }
  }
}

void TextbookTwin::finish_event(allocator::EventId event, Block& block) {
  device_.forget_event(event);
  if (--block.outstanding_events == 0) complete_free(block);
}

void TextbookTwin::record_events(Block& block) {
  while (!block.other_streams.empty()) {
    const StreamId stream = *block.other_streams.begin();
    events_[stream].emplace_back(device_.record_event(stream), &block);
    block.other_streams.erase(stream);
    ++block.outstanding_events;
  }
}

void TextbookTwin::handle_deferred() {
  while (!deferred_.empty()) {
    handle_deferred_block(*deferred_.front());
    deferred_.pop_front();
  }
}

void TextbookTwin::handle_deferred_block(Block& block) {
  for (const StreamId stream : block.used_in_capture) block.other_streams.erase(stream);
  block.used_in_capture.clear();
  record_events(block);
  if (block.outstanding_events == 0) complete_free(block);
}

void TextbookTwin::handle_deferred_of(PoolId pool) {
  for (auto at = deferred_.begin(); at != deferred_.end();) {
    if (pool_of(**at).id != pool) {
      ++at;
      continue;
    }
    handle_deferred_block(**at);
    at = deferred_.erase(at);
  }
}

void TextbookTwin::remember_reuse_point(Block& block) {
  if (!settings_.graph_capture_record_stream_reuse) return;
  std::set<StreamId> streams = block.other_streams;
  streams.insert(block.segment->stream);
  std::vector<GraphNode> nodes;
  for (const StreamId stream : streams) {
    const std::optional<allocator::StreamCapture> capture = device_.capture_of(stream);
    if (!capture) return;
    nodes.insert(nodes.end(), capture->terminals.begin(), capture->terminals.end());
  }
  block.reusable_after = nodes;
}

// A deferred block is safe for a stream that has all nodes before the free behind it.
void TextbookTwin::reuse_deferred(StreamId stream) {
  const std::optional<allocator::StreamCapture> capture = device_.capture_of(stream);
  if (!capture || capture->terminals.empty()) return;
  std::set<GraphNode>& behind = behind_[{capture->id, stream}];
  std::vector<GraphNode> to_visit = capture->terminals;
  while (!to_visit.empty()) {
    const GraphNode node = to_visit.back();
    to_visit.pop_back();
    if (!behind.insert(node).second) continue;
    for (const GraphNode earlier : device_.dependencies_of(node)) to_visit.push_back(earlier);
  }
  const auto is_safe = [&](const Block& block) {
    return block.segment->stream == stream && !block.reusable_after.empty() &&
           std::all_of(block.reusable_after.begin(), block.reusable_after.end(),
                       [&](GraphNode node) { return behind.contains(node); });
  };
  for (auto at = deferred_.begin(); at != deferred_.end();) {
    Block& block = **at;
    if (!is_safe(block)) {
      ++at;
      continue;
    }
    at = deferred_.erase(at);
    block.other_streams.clear();
    complete_free(block);
  }
}

}  // namespace vramlab::tests
