#include "replay/state/request_sizes.h"

#include "allocator/options/size_rules.h"

namespace vramlab::replay {

void RequestSizes::add(allocator::Bytes request, allocator::StreamId stream) {
  if (request >= allocator::request_limit) return;
  ++counts_[{stream, round_request(request, settings_)}];
}

void RequestSizes::add_all(const traces::LongSequence<allocator::AllocatorEvent>& history) {
  for (const allocator::AllocatorEvent& event : history)
    if (event.action == allocator::Action::alloc) add(event.size, event.stream);
}

}  // namespace vramlab::replay
