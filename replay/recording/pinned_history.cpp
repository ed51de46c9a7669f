#include "replay/recording/pinned_history.h"

#include <map>
#include <optional>
#include <unordered_map>
#include <utility>

#include "traces/filters/host_recording.h"

namespace vramlab::replay {

RecordedHistory host_history_in(const RecordedHistory& history, traces::SnapshotTables& tables) {
  HistoryCollector collector;
  traces::ProgramCounter none;
  traces::HostRecording view(tables, {collector, none});
  for (const traces::UnknownField& section : history.other_sections)
    view.unknown_section(section.key, section.value);
  RecordedHistory host = collector.take();
  take_as_host(host);
  return host;
}

namespace {

using traces::ProgramEvent;
using traces::ProgramEventKind;
using traces::StackId;

struct BlockFromBefore {
  Bytes size;
  BlockState state = BlockState::inactive;
  StackId stack;
};

/// The state in which a block was before the first entry about it; empty if the block is new then.
std::optional<BlockState> state_before(Action first) {
  switch (first) {
    case Action::alloc:
    case Action::segment_free:
      return BlockState::inactive;
    case Action::free_requested:
      return BlockState::active_allocated;
    case Action::free_completed:
      return BlockState::active_pending_free;
    default:
      return std::nullopt;
  }
}

std::map<Address, BlockFromBefore> blocks_from_before(const DeviceHistory& recorded) {
  std::map<Address, std::optional<BlockFromBefore>> first;
  for (const AllocatorEvent& entry : recorded.events) {
    const auto [place, is_first] = first.try_emplace(entry.address);
    if (!is_first) continue;
    if (const auto state = state_before(entry.action)) place->second = {entry.size, *state, {}};
  }
  for (const SnapshotSegment& segment : recorded.final_segments) {
    const auto [place, is_first] = first.try_emplace(segment.address);
    if (!is_first || segment.blocks.empty()) continue;
    place->second = {segment.total_size, segment.blocks.front().state, {}};
    const auto stack = recorded.final_stacks.find(segment.address);
    if (stack != recorded.final_stacks.end()) place->second->stack = stack->second;
  }
  std::map<Address, BlockFromBefore> before;
  for (const auto& [address, block] : first)
    if (block) before[address] = *block;
  return before;
}

class HostHistoryWriter {
 public:
  void add_from_before(Address address, const BlockFromBefore& block) {
    ++history_.blocks_from_before;
    AllocatorEvent entry;
    entry.address = address;
    entry.size = block.size;
    request(entry, block.stack);
    if (block.state == BlockState::active_allocated) return;
    free(id_of(address), block.state == BlockState::inactive, {});
    if (block.state == BlockState::inactive) completed(address);
  }

  void add(const AllocatorEvent& entry, StackId stack, const AllocatorEvent* next) {
    now_us_ = entry.time_us;
    if (entry.action == Action::alloc)
      request(entry, stack);
    else if (entry.action == Action::segment_free)
      released(entry);
    else if (entry.action == Action::free_requested && ids_.contains(entry.address.value))
      free(id_of(entry.address),
           next != nullptr && next->action == Action::free_completed &&
               next->address == entry.address,
           stack);
    else if (entry.action == Action::free_completed)
      completed(entry.address);
    last_ = entry;
  }
  HostHistory take() { return std::move(history_); }

 private:
  ProgramEvent& event(ProgramEventKind kind) {
    ProgramEvent& added = history_.events.emplace_back();
    added.kind = kind;
    added.time_ns = now_us_ * 1000;
    return added;
  }

  std::uint64_t id_of(Address address) const { return ids_.at(address.value); }

  void request(const AllocatorEvent& entry, StackId stack) {
    ids_[entry.address.value] = ++last_id_;
    ProgramEvent& added = event(ProgramEventKind::host_malloc);
    added.id = last_id_;
    added.bytes = entry.size;
    added.stack = stack;
  }

  /// A free that waits does so for a stream of its own, whose work ends when the wait does.
  void free(std::uint64_t id, bool completes_at_once, StackId stack) {
    if (!completes_at_once) {
      event(ProgramEventKind::work).stream = {id};
      ProgramEvent& use = event(ProgramEventKind::host_use);
      use.id = id;
      use.stream = {id};
    }
    ProgramEvent& added = event(ProgramEventKind::host_free);
    added.id = id;
    added.stack = stack;
  }

  void completed(Address address) {
    const auto live = ids_.find(address.value);
    if (live == ids_.end()) return;
    event(ProgramEventKind::stream_done).stream = {live->second};
    ids_.erase(live);
  }

  /// A release right behind the end of its free shows a block above the limit of the cache, which a
  /// replay decides by itself. Any other release shows that the cache was emptied.
  void released(const AllocatorEvent& entry) {
    const bool follows_its_free =
        last_ && last_->action == Action::free_completed && last_->address == entry.address;
    const bool goes_on = last_ && last_->action == Action::segment_free && empties_;
    if (!follows_its_free && !goes_on) event(ProgramEventKind::host_empty_cache);
    empties_ = !follows_its_free;
  }

  HostHistory history_;
  /// The ids of blocks in use or waiting, by address.
  std::unordered_map<std::uint64_t, std::uint64_t> ids_;
  std::uint64_t last_id_ = 0;
  std::uint64_t now_us_ = 0;
  std::optional<AllocatorEvent> last_;
  bool empties_ = false;
};

}  // namespace

HostHistory host_history_of(const DeviceHistory& recorded) {
  HostHistoryWriter writer;
  for (const auto& [address, block] : blocks_from_before(recorded))
    writer.add_from_before(address, block);
  const std::size_t count = recorded.events.size();
  for (std::size_t i = 0; i < count; ++i) {
    const AllocatorEvent entry = recorded.events[i];
    std::optional<AllocatorEvent> next;
    if (i + 1 < count) next = recorded.events[i + 1];
    writer.add(entry, recorded.stacks[i], next ? &*next : nullptr);
  }
  return writer.take();
}

}  // namespace vramlab::replay
