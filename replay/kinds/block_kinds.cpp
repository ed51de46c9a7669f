#include "replay/kinds/block_kinds.h"

#include <algorithm>
#include <iterator>
#include <limits>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "replay/kinds/guessed_kinds.h"
#include "replay/recording/recorded_history.h"
#include "traces/io/input_error.h"

namespace vramlab::replay {

using traces::DeviceKindsNotes;
using traces::Phase;
using traces::PhaseMark;
using traces::ScannedStorage;

/// Follows the blocks of a history. A request whose kind depends on how long its block lives is
/// open until the phase that it was made in ends.
class KindFinder : public LiveBlocks {
 public:
  KindFinder(const DeviceHistory& history, const DeviceKindsNotes& notes, KindsFrom from)
      : LiveBlocks(KeyMeaning::address, ""), history_(history), notes_(notes), from_(from) {
    kinds_.by_event_.resize(history.events.size());
    for (const auto& scan : notes.scans)
      for (const ScannedStorage& storage : scan) was_handed_out_[storage.address.value] = false;
  }

  BlockKinds find_all() {
    for (; done_ < history_.events.size(); ++done_) {
      pass_notes();
      const MemoryEvent event = memory_event(history_, done_);
      apply(event);
      if (event.kind == MemoryEventKind::failed) settle_at_failure();
    }
    pass_notes();
    settle_at_failure();
    name_private_pools();
    return std::move(kinds_);
  }

 private:
  struct OpenRequest {
    std::uint64_t key = 0;
    std::uint64_t event = 0;
  };

  /// The kind of the block that an event requested.
  BlockKind& kind_at(std::uint64_t event) {
    return kinds_.by_event_[static_cast<std::size_t>(event)];
  }

  void block_allocated(const LiveBlock& block) override {
    const std::uint64_t event = *block.event;
    BlockKind& kind = kind_at(event);
    kind.name = now_.name;
    if (const auto listed = was_handed_out_.find(block.key); listed != was_handed_out_.end())
      listed->second = true;
    const bool is_backward = now_.phase == Phase::backward;
    if (is_backward) kind.kind = MemoryKind::activation_gradients;
    if (!is_backward || from_ == KindsFrom::stacks) open_.push_back({block.key, event});
    const std::optional<PoolId> pool = told_pool(history_, static_cast<std::size_t>(event));
    if (pool && *pool != allocator::default_pool) private_requests_.push_back(event);
  }
  void block_freed(const LiveBlock& block) override {
    if (!block.event) return;
    BlockKind& kind = kind_at(*block.event);
    if (kind.kind != MemoryKind::not_labelled) return;
    if (*block.event >= open_since_)
      kind.kind = MemoryKind::temporary;
    else if (held_for_backward_.contains(*block.event))
      kind.kind = MemoryKind::activations;
  }
  void block_lost(const LiveBlock& block) override {
    if (!block.freed) block_freed(block);
  }

  /// Takes the notes that lie before the next event. A scan at the place of a mark was made in the
  /// phase before it.
  void pass_notes() {
    while (true) {
      const std::uint64_t mark =
          next_mark_ < notes_.marks.size() ? notes_.marks[next_mark_].before : never;
      const std::uint64_t scan =
          next_scan_ < notes_.scanned.size() ? notes_.scanned[next_scan_].before : never;
      if (std::min(mark, scan) > done_) return;
      if (scan <= mark)
        take_scan(notes_.scans[notes_.scanned[next_scan_++].scan]);
      else
        take_mark(notes_.marks[next_mark_++]);
    }
  }

  void take_mark(const PhaseMark& mark) {
    if (mark.phase != now_.phase) {
      hold_for_backward(mark.phase);
      settle(kind_left_by(now_.phase, mark.phase));
      if (now_.phase == Phase::forward) has_forward_ = true;
      if (mark.phase == Phase::backward || mark.phase == Phase::step) has_forward_ = false;
      if (now_.phase == Phase::step) end_step();
      if (mark.phase == Phase::backward) has_backward_ = true;
    }
    now_ = mark;
  }

  /// Blocks requested outside of modules that a backward frees were kept for it, as code without
  /// modules and compiled functions do.
  void hold_for_backward(Phase next) {
    if (now_.phase == Phase::other && next == Phase::backward)
      for (const OpenRequest& request : open_) held_for_backward_.insert(request.event);
    else if (now_.phase == Phase::backward && next != Phase::recomputed)
      held_for_backward_.clear();
  }

  void end_step() {
    std::vector<std::uint64_t>& ends = kinds_.step_ends;
    if (has_backward_ || ends.empty())
      ends.push_back(done_);
    else
      ends.back() = done_;
    has_backward_ = false;
  }

  /// The kind of blocks that outlive a phase, which another one follows.
  MemoryKind kind_left_by(Phase phase, Phase next) const {
    switch (phase) {
      case Phase::forward:
      case Phase::recomputed:
        return MemoryKind::activations;
      case Phase::inference:
        return MemoryKind::outputs;
      case Phase::other:
        return has_forward_ && next == Phase::backward ? MemoryKind::activations
                                                       : MemoryKind::not_labelled;
      case Phase::setup:
        return MemoryKind::parameters;
      case Phase::backward:
        return from_ == KindsFrom::stacks ? MemoryKind::gradients : MemoryKind::not_labelled;
      case Phase::step:
        return from_ == KindsFrom::stacks ? MemoryKind::optimizer_state : MemoryKind::not_labelled;
    }
    return MemoryKind::not_labelled;
  }

  /// Gives the blocks of open requests that are still in use this kind, and ends the requests.
  void settle(MemoryKind left) {
    for (const OpenRequest& request : open_) {
      const LiveBlock* const block = find(request.key);
      const bool is_live = block != nullptr && block->event == request.event && !block->freed;
      BlockKind& kind = kind_at(request.event);
      const bool is_open = kind.kind == MemoryKind::not_labelled ||
                           (from_ == KindsFrom::stacks && now_.phase == Phase::backward);
      if (is_live && is_open) kind.kind = left;
    }
    open_.clear();
    open_since_ = done_;
  }
  /// Ends what a phase holds that a failed request, or the end of the history, found open.
  void settle_at_failure() {
    switch (now_.phase) {
      case Phase::forward:
      case Phase::recomputed:
      case Phase::inference:
        return settle(kind_left_by(now_.phase, Phase::other));
      case Phase::step:
        return settle(MemoryKind::temporary);
      case Phase::other:
      case Phase::backward:
      case Phase::setup:
        return;
    }
  }

  void name_private_pools() {
    for (const std::uint64_t event : private_requests_) {
      BlockKind& kind = kind_at(event);
      if (kind.kind == MemoryKind::not_labelled) kind.kind = MemoryKind::graph_pools;
    }
  }

  void take_scan(const std::vector<ScannedStorage>& scan) {
    for (const ScannedStorage& storage : scan) take_storage(storage);
  }
  void take_storage(const ScannedStorage& storage) {
    const BlockKind told{storage.kind, storage.name, storage.part};
    const LiveBlock* const block = find(storage.address.value);
    if (block != nullptr && block->event) {
      if (block->requested != storage.bytes) ++kinds_.other_sizes;
      BlockKind& kind = kind_at(*block->event);
      if (storage.kind != MemoryKind::inputs || !is_more_than_input(kind.kind)) kind = told;
    } else if (was_handed_out_[storage.address.value]) {
      ++kinds_.unknown_storages;
    } else {
      kinds_.earlier_[storage.address.value] = told;
    }
  }
  /// Compiled code gets parameters as its inputs.
  static bool is_more_than_input(MemoryKind kind) {
    return kind == MemoryKind::activations || kind == MemoryKind::outputs ||
           kind == MemoryKind::parameters || kind == MemoryKind::buffers;
  }

  static constexpr std::uint64_t never = std::numeric_limits<std::uint64_t>::max();

  const DeviceHistory& history_;
  const DeviceKindsNotes& notes_;
  const KindsFrom from_;
  BlockKinds kinds_;
  /// Events.
  std::size_t done_ = 0;
  PhaseMark now_;
  std::size_t next_mark_ = 0;
  std::size_t next_scan_ = 0;
  /// A forward with gradients has ended, and no backward or step has begun since.
  bool has_forward_ = false;
  /// A backward has begun since the last step ended.
  bool has_backward_ = false;
  std::vector<OpenRequest> open_;
  /// Requests outside of modules whose blocks lived when the backward under way began.
  std::unordered_set<std::uint64_t> held_for_backward_;
  /// Requests in pools of their own, as CUDA graphs have.
  std::vector<std::uint64_t> private_requests_;
  /// Requests from this event on are open.
  std::uint64_t open_since_ = 0;
  /// The addresses of all storages that are listed.
  std::unordered_map<std::uint64_t, bool> was_handed_out_;
};

BlockKinds find_block_kinds(const DeviceHistory& history, const DeviceKindsNotes& notes,
                            KindsFrom from) {
  return KindFinder(history, notes, from).find_all();
}

const BlockKind& BlockKinds::of(const LiveBlock& block) const {
  if (block.event) return by_event_[static_cast<std::size_t>(*block.event)];
  const auto found = earlier_.find(block.key);
  return found == earlier_.end() ? nothing_ : found->second;
}

const BlockKinds* RecordingKinds::of_device(std::int64_t device) const {
  const auto found = devices.find(device);
  return found == devices.end() ? nullptr : &found->second;
}

namespace {

void add_doubts(RecordingKinds& kinds, std::int64_t device, const BlockKinds& found) {
  const std::string of = "device " + std::to_string(device) + ": ";
  if (found.unknown_storages > 0)
    kinds.doubts.push_back(of + std::to_string(found.unknown_storages) +
                           " storages that were listed lie in no block of the history");
  if (found.other_sizes > 0)
    kinds.doubts.push_back(of + std::to_string(found.other_sizes) +
                           " storages that were listed are not as large as their blocks");
}

std::string key_of(const std::string& name, MemoryKind kind) {
  const bool has_name = !name.empty() && kind != MemoryKind::not_labelled;
  return has_name ? name + ", " + shown_name_of(kind) : shown_name_of(kind);
}

bool is_number(std::string_view part) {
  return !part.empty() && std::ranges::all_of(part, [](char c) { return c >= '0' && c <= '9'; });
}

/// The place among events of one among entries.
std::uint64_t event_place(const DeviceHistory& history, std::uint64_t entry,
                          const std::string& file) {
  const std::uint64_t count = history.events.size() + history.entries_left_out.size();
  if (entry > count)
    throw traces::InputError({file, "the kinds of device " + std::to_string(history.device),
                              "places up to " + std::to_string(count) + " among its entries",
                              std::to_string(entry)});
  return event_before(history, entry);
}

/// The notes with places among events instead of entries.
DeviceKindsNotes among_events(DeviceKindsNotes notes, const DeviceHistory& history,
                              const std::string& file) {
  for (PhaseMark& mark : notes.marks) mark.before = event_place(history, mark.before, file);
  for (traces::ScanPlace& scan : notes.scanned)
    scan.before = event_place(history, scan.before, file);
  return notes;
}

const traces::UnknownField* kinds_section(const Recording& recording) {
  const traces::TextTable& texts = recording.tables().texts;
  for (const traces::UnknownField& section : recording.history().other_sections)
    if (texts.text(section.key) == traces::kinds_key) return &section;
  return nullptr;
}

std::unique_ptr<RecordingKinds> guessed_kinds(const Recording& recording) {
  auto kinds = std::make_unique<RecordingKinds>();
  kinds->names = {""};
  kinds->doubts = {"kinds are guessed from call stacks and from how long blocks live"};
  for (const DeviceHistory& history : recording.history().devices)
    kinds->devices.emplace(
        history.device,
        find_block_kinds(history, guessed_notes(history, recording.tables()), KindsFrom::stacks));
  return kinds;
}

}  // namespace

std::unique_ptr<RecordingKinds> find_kinds(const Recording& recording, KindsFrom otherwise) {
  if (recording.is_program()) return nullptr;
  const traces::UnknownField* const section = kinds_section(recording);
  if (section == nullptr)
    return otherwise == KindsFrom::stacks ? guessed_kinds(recording) : nullptr;
  const traces::TextTable& texts = recording.tables().texts;
  traces::KindsNotes notes = read_kinds_notes(*section->value, texts, recording.file());
  auto kinds = std::make_unique<RecordingKinds>();
  for (DeviceKindsNotes& noted : notes.devices) {
    const DeviceHistory* const history = recording.device(noted.device);
    if (history == nullptr) continue;
    const DeviceKindsNotes placed = among_events(std::move(noted), *history, recording.file());
    BlockKinds found = find_block_kinds(*history, placed, KindsFrom::notes);
    add_doubts(*kinds, history->device, found);
    kinds->devices.emplace(history->device, std::move(found));
  }
  kinds->names = std::move(notes.names);
  std::ranges::move(notes.troubles, std::back_inserter(kinds->doubts));
  return kinds;
}

std::string module_of(const BlockKind& kind, const RecordingKinds& kinds) {
  const std::string& name = kinds.names[kind.name];
  switch (kind.kind) {
    case MemoryKind::parameters:
    case MemoryKind::buffers:
    case MemoryKind::gradients:
    case MemoryKind::optimizer_state:
      break;
    default:
      return name;
  }
  const std::size_t dot = name.rfind('.');
  return dot == std::string::npos ? "" : name.substr(0, dot);
}

std::string folded_path(std::string_view path) {
  std::string folded;
  while (true) {
    const std::size_t end = std::min(path.find('.'), path.size());
    const std::string_view part = path.substr(0, end);
    folded += is_number(part) ? "*" : part;
    if (end == path.size()) return folded;
    folded += '.';
    path.remove_prefix(end + 1);
  }
}

std::string full_name(const BlockKind& kind, const RecordingKinds& kinds) {
  const std::string& name = kinds.names[kind.name];
  const std::string& part = kinds.names[kind.part];
  if (part.empty()) return name;
  return name.empty() ? part : part + " of " + name;
}

std::string shown_name_of(MemoryKind kind) {
  std::string text(name_of(kind));
  std::ranges::replace(text, '_', ' ');
  return text;
}

std::string module_key(const BlockKind& kind, const RecordingKinds& kinds) {
  return key_of(folded_path(module_of(kind, kinds)), kind.kind);
}

std::string module_text(const BlockKind& kind, const RecordingKinds& kinds) {
  return text_of_module_key(module_key(kind, kinds));
}

std::string text_of_module_key(const std::string& key) {
  const std::size_t comma = key.rfind(", ");
  return comma == std::string::npos ? key : key.substr(comma + 2) + " of " + key.substr(0, comma);
}

std::string parameter_key(const BlockKind& kind, const RecordingKinds& kinds) {
  return key_of(full_name(kind, kinds), kind.kind);
}

}  // namespace vramlab::replay
