// What can be concluded about a recording's origin: the versions that write such keys, and whether
// the history began with an empty allocator. Pure functions over sums and signs.
#pragma once

#include "replay/history/recording_summary.h"

namespace vramlab::replay {

/// What the keys of a file show.
struct VersionSigns {
  traces::KeySet event_keys;
  bool has_pinned_memory = false;
  bool has_annotate_action = false;
  bool has_stream_reuse_setting = false;
  bool has_annotations = false;
  bool has_settings = false;
  bool has_expandable_flag = false;
  bool has_old_blocks = false;
};
VersionGuess guess_version_from(const VersionSigns& signs);

/// The final state less what the events did: what was there before the first of them.
struct HistorySums {
  std::uint64_t event_count = 0;
  std::int64_t live_block_count = 0;
  std::int64_t requested_bytes = 0;
  std::int64_t reserved_bytes = 0;
  bool ring_overflowed = false;
};
struct HistoryVerdict {
  HistoryKind kind = HistoryKind::segments_only;
  std::string reason;
};
HistoryVerdict judge_history(const HistorySums& sums);

}  // namespace vramlab::replay
