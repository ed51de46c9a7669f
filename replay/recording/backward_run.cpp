#include "replay/recording/backward_run.h"

#include "allocator/options/size_rules.h"
#include "replay/recording/recorded_calls.h"

namespace vramlab::replay {
namespace {

class BackwardRun {
 public:
  explicit BackwardRun(const DeviceHistory& history) : history_(history) { begin_at_the_end(); }

  RewoundState run() {
    for (std::size_t i = history_.events.size(); i-- > 0;)
      if (!undo(history_.events[i]) && state_.contradiction.empty())
        state_.contradiction = sentence(i);
    return std::move(state_);
  }

 private:
  void begin_at_the_end() {
    for (const SnapshotSegment& segment : history_.final_segments) {
      if (segment.is_expandable)
        state_.pieces[segment.address] = {segment.total_size, segment.stream, segment.kind,
                                          segment.pool, false};
      else
        state_.classic[segment.address] = {segment.total_size, segment.stream, segment.kind,
                                           segment.pool};
      for (const SnapshotBlock& block : segment.blocks)
        if (block.state != BlockState::inactive)
          state_.blocks[block.address] = {block.requested, block.size, segment.stream,
                                          block.state == BlockState::active_pending_free};
    }
  }

  /// False where the event cannot have happened.
  bool undo(const AllocatorEvent& event) {
    switch (event.action) {
      case Action::alloc:
        return state_.blocks.erase(event.address) == 1;
      case Action::free_completed:
        return state_.blocks
            .insert({event.address,
                     {event.size, exact_size(event), event.stream, history_.traits.requests_frees}})
            .second;
      case Action::free_requested:
        return undo_free_requested(event);
      case Action::segment_alloc:
        return state_.classic.erase(event.address) == 1;
      case Action::segment_free: {
        const PoolKind kind =
            event.size == allocator::small_segment ? PoolKind::small : PoolKind::large;
        return state_.classic
            .insert({event.address, {event.size, event.stream, kind, std::nullopt}})
            .second;
      }
      case Action::segment_map:
        return undo_map(event);
      case Action::segment_unmap:
        return undo_unmap(event);
      case Action::snapshot:
      case Action::oom:
        return true;
    }
    return true;
  }

  std::optional<Bytes> exact_size(const AllocatorEvent& event) const {
    if (!history_.traits.has_whole_blocks) return std::nullopt;
    return event.size;
  }

  bool undo_free_requested(const AllocatorEvent& event) {
    const auto block = state_.blocks.find(event.address);
    if (block == state_.blocks.end() || !block->second.is_waiting) return false;
    block->second.is_waiting = false;
    return true;
  }

  bool undo_map(const AllocatorEvent& event) {
    const Address end = event.address + event.size;
    Bytes removed;
    for (auto at = first_overlapping(state_.pieces, event.address, end); at != state_.pieces.end();
         at = first_overlapping(state_.pieces, event.address, end)) {
      const Address begin = at->first;
      const StartingPiece piece = at->second;
      state_.pieces.erase(at);
      StartingPiece kept = piece;
      if (begin < event.address) {
        kept.size = event.address - begin;
        state_.pieces[begin] = kept;
      }
      if (begin + piece.size > end) {
        kept.size = begin + piece.size - end;
        state_.pieces[end] = kept;
      }
      removed += std::min(begin + piece.size, end) - std::max(begin, event.address);
    }
    return removed == event.size;
  }

  bool undo_unmap(const AllocatorEvent& event) {
    if (first_overlapping(state_.pieces, event.address, event.address + event.size) !=
        state_.pieces.end())
      return false;
    state_.pieces[event.address] = {event.size, event.stream, std::nullopt, std::nullopt, false};
    return true;
  }

  std::string sentence(std::size_t index) const {
    return "event " + std::to_string(index) + ", " + event_text(history_.events[index]) +
           ", contradicts what follows it";
  }

  const DeviceHistory& history_;
  RewoundState state_;
};

}  // namespace

RewoundState run_backwards(const DeviceHistory& history) { return BackwardRun(history).run(); }

}  // namespace vramlab::replay
