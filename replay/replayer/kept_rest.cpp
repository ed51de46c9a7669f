#include "replay/replayer/kept_rest.h"

#include <algorithm>
#include <array>

#include "allocator/options/size_rules.h"

namespace vramlab::replay {

namespace {

struct KeepRow {
  std::string_view text;
  allocator::Rule rule;
};

/// In the order of the reasons.
constexpr std::array<KeepRow, 3> keep_rows = {{
    {"its pool never splits", allocator::rules::pool_never_splits},
    {"the request is not below the split limit", allocator::rules::large_remainder_is_split},
    {"it is not above 1 MiB", allocator::rules::large_remainder_is_split},
}};

const KeepRow& row_of(KeepReason reason) { return keep_rows[static_cast<std::size_t>(reason)]; }

/// The size of the block that begins there; 0 if none does.
Bytes size_at(const Snapshot& state, Address address) {
  for (const SnapshotSegment& segment : state.segments)
    for (const SnapshotBlock& block : segment.blocks)
      if (block.address == address) return block.size;
  return {};
}

}  // namespace

std::string_view reason_text(KeepReason reason) { return row_of(reason).text; }
allocator::Rule rule_of(KeepReason reason) { return row_of(reason).rule; }

std::optional<KeptRest> rest_kept(const Snapshot& after, const traces::ProgramEvent& request,
                                  const std::vector<AllocatorEvent>& entries,
                                  const std::vector<allocator::Rule>& rules,
                                  const Settings& settings) {
  const auto allocation = std::ranges::find(entries, Action::alloc, &AllocatorEvent::action);
  if (allocation == entries.end()) return std::nullopt;
  const Bytes rounded = allocator::round_request(request.bytes, settings);
  const Bytes size = size_at(after, allocation->address);
  if (size <= rounded) return std::nullopt;
  const auto acted = [&](allocator::Rule rule) {
    return std::ranges::find(rules, rule) != rules.end();
  };
  if (acted(allocator::rules::pool_never_splits))
    return KeptRest{size - rounded, KeepReason::pool_never_splits};
  if (!acted(allocator::rules::large_remainder_is_split)) return std::nullopt;
  return KeptRest{size - rounded, rounded < settings.max_split_size
                                      ? KeepReason::at_most_1_mib
                                      : KeepReason::above_split_limit};
}

}  // namespace vramlab::replay
