#include "replay/recording/whole_pools.h"

#include <algorithm>
#include <map>

#include "allocator/options/size_rules.h"
#include "allocator/policy/splitting.h"

namespace vramlab::replay {
namespace {

/// One pool, event by event, as if it never split a block.
class PoolWatch {
 public:
  explicit PoolWatch(const allocator::Settings& settings) : settings_(settings) {}

  void event(const AllocatorEvent& event) {
    if (!is_possible_) return;
    if (event.action == Action::segment_alloc || event.action == Action::segment_map) {
      pieces_[event.address] = {event.size, {}, event.stream, event.action == Action::segment_map};
      grown_.insert(event.address);
    } else if (is_release(event.action)) {
      pieces_.erase(pieces_.lower_bound(event.address),
                    pieces_.lower_bound(event.address + event.size));
    } else if (event.action == Action::free_completed) {
      if (const auto piece = pieces_.find(event.address); piece != pieces_.end())
        piece->second.rounded = {};
    } else if (event.action == Action::alloc) {
      hand_out(event);
    }
  }
  /// A final block in use that another pool would have split.
  void final_block(const SnapshotSegment& segment, const SnapshotBlock& block) {
    const Bytes rounded = round_request(block.requested, settings_);
    if (block.requested == Bytes{} || block.size <= rounded) return;
    is_proved_ = is_proved_ || would_split({block.size, rounded, {}, segment.is_expandable});
  }

  bool is_whole() const { return is_possible_ && is_proved_; }

 private:
  /// Memory that was got at once.
  struct Piece {
    Bytes size;
    /// The size of the request that has it; zero while it is free.
    Bytes rounded;
    StreamId stream;
    bool is_mapped = false;
  };

  void hand_out(const AllocatorEvent& event) {
    const Bytes rounded = round_request(event.size, settings_);
    const auto piece = pieces_.find(event.address);
    is_possible_ = is_possible_ && piece != pieces_.end();
    is_proved_ = is_proved_ || (!grown_.empty() && left_a_rest_for(rounded, event.stream));
    if (piece != pieces_.end()) piece->second.rounded = rounded;
    grown_.clear();
  }

  /// Whether the rest of a block in use would have served the request that got new memory.
  bool left_a_rest_for(Bytes rounded, StreamId stream) const {
    return std::ranges::any_of(pieces_, [&](const auto& entry) {
      const Piece& piece = entry.second;
      if (piece.rounded == Bytes{} || piece.stream != stream || !would_split(piece)) return false;
      const Bytes rest = piece.size - piece.rounded;
      return allocator::pool_kind_of(piece.rounded) == allocator::pool_kind_of(rounded) &&
             rest >= rounded && !is_oversize_mismatch(rest, rounded, settings_);
    });
  }

  bool would_split(const Piece& piece) const {
    const auto mode = piece.is_mapped ? allocator::Mode::expandable : allocator::Mode::classic;
    const auto rule = split_rule_of(allocator::pool_kind_of(piece.rounded), mode);
    return piece.size > piece.rounded && is_split_off(piece.size, piece.rounded, rule, settings_);
  }

  const allocator::Settings& settings_;
  std::map<Address, Piece> pieces_;
  /// Pieces that the next request got.
  std::set<Address> grown_;
  /// No block began elsewhere.
  bool is_possible_ = true;
  bool is_proved_ = false;
};

}  // namespace

std::set<PoolId> find_whole_pools(const DeviceHistory& history,
                                  const allocator::Settings& settings) {
  if (!history.traits.names_pools) return {};
  std::map<PoolId, PoolWatch> watched;
  const auto watch = [&](PoolId pool) -> PoolWatch& {
    return watched.try_emplace(pool, settings).first->second;
  };
  for (const AllocatorEvent event : history.events)
    // Pools of graphs have their numbers, and are no objects of the program.
    if (event.pool != default_pool && event.pool.graph == 0) watch(event.pool).event(event);
  for (const SnapshotSegment& segment : history.final_segments)
    if (const auto known = watched.find(segment.pool); known != watched.end())
      for (const SnapshotBlock& block : segment.blocks)
        if (block.state != BlockState::inactive) known->second.final_block(segment, block);
  std::set<PoolId> whole;
  for (const traces::NotedCall& call : history.noted_calls)
    if (call.no_split) whole.insert(call.pool);
  for (const auto& [pool, seen] : watched)
    if (seen.is_whole()) whole.insert(pool);
  return whole;
}

}  // namespace vramlab::replay
