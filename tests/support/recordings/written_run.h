// WrittenRun: a history written call by call, with the notes of kinds.
#pragma once

#include <vector>

#include "replay/kinds/block_kinds.h"

namespace vramlab::tests {

/// Entries and events are the same.
class WrittenRun {
 public:
  /// The event of the request.
  std::size_t request(std::uint64_t address, std::uint64_t bytes = 512) {
    return add(allocator::Action::alloc, address, bytes);
  }
  std::size_t request_in(allocator::PoolId pool, std::uint64_t address) {
    history.traits.names_pools = true;
    return add(allocator::Action::alloc, address, 512, pool);
  }
  void free(std::uint64_t address, std::uint64_t bytes = 512) {
    add(allocator::Action::free_requested, address, bytes);
    add(allocator::Action::free_completed, address, bytes);
  }
  void fail() { add(allocator::Action::oom, 0, 1 << 20); }
  void begin(traces::Phase phase, traces::KindNameIndex name = 0) {
    notes.marks.push_back({history.events.size(), phase, name});
  }
  void scan(std::vector<traces::ScannedStorage> storages) {
    notes.scanned.push_back({history.events.size(), notes.scans.size()});
    notes.scans.push_back(std::move(storages));
  }
  replay::BlockKinds found(replay::KindsFrom from = replay::KindsFrom::notes) const {
    return replay::find_block_kinds(history, notes, from);
  }
  traces::MemoryKind kind(std::size_t event) const { return kind_in(found(), event); }
  static traces::MemoryKind kind_in(const replay::BlockKinds& kinds, std::size_t event) {
    replay::LiveBlock block;
    block.event = event;
    return kinds.of(block).kind;
  }

  replay::DeviceHistory history;
  traces::DeviceKindsNotes notes;

 private:
  std::size_t add(allocator::Action action, std::uint64_t address, std::uint64_t bytes,
                  allocator::PoolId pool = {}) {
    allocator::AllocatorEvent event;
    event.pool = pool;
    event.action = action;
    event.address = {address};
    event.size = {bytes};
    history.traits.requests_frees = true;
    history.events.push_back(event);
    return history.events.size() - 1;
  }
};

inline traces::ScannedStorage storage(std::uint64_t address, traces::MemoryKind kind,
                                      traces::KindNameIndex name = 0, std::uint64_t bytes = 512) {
  return {{address}, {bytes}, kind, name, 0};
}

}  // namespace vramlab::tests
