#include "replay/recording/recording_summary.h"

#include <algorithm>

#include "replay/recording/recorded_history.h"
#include "traces/model/generic_text.h"
#include "traces/model/kinds_notes.h"

namespace vramlab::replay {

namespace {

constexpr std::string_view overflow_key = "trace_alloc_overflowed";

}  // namespace

using traces::KnownText;
using traces::TextId;

std::uint64_t RecordingSummary::event_count() const {
  std::uint64_t count = 0;
  for (const DeviceSummary& device : devices) count += device.event_count;
  return count;
}

RecordingSummarizer::~RecordingSummarizer() = default;

std::uint64_t RecordingSummarizer::Device::count_of(KnownText action) const {
  for (const auto& [known, count] : actions)
    if (known == TextId(action)) return count;
  return 0;
}

RecordingSummarizer::Device& RecordingSummarizer::device_of(std::int64_t number) {
  for (Device& device : devices_)
    if (device.number == number) return device;
  devices_.emplace_back().number = number;
  return devices_.back();
}

void RecordingSummarizer::section(traces::SnapshotSection section) { sections_.insert(section); }

void RecordingSummarizer::segment(const traces::SegmentValue& segment) {
  Device& device = device_of(segment.device);
  SegmentFigures& figures = device.segments;
  ++figures.segment_count;
  if (segment.is_expandable) ++figures.expandable_count;
  figures.reserved += segment.total_size;
  figures.allocated += segment.allocated_size;
  figures.active += segment.active_size;
  figures.block_count += segment.blocks.size();
  for (const traces::BlockValue& block : segment.blocks) {
    if (block.keys.has(KnownText::history)) has_old_blocks_ = true;
    note_unknown(block.unknown);
    note_state(block.state);
    if (block.state == TextId(KnownText::inactive)) continue;
    ++figures.active_block_count;
    figures.requested += block.requested_size;
    if (block.state == TextId(KnownText::active_allocated))
      figures.requested_in_use += block.requested_size;
  }
  device.streams.insert(segment.stream);
  if (segment.keys.has(KnownText::segment_pool_id)) device.pools.insert(segment.pool);
  if (segment.keys.has(KnownText::is_expandable)) segment_keys_.add(KnownText::is_expandable);
  note_unknown(segment.unknown);
}

void RecordingSummarizer::device_trace(traces::DeviceIndex device) { device_of(device.value); }

void RecordingSummarizer::count_action(Device& device, TextId action) {
  for (auto& [known, count] : device.actions) {
    if (known != action) continue;
    ++count;
    return;
  }
  device.actions.emplace_back(action, 1);
}

void RecordingSummarizer::note_places(Device& device, const traces::TraceEntry& entry) {
  if (entry.keys.has(KnownText::time_us)) {
    if (!device.time) device.time = {entry.time_us, entry.time_us};
    device.time->first_us = std::min(device.time->first_us, entry.time_us);
    device.time->last_us = std::max(device.time->last_us, entry.time_us);
  }
  if (device.last_stream != entry.stream) device.streams.insert(entry.stream);
  device.last_stream = entry.stream;
  if (!entry.keys.has(KnownText::pool_id) || device.last_pool == entry.pool) return;
  device.pools.insert(entry.pool);
  device.last_pool = entry.pool;
}

void RecordingSummarizer::trace_entry(traces::DeviceIndex index, const traces::TraceEntry& entry) {
  Device& device = index.value < devices_.size() && devices_[index.value].number == index.value
                       ? devices_[index.value]
                       : device_of(index.value);
  ++device.event_count;
  count_action(device, entry.action);
  note_places(device, entry);
  note_looks(entry);
  switch (static_cast<KnownText>(entry.action.value)) {
    case KnownText::alloc:
      device.until_requested.add(entry.size);
      device.until_completed.add(entry.size);
      break;
    case KnownText::free_requested:
      device.until_requested.subtract(entry.size);
      break;
    case KnownText::free_completed:
      device.until_completed.subtract(entry.size);
      break;
    case KnownText::segment_alloc:
    case KnownText::segment_map:
      device.reserved.add(entry.size);
      break;
    case KnownText::segment_free:
    case KnownText::segment_unmap:
      device.reserved.subtract(entry.size);
      break;
    case KnownText::oom: {
      const std::int64_t sum = device.reserved.now_and(entry.device_free);
      device.reserved_and_free = std::max(device.reserved_and_free.value_or(sum), sum);
      break;
    }
    default:
      break;
  }
}

void RecordingSummarizer::note_looks(const traces::TraceEntry& entry) {
  constexpr std::uint64_t smallest_block = 512;
  ++entry_count_;
  if (entry.keys.has(KnownText::compile_context)) ++with_compile_context_;
  if (entry.address.value % smallest_block != 0) ++misplaced_count_;
  event_keys_.add_all(entry.keys);
  if (!entry.unknown.empty()) note_unknown(entry.unknown);
}

void RecordingSummarizer::note_unknown(const std::vector<traces::UnknownField>& fields) {
  for (const traces::UnknownField& field : fields) unknown_keys_.insert(field.key);
}

void RecordingSummarizer::note_state(TextId state) {
  constexpr KnownText known[] = {KnownText::active_allocated, KnownText::active_pending_free,
                                 KnownText::active_awaiting_free, KnownText::inactive};
  if (std::ranges::any_of(known, [&](KnownText text) { return state == TextId(text); })) return;
  if (std::ranges::find(unknown_states_, state) == unknown_states_.end())
    unknown_states_.push_back(state);
}

std::vector<std::string> RecordingSummarizer::unknown_actions() const {
  std::vector<std::string> names;
  for (const Device& device : devices_)
    for (const auto& [action, count] : device.actions) {
      std::string name(tables_.texts.text(action));
      const bool is_known = action_of(action) || action == TextId(KnownText::annotate);
      if (!is_known && std::ranges::find(names, name) == names.end())
        names.push_back(std::move(name));
    }
  return names;
}

void RecordingSummarizer::annotation(const traces::AnnotationValue& annotation) {
  ++annotation_count_;
  note_unknown(annotation.unknown);
}

void RecordingSummarizer::unknown_section(TextId key, const traces::GenericPointer& value) {
  if (tables_.texts.text(key) == traces::dry_run_key) {
    torch_ = torch_of_notes(*value, tables_.texts);
    return;
  }
  if (tables_.texts.text(key) == traces::kinds_key) return;
  unknown_keys_.insert(key);
  if (tables_.texts.text(key) == overflow_key && says_true(*value)) ring_overflowed_ = true;
}

DeviceSummary RecordingSummarizer::summarise(const Device& device) const {
  DeviceSummary summary;
  summary.device = device.number;
  summary.event_count = device.event_count;
  for (const auto& [action, count] : device.actions)
    summary.actions.push_back({std::string(tables_.texts.text(action)), count});
  summary.time = device.time;
  summary.segments = device.segments;
  summary.streams = device.streams;
  summary.pools = device.pools;

  const bool knows_requests = device.count_of(KnownText::free_requested) > 0;
  const Peak& requested = knows_requests ? device.until_requested : device.until_completed;
  const Bytes final_requested =
      knows_requests ? device.segments.requested_in_use : device.segments.requested;
  HistorySums sums;
  sums.event_count = device.event_count;
  sums.live_block_count = static_cast<std::int64_t>(device.segments.active_block_count -
                                                    device.count_of(KnownText::alloc) +
                                                    device.count_of(KnownText::free_completed));
  sums.requested_bytes = requested.start_for(final_requested);
  sums.reserved_bytes = device.reserved.start_for(device.segments.reserved);
  sums.ring_overflowed = ring_is_known_full();
  sums.has_final_segments = sections_.contains(traces::SnapshotSection::segments);
  const HistoryVerdict verdict = judge_history(sums);
  summary.history = verdict.kind;
  summary.history_reason = verdict.reason;
  if (verdict.kind == HistoryKind::segments_only || verdict.kind == HistoryKind::inconsistent)
    return summary;
  summary.peak_in_use = requested.above(sums.requested_bytes);
  const Peak& active = device.until_completed;
  summary.peak_requested = active.above(active.start_for(device.segments.requested));
  summary.peak_reserved = device.reserved.above(sums.reserved_bytes);
  if (device.reserved_and_free)
    summary.least_device_memory = Bytes{static_cast<std::uint64_t>(sums.reserved_bytes) +
                                        static_cast<std::uint64_t>(*device.reserved_and_free)};
  return summary;
}

RecordingSummary RecordingSummarizer::finish() const {
  RecordingSummary summary;
  summary.is_bare_list = is_bare_list_;
  for (const Device& device : devices_) summary.devices.push_back(summarise(device));
  std::ranges::sort(summary.devices, {}, &DeviceSummary::device);
  summary.annotation_count = annotation_count_;
  for (const TextId key : unknown_keys_) summary.unknown_keys.emplace_back(tables_.texts.text(key));
  summary.unknown_actions = unknown_actions();
  for (const TextId state : unknown_states_)
    summary.unknown_states.emplace_back(tables_.texts.text(state));
  summary.has_settings = settings_ != nullptr;
  if (settings_) summary.settings = items_as_text(*settings_, tables_.texts);
  summary.ring_overflowed = ring_is_known_full();
  summary.version = guess_version();
  summary.signs_of_synthesis = signs_of_synthesis();
  summary.text_count = tables_.texts.count() - traces::known_texts.size();
  summary.frame_count = tables_.frames.count();
  summary.stack_count = tables_.stacks.count() - 1;
  return summary;
}

/// Versions differ in where they put the flag: beside the sections or among the settings.
bool RecordingSummarizer::ring_is_known_full() const {
  if (ring_overflowed_) return true;
  const traces::GenericValue* flag =
      settings_ ? find_item(*settings_, overflow_key, tables_.texts) : nullptr;
  return flag != nullptr && says_true(*flag);
}

bool RecordingSummarizer::setting_is_there(std::string_view name) const {
  return settings_ && find_item(*settings_, name, tables_.texts) != nullptr;
}

VersionGuess RecordingSummarizer::guess_version() const {
  if (!torch_.empty()) return {torch_, "a dry run noted it", Certainty::told};
  VersionSigns signs;
  signs.event_keys = event_keys_;
  signs.has_pinned_memory = std::ranges::any_of(
      unknown_keys_, [&](TextId key) { return tables_.texts.text(key).starts_with("host_"); });
  signs.has_pinned_limits = setting_is_there("max_round_threshold");
  signs.has_annotate_action = std::ranges::any_of(
      devices_, [](const Device& device) { return device.count_of(KnownText::annotate) > 0; });
  signs.has_stream_reuse_setting = setting_is_there("graph_capture_record_stream_reuse");
  signs.has_annotations = sections_.contains(traces::SnapshotSection::external_annotations);
  signs.has_settings = settings_ != nullptr;
  signs.has_expandable_flag = segment_keys_.has(KnownText::is_expandable);
  signs.has_old_blocks = has_old_blocks_;
  return guess_version_from(signs);
}

std::vector<std::string> RecordingSummarizer::signs_of_synthesis() const {
  std::vector<std::string> signs;
  std::uint64_t requested = 0;
  std::uint64_t completed = 0;
  for (const Device& device : devices_) {
    requested += device.count_of(KnownText::free_requested);
    completed += device.count_of(KnownText::free_completed);
  }
  if (completed > 1 && requested == 0)
    signs.emplace_back("frees are completed, but none was requested");
  if (misplaced_count_ > 0)
    signs.push_back(std::to_string(misplaced_count_) +
                    " events have addresses that are no multiple of 512");
  if (with_compile_context_ > 0 && with_compile_context_ < entry_count_)
    signs.emplace_back("some events have a compile_context and others have none");
  return signs;
}

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
    return {"2.15 or newer", "events have 'internal_metadata'"};
  if (signs.has_annotate_action) return {"2.14 or newer", "there are 'annotate' events"};
  if (signs.has_pinned_memory) return {"2.14 or newer", "there are sections of pinned host memory"};
  if (signs.has_pinned_limits)
    return {"2.13", "settings have limits of pinned memory, and there are no sections of it"};
  if (signs.event_keys.has(KnownText::pool_id) && signs.has_settings)
    return {"2.12", "events have 'pool_id', settings no limits of pinned memory"};
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
    return {
        HistoryKind::inconsistent,
        !sums.has_final_segments
            ? "The file has no final segments, to which its events must lead."
            : "The events allocate more than they free and the final blocks hold: some kinds of "
              "events are missing, or the file was made by a script."};
  if (sums.live_block_count > 0 || sums.requested_bytes > 0)
    return {HistoryKind::cut,
            std::to_string(sums.live_block_count) +
                (sums.live_block_count == 1 ? " block was" : " blocks were") +
                " allocated before the first event" +
                (sums.ring_overflowed ? "; older events were dropped, as max_entries was too small."
                                      : ".")};
  if (sums.reserved_bytes != 0)
    return {HistoryKind::cut, "Memory was reserved before the first event."};
  return {HistoryKind::whole,
          "Recorded from the start: nothing was allocated before the first event."};
}

}  // namespace vramlab::replay
