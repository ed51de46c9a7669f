#include "replay/kinds/held_by_group.h"

namespace vramlab::replay {

void HeldByGroup::passed(const MemoryEvent& event) {
  comes_to(event);
  if (event.kind == MemoryEventKind::allocated) add(event.block);
  const bool ends =
      event.kind == MemoryEventKind::freed || event.kind == MemoryEventKind::free_completed;
  if (ends) remove(event.block.key);
}

void HeldByGroup::add(const LiveBlock& block) {
  remove(block.key);
  const std::size_t group = group_of(block);
  const Bytes bytes = bytes_of(block);
  came(group, bytes);
  held_[block.key] = {group, bytes};
}

void HeldByGroup::remove(std::uint64_t key) {
  const auto found = held_.find(key);
  if (found == held_.end()) return;
  went(found->second.group, found->second.bytes);
  held_.erase(found);
}

}  // namespace vramlab::replay
