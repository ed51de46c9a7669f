// The words that memory snapshots are made of. A TextTable holds them from the start, each under
// the number that it has here, so that a reader tells a key by its id and compares no letters.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

namespace vramlab::traces {

/// Keys first: KeySet has a bit for each of them.
enum class KnownText : std::uint32_t {
  action,
  addr,
  device_free,
  size,
  stream,
  time_us,
  pool_id,
  frames,
  forward_frames,
  compile_context,
  user_metadata,
  internal_metadata,
  category,
  name,
  filename,
  line,
  device,
  address,
  total_size,
  allocated_size,
  active_size,
  requested_size,
  segment_type,
  segment_pool_id,
  is_expandable,
  blocks,
  state,
  history,
  real_size,
  stage,
  segments,
  device_traces,
  allocator_settings,
  external_annotations,
  // Words that are no keys, or keys of other places.
  empty,
  alloc,
  free_requested,
  free_completed,
  segment_alloc,
  segment_free,
  segment_map,
  segment_unmap,
  snapshot,
  oom,
  annotate,
  active_allocated,
  active_pending_free,
  active_awaiting_free,
  inactive,
  large,
  small,
  start,
  end,
};

inline constexpr std::array<std::string_view, 53> known_texts = {
    "action",
    "addr",
    "device_free",
    "size",
    "stream",
    "time_us",
    "pool_id",
    "frames",
    "forward_frames",
    "compile_context",
    "user_metadata",
    "internal_metadata",
    "category",
    "name",
    "filename",
    "line",
    "device",
    "address",
    "total_size",
    "allocated_size",
    "active_size",
    "requested_size",
    "segment_type",
    "segment_pool_id",
    "is_expandable",
    "blocks",
    "state",
    "history",
    "real_size",
    "stage",
    "segments",
    "device_traces",
    "allocator_settings",
    "external_annotations",
    "",
    "alloc",
    "free_requested",
    "free_completed",
    "segment_alloc",
    "segment_free",
    "segment_map",
    "segment_unmap",
    "snapshot",
    "oom",
    "annotate",
    "active_allocated",
    "active_pending_free",
    "active_awaiting_free",
    "inactive",
    "large",
    "small",
    "START",
    "END",
};
inline constexpr auto known_key_count = static_cast<std::uint32_t>(KnownText::empty);
static_assert(known_key_count <= 64);
static_assert(known_texts.size() == static_cast<std::size_t>(KnownText::end) + 1);

constexpr std::string_view known_text(KnownText text) {
  return known_texts[static_cast<std::size_t>(text)];
}

}  // namespace vramlab::traces
