#include "replay/replayer/passed_over.h"

#include <algorithm>
#include <array>
#include <optional>
#include <tuple>

#include "allocator/options/size_rules.h"

namespace vramlab::replay {

namespace {

struct ReasonRow {
  std::string_view text;
  allocator::Rule rule;
};

/// In the order of the reasons.
constexpr std::array<ReasonRow, 9> reason_rows = {{
    {"of the other kind, small or large", allocator::rules::small_up_to_1_mib},
    {"another pool's", allocator::rules::open_scope_gives_its_pool},
    {"another stream's", allocator::rules::best_fit_is_taken},
    {"in an expandable segment, and these are off", allocator::rules::search_skips_expandable},
    {"at or above the split limit, and the request is below it",
     allocator::rules::oversize_block_is_kept_apart},
    {"above the split limit, and too much of it would be wasted",
     allocator::rules::oversize_request_wastes_little},
    {"it can grow further than the one that is taken",
     allocator::rules::search_moves_on_to_shorter_reach},
    {"larger than the one that is taken", allocator::rules::best_fit_is_taken},
    {"as large as the one that is taken, and behind it", allocator::rules::best_fit_is_taken},
}};

const ReasonRow& row_of(PassReason reason) { return reason_rows[static_cast<std::size_t>(reason)]; }

/// A place among segments and their blocks.
struct Found {
  const SnapshotSegment* segment = nullptr;
  const SnapshotBlock* block = nullptr;
};

Found block_at(const Snapshot& state, Address address) {
  for (const SnapshotSegment& segment : state.segments)
    for (const SnapshotBlock& block : segment.blocks)
      if (block.address <= address && address < block.address + block.size)
        return {&segment, &block};
  return {};
}

struct Request {
  const SnapshotSegment* taken_from = nullptr;
  Bytes rounded;
  /// The free block that is taken; none if the device was asked.
  std::optional<Bytes> taken;
};

/// Why the block did not get the request; empty where no rule says.
std::optional<PassReason> reason_for(const SnapshotSegment& segment, Bytes block,
                                     const Request& request, const Settings& settings) {
  if (segment.kind != request.taken_from->kind) return PassReason::other_kind;
  if (segment.pool != request.taken_from->pool) return PassReason::other_pool;
  if (segment.stream != request.taken_from->stream) return PassReason::other_stream;
  if (segment.is_expandable && !settings.expandable_segments) return PassReason::expandable_off;
  if (allocator::is_oversize_mismatch(block, request.rounded, settings))
    return request.rounded < settings.max_split_size ? PassReason::above_split_limit
                                                     : PassReason::wastes_too_much;
  if (!request.taken) return std::nullopt;
  if (block < *request.taken) return PassReason::reaches_further;
  return block > *request.taken ? PassReason::larger_than_taken : PassReason::behind_taken;
}

/// The entry of the block; null if something else happened than that the device was asked.
const AllocatorEvent* plain_allocation(const std::vector<AllocatorEvent>& entries) {
  const AllocatorEvent* allocation = nullptr;
  for (const AllocatorEvent& entry : entries) {
    if (entry.action == Action::alloc)
      allocation = &entry;
    else if (entry.action != Action::segment_alloc && entry.action != Action::segment_map)
      return nullptr;
  }
  return allocation;
}

}  // namespace

std::string_view reason_text(PassReason reason) { return row_of(reason).text; }
allocator::Rule rule_of(PassReason reason) { return row_of(reason).rule; }

std::vector<PassedOver> blocks_passed_over(const Snapshot& before, const Snapshot& after,
                                           const traces::ProgramEvent& request,
                                           const std::vector<AllocatorEvent>& entries,
                                           const Settings& settings) {
  std::vector<PassedOver> passed;
  const AllocatorEvent* const allocation = plain_allocation(entries);
  if (allocation == nullptr) return passed;
  const Found taken = block_at(after, allocation->address);
  if (taken.segment == nullptr) return passed;
  const Found free_before = block_at(before, allocation->address);
  Request asked{taken.segment, allocator::round_request(request.bytes, settings), {}};
  if (entries.size() == 1 && free_before.block != nullptr) asked.taken = free_before.block->size;
  for (const SnapshotSegment& segment : before.segments)
    for (const SnapshotBlock& block : segment.blocks) {
      const bool is_candidate = block.state == BlockState::inactive && block.size >= asked.rounded;
      if (!is_candidate || &block == free_before.block) continue;
      if (const auto reason = reason_for(segment, block.size, asked, settings))
        passed.push_back({block.address, block.size, *reason});
    }
  std::ranges::sort(passed, {},
                    [](const PassedOver& block) { return std::tuple(block.size, block.address); });
  return passed;
}

}  // namespace vramlab::replay
