#include "replay/history/recording_origin.h"

namespace vramlab::replay {

using traces::KnownText;

std::string_view history_kind_name(HistoryKind kind) {
  switch (kind) {
    case HistoryKind::whole:
      return "whole";
    case HistoryKind::cut:
      return "cut";
    case HistoryKind::segments_only:
      return "segments only";
    case HistoryKind::inconsistent:
      return "inconsistent";
  }
  return "unknown";
}

/// Newest sign first: a version writes all that older ones wrote.
VersionGuess guess_version_from(const VersionSigns& signs) {
  if (signs.event_keys.has(KnownText::internal_metadata))
    return {"newer than 2.13", "events have 'internal_metadata'"};
  if (signs.has_annotate_action) return {"2.14 or newer", "there are 'annotate' events"};
  if (signs.has_pinned_memory) return {"2.14 or newer", "there are sections of pinned host memory"};
  if (signs.event_keys.has(KnownText::pool_id)) return {"2.12 or newer", "events have 'pool_id'"};
  if (signs.event_keys.has(KnownText::user_metadata))
    return {"2.10 or 2.11", "events have 'user_metadata' and no 'pool_id'"};
  if (signs.has_stream_reuse_setting)
    return {signs.event_keys.has(KnownText::compile_context) ? "2.9" : "2.9 or newer",
            "settings have 'graph_capture_record_stream_reuse', events no 'user_metadata'"};
  if (signs.event_keys.has(KnownText::compile_context))
    return {"2.8",
            "events have 'compile_context', settings no "
            "'graph_capture_record_stream_reuse'"};
  if (signs.has_annotations)
    return {"2.5 to 2.8", "there are annotations, and no key of a later version"};
  if (signs.has_settings) return {"2.3 or 2.4", "there are settings, and no annotations"};
  if (signs.has_old_blocks) return {"2.0 or older", "blocks have a 'history'"};
  if (signs.event_keys.has(KnownText::time_us) || signs.has_expandable_flag)
    return {"2.1 or 2.2", "there are times or expandable segments, and no settings"};
  return {"unknown", "no key shows it"};
}

HistoryVerdict judge_history(const HistorySums& sums) {
  // Recording with enabled="state" keeps a ring of one event.
  if (sums.event_count == 0) return {HistoryKind::segments_only, "There are no events."};
  if (sums.event_count == 1) return {HistoryKind::segments_only, "There is a single event."};
  if (sums.live_block_count < 0 || sums.requested_bytes < 0)
    return {HistoryKind::inconsistent,
            "The events allocate more than they free and the final blocks hold: some kinds of "
            "events are missing, or the file was made by a script."};
  if (sums.live_block_count > 0 || sums.requested_bytes > 0)
    return {HistoryKind::cut, std::to_string(sums.live_block_count) +
                                  " blocks were live before the first event" +
                                  (sums.ring_overflowed ? "; the ring of events was full." : ".")};
  if (sums.reserved_bytes != 0)
    return {HistoryKind::cut, "Segments were there before the first event."};
  return {HistoryKind::whole, "Without its events the allocator would be empty."};
}

}  // namespace vramlab::replay
