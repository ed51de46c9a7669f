#include "replay/recording/recorded_history.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <utility>

#include "replay/metrics/memory_curve.h"
#include "traces/io/input_error.h"
#include "traces/model/generic_text.h"
#include "traces/model/snapshot_values.h"

namespace vramlab::replay {
namespace {

using traces::KnownText;
using traces::TextId;

constexpr std::array<std::pair<Action, KnownText>, 9> actions = {
    {{Action::alloc, KnownText::alloc},
     {Action::free_requested, KnownText::free_requested},
     {Action::free_completed, KnownText::free_completed},
     {Action::segment_alloc, KnownText::segment_alloc},
     {Action::segment_free, KnownText::segment_free},
     {Action::segment_map, KnownText::segment_map},
     {Action::segment_unmap, KnownText::segment_unmap},
     {Action::snapshot, KnownText::snapshot},
     {Action::oom, KnownText::oom}}};

BlockState state_of(TextId text) {
  switch (static_cast<KnownText>(text.value)) {
    case KnownText::active_allocated:
      return BlockState::active_allocated;
    case KnownText::active_pending_free:
    case KnownText::active_awaiting_free:
      return BlockState::active_pending_free;
    default:
      return BlockState::inactive;
  }
}

/// Old formats have the last request of the block in its history.
Bytes requested_of(const traces::BlockValue& block) {
  if (block.keys.has(KnownText::requested_size)) return block.requested_size;
  return block.history.empty() ? Bytes{} : block.history.back().real_size;
}

traces::StackId stack_of(const traces::BlockValue& block) {
  if (state_of(block.state) == BlockState::inactive) return {};
  if (block.stack != traces::StackId{} || block.history.empty()) return block.stack;
  return block.history.back().stack;
}

const traces::GenericValue* setting(const RecordedHistory& history, std::string_view name,
                                    const traces::TextTable& texts) {
  return history.settings ? find_item(*history.settings, name, texts) : nullptr;
}

/// The recorded option string; null if the file has none. ROCm's name for it, and the name for all
/// back ends, are taken as well.
const traces::GenericValue* recorded_options(const RecordedHistory& history,
                                             const traces::TextTable& texts) {
  for (const char* name :
       {"PYTORCH_CUDA_ALLOC_CONF", "PYTORCH_HIP_ALLOC_CONF", "PYTORCH_ALLOC_CONF"})
    if (const auto* text = setting(history, name, texts)) return text;
  return nullptr;
}

std::optional<std::uint64_t> whole_number(const traces::GenericValue* value) {
  const auto* number = value ? std::get_if<traces::WholeNumber>(&value->content) : nullptr;
  if (number == nullptr || number->is_negative) return std::nullopt;
  return number->bits;
}

void read_divisions(const traces::GenericValue& dict, const traces::TextTable& texts,
                    allocator::Settings& settings) {
  for (std::size_t slot = 0; slot < settings.roundup_divisions.size(); ++slot) {
    const std::string name = std::to_string(std::uint64_t{1} << slot);
    if (const auto divisions = whole_number(find_item(dict, name, texts)))
      settings.roundup_divisions[slot] = static_cast<std::uint32_t>(*divisions);
  }
}

}  // namespace

std::optional<Action> action_of(TextId text) {
  for (const auto& [action, known] : actions)
    if (TextId(known) == text) return action;
  return std::nullopt;
}

KnownText text_of(Action action) {
  return std::ranges::find(actions, action, &std::pair<Action, KnownText>::first)->second;
}

bool has_stacks(const DeviceHistory& history) {
  return std::ranges::any_of(history.stacks,
                             [](traces::StackId stack) { return stack != traces::StackId{}; });
}

void RecordedEvents::find_rare() {
  for (std::size_t i = 0; i < size(); ++i)
    if (is_rare((*this)[i].action)) rare_.push_back(i);
}

std::map<Address, traces::StackId> stacks_from_before(const DeviceHistory& history) {
  std::map<Address, traces::StackId> stacks = history.final_stacks;
  for (const AllocatorEvent& event : history.events) {
    if (stacks.empty()) break;
    if (event.action == Action::alloc) stacks.erase(event.address);
  }
  return stacks;
}

bool has_threads(const DeviceHistory& history, const traces::SnapshotTables& tables) {
  std::vector<bool> is_seen(tables.stacks.count());
  for (std::size_t i = 0; i < history.stacks.size(); ++i) {
    const traces::StackId stack = history.stacks[i];
    if (history.events[i].action != Action::alloc || is_seen[stack.value]) continue;
    is_seen[stack.value] = true;
    const auto frames = tables.stacks.frames(stack);
    if (frames.empty()) continue;
    const traces::FrameValue& outermost = tables.frames.frame(frames.back());
    if (tables.texts.text(outermost.name) == "_bootstrap" &&
        tables.texts.text(outermost.filename).ends_with("threading.py"))
      return true;
  }
  return false;
}

namespace {

/// By number, whether the frame is of a call with which a pool's checkpoint is restored, as the
/// graph trees of torch.compile do; empty if none is.
std::vector<bool> frames_that_restore(const traces::SnapshotTables& tables) {
  std::vector<bool> restore(tables.frames.count());
  bool has_any = false;
  for (std::uint32_t i = 0; i < restore.size(); ++i) {
    const std::string_view name = tables.texts.text(tables.frames.frame({i}).name);
    restore[i] = name == "apply_checkpoint_execution_state_in_allocator" ||
                 name.find("::setCheckpointPoolState(") != std::string_view::npos;
    has_any = has_any || restore[i];
  }
  return has_any ? restore : std::vector<bool>{};
}

}  // namespace

void find_restored_checkpoints(RecordedHistory& history, const traces::SnapshotTables& tables) {
  const std::vector<bool> frames = frames_that_restore(tables);
  if (frames.empty()) return;
  std::vector<bool> stacks(tables.stacks.count());
  for (std::uint32_t i = 0; i < stacks.size(); ++i)
    stacks[i] = std::ranges::any_of(tables.stacks.frames({i}),
                                    [&](traces::FrameId frame) { return frames[frame.value]; });
  for (DeviceHistory& device : history.devices) {
    for (std::size_t i = 0; i < device.stacks.size(); ++i) {
      const traces::StackId stack = device.stacks[i];
      if (!stacks[stack.value] || device.events[i].action != Action::alloc) continue;
      ++device.traits.restored_requests;
      device.placed_requests.push_back(i);
    }
    std::ranges::sort(device.placed_requests);
  }
}

std::map<std::uint64_t, traces::TextId> labels_by_request(const DeviceHistory& history) {
  std::map<std::uint64_t, traces::TextId> labels;
  if (history.labels.empty()) return labels;
  std::map<Address, std::uint64_t> requests;
  auto label = history.labels.begin();
  for (std::size_t done = 0; done <= history.events.size(); ++done) {
    for (; label != history.labels.end() && label->event_count == done; ++label)
      if (const auto request = requests.find(label->address); request != requests.end())
        labels[request->second] = label->text;
    if (done == history.events.size()) break;
    const AllocatorEvent event = history.events[done];
    if (event.action == Action::alloc) requests[event.address] = done;
    if (event.action == Action::free_completed) requests.erase(event.address);
  }
  return labels;
}

Bytes reserved_at_end(const DeviceHistory& history) {
  Bytes reserved;
  for (const SnapshotSegment& segment : history.final_segments) reserved += segment.total_size;
  return reserved;
}

bool has_rare_event(const DeviceHistory& history, Action action) {
  return std::ranges::any_of(history.events.rare(), [&](std::size_t event) {
    return history.events[event].action == action;
  });
}

bool has_chosen_place(const DeviceHistory& history, std::size_t event) {
  return std::ranges::binary_search(history.placed_requests, event);
}

std::optional<Bytes> peak_reserved_of(const DeviceHistory& history) {
  Peak reserved;
  for (const std::size_t i : history.events.rare()) {
    const AllocatorEvent event = history.events[i];
    if (is_release(event.action))
      reserved.subtract(event.size);
    else if (is_segment_call(event.action))
      reserved.add(event.size, i + 1);
  }
  if (history.final_segments.empty() && reserved.highest() == 0 && reserved.now() == 0)
    return std::nullopt;
  return reserved.above(reserved.start_for(reserved_at_end(history)));
}

/// Few devices, which mostly come in order.
DeviceHistory& HistoryCollector::device_of(std::int64_t number) {
  const auto place = static_cast<std::size_t>(number);
  if (place < history_.devices.size() && history_.devices[place].device == number)
    return history_.devices[place];
  for (DeviceHistory& device : history_.devices)
    if (device.device == number) return device;
  DeviceHistory& device = history_.devices.emplace_back();
  device.device = number;
  device.events = RecordedEvents(place_);
  device.stacks = traces::LongSequence<traces::StackId>(place_);
  return device;
}

void HistoryCollector::segment(const traces::SegmentValue& segment) {
  DeviceHistory& device = device_of(segment.device);
  SnapshotSegment kept;
  kept.address = segment.address;
  kept.total_size = segment.total_size;
  kept.allocated_size = segment.allocated_size;
  kept.active_size = segment.active_size;
  kept.requested_size = segment.requested_size;
  kept.stream = segment.stream;
  kept.kind = segment.segment_type == TextId(KnownText::large) ? PoolKind::large : PoolKind::small;
  kept.pool = segment.pool;
  kept.is_expandable = segment.is_expandable;
  for (const traces::BlockValue& block : segment.blocks) {
    kept.blocks.push_back({block.address, block.size, requested_of(block), state_of(block.state)});
    if (const auto stack = stack_of(block); stack != traces::StackId{})
      device.final_stacks[block.address] = stack;
  }
  if (!segment.keys.has(KnownText::segment_pool_id)) device.traits.segments_say_pool = false;
  device.final_segments.push_back(std::move(kept));
}

void HistoryCollector::trace_entry(traces::DeviceIndex index, const traces::TraceEntry& entry) {
  DeviceHistory& device = device_of(index.value);
  const std::optional<Action> action = action_of(entry.action);
  const bool is_label = entry.action == TextId(KnownText::annotate);
  if (is_label) device.labels.push_back({device.events.size(), entry.address, entry.user_metadata});
  if (is_label || !action)
    device.entries_left_out.push_back(device.events.size() + device.entries_left_out.size());
  if (is_label) return;
  if (!action) {
    ++device.traits.unknown_event_count;
    return;
  }
  if (*action == Action::free_requested) device.traits.requests_frees = true;
  if (entry.keys.has(KnownText::pool_id)) device.traits.names_pools = true;
  if (!entry.keys.has(KnownText::time_us)) device.traits.lacks_time = true;
  constexpr TextId at_address{KnownText::malloc_with_address};
  // Before 2.15 the tag stands where a program's own would.
  if (entry.internal_metadata == at_address || entry.user_metadata == at_address) {
    // The bytes before the address are requested too, and freed at once.
    if (*action == Action::alloc) {
      ++device.traits.requests_at_addresses;
      device.placed_requests.push_back(device.events.size());
    }
    std::uint64_t& count = device.traits.requests_at_addresses;
    if (*action == Action::free_requested && count > 0) --count;
  }
  Address address = entry.address;
  if (*action == Action::oom) {
    address = {entry.device_free.count};
    if (!entry.keys.has(KnownText::device_free)) device.traits.lacks_device_free = true;
  }
  if (*action == Action::alloc && entry.user_metadata != TextId{})
    device.labels.push_back({device.events.size() + 1, address, entry.user_metadata});
  device.events.push_back({*action, address, entry.size, entry.stream, entry.pool, entry.time_us});
  device.stacks.push_back(entry.stack);
}

void HistoryCollector::annotation(const traces::AnnotationValue& annotation) {
  history_.annotations.push_back({annotation.name, annotation.stage, annotation.device,
                                  annotation.time_us, annotation.keys.has(KnownText::time_us)});
}

RecordedHistory HistoryCollector::take() {
  std::ranges::sort(history_.devices, {}, &DeviceHistory::device);
  for (DeviceHistory& device : history_.devices)
    std::ranges::sort(device.final_segments, {}, &SnapshotSegment::address);
  return std::move(history_);
}

std::uint64_t event_before(const DeviceHistory& history, std::uint64_t entry) {
  const auto behind = std::ranges::lower_bound(history.entries_left_out, entry);
  return entry - static_cast<std::uint64_t>(behind - history.entries_left_out.begin());
}

namespace {

/// The outermost scopes: the allocator asks the one that was opened first.
std::vector<NotedScope> scopes_of(const std::vector<traces::NotedCall>& calls,
                                  std::size_t event_count) {
  std::vector<NotedScope> scopes;
  unsigned depth = 0;
  for (const traces::NotedCall& call : calls) {
    if (call.kind == traces::ProgramEventKind::pool_begin) {
      if (depth == 0) scopes.push_back({call.before, event_count, call.pool});
      ++depth;
    }
    if (call.kind != traces::ProgramEventKind::pool_end || depth == 0) continue;
    --depth;
    if (depth == 0) scopes.back().end = call.before;
  }
  return scopes;
}

/// Throws InputError for a place that is none among the entries from `lowest` on.
void check_place(const DeviceHistory& device, std::uint64_t place, std::uint64_t lowest,
                 const std::string& file) {
  const std::uint64_t entry_count = device.events.size() + device.entries_left_out.size();
  if (place >= lowest && place <= entry_count) return;
  throw traces::InputError({file, "the calls of device " + std::to_string(device.device),
                            "places from " + std::to_string(lowest) + " to " +
                                std::to_string(entry_count) + " among its entries, in order",
                            std::to_string(place)});
}

void take_first_works(DeviceHistory& device, const std::vector<traces::NotedWork>& works,
                      const std::string& file) {
  FirstWorks& first = device.drivers_places.emplace();
  for (const traces::NotedWork& noted : works) {
    if (std::int64_t{noted.device.value} != device.device) continue;
    check_place(device, noted.before, 0, file);
    const std::uint64_t before = event_before(device, noted.before);
    (noted.work == traces::FirstWork::kernel ? first.kernel : first.library) = before;
  }
}

void take_calls(DeviceHistory& device, const std::vector<traces::NotedCall>& calls,
                const std::string& file) {
  device.knows_calls = true;
  std::uint64_t last = 0;
  for (traces::NotedCall call : calls) {
    if (std::int64_t{call.device.value} != device.device) continue;
    check_place(device, call.before, last, file);
    last = call.before;
    call.before = event_before(device, call.before);
    device.noted_calls.push_back(std::move(call));
  }
  device.noted_scopes = scopes_of(device.noted_calls, device.events.size());
}

}  // namespace

void take_notes(RecordedHistory& history, const traces::TextTable& texts, const std::string& file) {
  for (const traces::UnknownField& section : history.other_sections) {
    if (texts.text(section.key) != traces::dry_run_key) continue;
    traces::DryRunNotes notes = read_dry_run_notes(*section.value, texts, file);
    history.torch = std::move(notes.torch);
    history.kernel_code = std::move(notes.kernel_code);
    history.options_at_start = std::move(notes.options_at_start);
    if (notes.first_works)
      for (DeviceHistory& device : history.devices)
        take_first_works(device, *notes.first_works, file);
    for (const traces::NotedLimit& limit : notes.memory_limits)
      for (DeviceHistory& device : history.devices)
        if (device.device == std::int64_t{limit.device.value}) device.noted_limit = limit.bytes;
    if (!notes.knows_calls) continue;
    for (DeviceHistory& device : history.devices) take_calls(device, notes.calls, file);
  }
}

std::optional<PoolId> told_pool(const DeviceHistory& history, std::size_t event) {
  if (history.traits.names_pools) return history.events[event].pool;
  const auto next = std::ranges::upper_bound(history.noted_scopes, event, {}, &NotedScope::first);
  if (next == history.noted_scopes.begin() || event >= std::prev(next)->end) return std::nullopt;
  return std::prev(next)->pool;
}

bool has_noted(const DeviceHistory& history, traces::ProgramEventKind kind) {
  return std::ranges::any_of(history.noted_calls,
                             [kind](const traces::NotedCall& call) { return call.kind == kind; });
}

void take_as_host(RecordedHistory& history) {
  for (DeviceHistory& device : history.devices) device.traits.has_whole_blocks = true;
}

namespace {

/// Whether private pools have classic segments under expandable_segments, as in 2.4 alone.
bool has_classic_private_segments(const RecordedHistory& history, const traces::TextTable& texts) {
  const auto* option = setting(history, "expandable_segments", texts);
  const auto* is_on = option == nullptr ? nullptr : std::get_if<bool>(&option->content);
  return is_on != nullptr && *is_on &&
         std::ranges::any_of(history.devices, [](const DeviceHistory& device) {
           return std::ranges::any_of(device.final_segments, [](const SnapshotSegment& segment) {
             return segment.pool != allocator::default_pool && !segment.is_expandable;
           });
         });
}

bool fails_while_expandable(const DeviceHistory& device) {
  return has_rare_event(device, Action::oom) && has_rare_event(device, Action::segment_map);
}

}  // namespace

std::vector<const ReferenceVersion*> possible_references(const RecordedHistory& history,
                                                         const traces::TextTable& texts) {
  if (const ReferenceVersion* const told = allocator::reference_version_of_release(history.torch))
    return {told};
  const auto rows = allocator::reference_versions();
  if (setting(history, "max_round_threshold", texts) != nullptr) {
    const bool has_host = std::ranges::any_of(history.other_sections, [&](const auto& section) {
      return texts.text(section.key) == "host_traces";
    });
    if (!has_host) return {allocator::find_reference_version("2.13")};
    // 2.15 differs from 2.14 in requests that an expandable segment has too few addresses for.
    if (!std::ranges::any_of(history.devices, fails_while_expandable)) return {&rows.back()};
    return {&rows.back(), allocator::find_reference_version("2.14")};
  }
  const bool names_pools = std::ranges::any_of(
      history.devices, [](const DeviceHistory& device) { return device.traits.names_pools; });
  if (!names_pools) {
    const ReferenceVersion* usual = &allocator::default_reference_version();
    if (!has_classic_private_segments(history, texts)) return {usual};
    return {&rows.front(), usual};
  }
  std::vector<const ReferenceVersion*> between;
  for (const ReferenceVersion& row : rows)
    if (row.grammar == allocator::OptionGrammar::three_passes)
      between.insert(between.begin(), &row);
  return between;
}

namespace {

SettingsInForce settings_of_string(std::string_view text, const ReferenceVersion& version) {
  SettingsInForce in_force;
  auto parsed = parse_settings({}, text, version);
  in_force.settings = std::move(parsed.settings);
  if (!parsed.error) return in_force;
  // No replay takes the string, alone or with another option added.
  in_force.settings.text.clear();
  in_force.doubt = "the recorded option string is refused: " +
                   (parsed.error->kind == allocator::SettingsErrorKind::unknown_option
                        ? "PyTorch " + std::string(version.name) + " has no option '" +
                              parsed.error->option + "'"
                        : parsed.error->message);
  return in_force;
}

}  // namespace

SettingsInForce recorded_settings(const RecordedHistory& history, const traces::TextTable& texts,
                                  const ReferenceVersion& version) {
  SettingsInForce in_force;
  if (!history.settings) {
    in_force.doubt = "the file has no settings: the defaults are assumed";
    return in_force;
  }
  allocator::Settings& settings = in_force.settings;
  if (history.options_at_start) {
    in_force = settings_of_string(*history.options_at_start, version);
    return in_force;
  }
  if (const auto* text = recorded_options(history, texts))
    if (const auto* id = std::get_if<TextId>(&text->content))
      in_force = settings_of_string(texts.text(*id), version);
  if (const auto* value = setting(history, "max_split_size", texts))
    settings.max_split_size =
        whole_number(value) ? Bytes{*whole_number(value)} : allocator::unlimited;
  if (const auto* value = setting(history, "garbage_collection_threshold", texts))
    if (const auto* real = std::get_if<double>(&value->content))
      settings.garbage_collection_threshold = *real;
  if (const auto* value = setting(history, "expandable_segments", texts))
    if (const auto* flag = std::get_if<bool>(&value->content)) settings.expandable_segments = *flag;
  if (const auto* value = setting(history, "roundup_power2_divisions", texts))
    read_divisions(*value, texts, settings);
  return in_force;
}

void AnnotationCollector::add(const RecordedAnnotation& annotation) {
  if (!annotation.has_time) return;
  std::vector<std::size_t>& open = open_[{annotation.device, annotation.name}];
  AnnotationSpan span{annotation.device, annotation.name, {}, {}};
  if (annotation.stage == traces::TextId(traces::KnownText::start)) {
    span.begin_us = annotation.time_us;
    open.push_back(spans_.size());
    spans_.push_back(span);
  } else if (annotation.stage == traces::TextId(traces::KnownText::end)) {
    if (open.empty()) {
      span.end_us = annotation.time_us;
      spans_.push_back(span);
      return;
    }
    spans_[open.back()].end_us = annotation.time_us;
    open.pop_back();
  }
}

std::vector<AnnotationSpan> annotation_spans(const RecordedHistory& history) {
  AnnotationCollector collector;
  for (const RecordedAnnotation& annotation : history.annotations) collector.add(annotation);
  return collector.spans();
}

}  // namespace vramlab::replay
