#include "replay/call_sites/memory_tables.h"

#include <algorithm>
#include <array>
#include <map>
#include <memory>
#include <set>
#include <utility>

#include "allocator/types/bytes_and_ids.h"
#include "allocator/types/check.h"
#include "replay/call_sites/call_sites.h"
#include "replay/call_sites/sized_events.h"

namespace vramlab::replay {
namespace {

using allocator::name_of;

/// Sites and stacks as texts; each stack is looked up once.
class StackTexts {
 public:
  explicit StackTexts(const traces::SnapshotTables& tables) : tables_(tables), sites_(tables) {}

  std::string_view site(traces::StackId stack) {
    return stack == traces::StackId{} ? std::string_view() : sites_.of(stack);
  }
  std::string_view stack(traces::StackId stack) {
    if (stack == traces::StackId{}) return {};
    const auto [at, is_new] = stacks_.try_emplace(stack);
    if (is_new) at->second = stack_text(stack, tables_);
    return at->second;
  }

 private:
  const traces::SnapshotTables& tables_;
  SiteNames sites_;
  std::map<traces::StackId, std::string> stacks_;
};

std::string pool_text(PoolId pool) { return pool == default_pool ? "default" : name_of(pool); }

std::string_view key_name(const Recording& recording) {
  return recording.is_program() ? "id" : "address";
}

/// The blocks of all devices as rows.
class Allocations : public MemoryEventSink {
 public:
  Allocations(const Recording& recording, const RecordingKinds* kinds)
      : recording_(recording),
        kinds_(kinds),
        texts_(recording.tables()),
        columns_{{"device", ColumnType::number},
                 {"event", ColumnType::number},
                 {"freed_event", ColumnType::number},
                 {"time_ns", ColumnType::number},
                 {"freed_time_ns", ColumnType::number},
                 {"life_ns", ColumnType::number},
                 {"requested_bytes", ColumnType::number},
                 {"bytes", ColumnType::number},
                 {key_name(recording), ColumnType::address},
                 {"stream", ColumnType::number},
                 {"pool", ColumnType::text},
                 {"call_site", ColumnType::text},
                 {"stack", ColumnType::text},
                 {"kind", ColumnType::text},
                 {"name", ColumnType::text},
                 {"label", ColumnType::text}} {}

  void memory_event(const MemoryEvent& event) override {
    Device& device = device_of(event.device);
    device.now = &event;
    device.apply(event);
  }
  void device_seen(std::int64_t device) override { device_of(device); }
  void earlier_block(std::int64_t device, const LiveBlock& block) override {
    device_of(device).add_earlier(block);
  }
  void final_block(std::int64_t device, const LiveBlock& block) override {
    device_of(device).final_blocks.push_back(block);
  }
  void restored(std::int64_t number, const RestoredBlocks& restored) override {
    Device& device = device_of(number);
    device.now = &restored.event;
    apply_restored(restored, device);
  }

  MemoryTable finish() {
    for (auto& [number, device] : devices_) {
      for (const LiveBlock& block : device->final_blocks)
        if (device->find(block.key) == nullptr) add(*device, block);
      for (const LiveBlock& block : device->in_order())
        if (!block.freed) label(device->rows[block.serial], block);
    }
    if (std::ranges::find(is_kept_, false) != is_kept_.end())
      for (MemoryColumn& column : columns_) column.keep(is_kept_);
    return {std::move(columns_), {}};
  }

 private:
  enum Place : std::uint8_t {
    device_at,
    event_at,
    freed_event_at,
    time_at,
    freed_time_at,
    life_at,
    requested_at,
    bytes_at,
    key_at,
    stream_at,
    pool_at,
    site_at,
    stack_at,
    kind_at,
    name_at,
    label_at,
  };

  struct Device : LiveBlocks {
    Device(Allocations& of, std::int64_t device, KeyMeaning keys)
        : LiveBlocks(keys, of.recording_.file()), table(of), number(device) {}

    void block_allocated(const LiveBlock& block) override { add(block); }
    void block_was_there(const LiveBlock& block) override { add(block); }
    void block_freed(const LiveBlock& block) override {
      if (!block.event && !block.freed) earlier_completed.push_back(rows[block.serial]);
      table.end(*this, block);
    }
    void first_free_told() override {
      for (const std::size_t row : earlier_completed) table.drop(row);
      earlier_completed.clear();
    }
    void block_lost(const LiveBlock& block) override {
      if (!block.freed) table.end(*this, block);
    }
    void add(const LiveBlock& block) {
      check(block.serial == rows.size(), "blocks are heard of in order");
      rows.push_back(table.columns_.front().size());
      table.add(*this, block);
      // Its owner gave it back before the recording began.
      if (block.freed) table.drop(rows.back());
    }

    Allocations& table;
    std::int64_t number;
    /// The event that goes by.
    const MemoryEvent* now = nullptr;
    /// By the serial of the block.
    std::vector<std::size_t> rows;
    /// Rows of blocks from before the recording of which only the completion of a free is told.
    std::vector<std::size_t> earlier_completed;
    std::vector<LiveBlock> final_blocks;
  };

  Device& device_of(std::int64_t number) {
    const auto [at, is_new] = devices_.try_emplace(number);
    if (is_new)
      at->second = std::make_unique<Device>(
          *this, number, recording_.is_program() ? KeyMeaning::id : KeyMeaning::address);
    return *at->second;
  }

  void add(const Device& device, const LiveBlock& block) {
    columns_[device_at].add(static_cast<std::uint64_t>(device.number));
    columns_[event_at].add(block.event);
    columns_[freed_event_at].add({});
    columns_[time_at].add(block.time_ns);
    columns_[freed_time_at].add({});
    columns_[life_at].add({});
    columns_[requested_at].add(block.requested.count);
    columns_[bytes_at].add(block.bytes.count);
    columns_[key_at].add(block.key);
    columns_[stream_at].add(static_cast<std::uint64_t>(block.stream.value));
    columns_[pool_at].add_text(pool_text(block.pool));
    columns_[site_at].add_text(texts_.site(block.stack));
    columns_[stack_at].add_text(texts_.stack(block.stack));
    add_kind(device, block);
    columns_[label_at].add_text({});
    is_kept_.push_back(true);
  }

  void drop(std::size_t row) { is_kept_[row] = false; }

  void add_kind(const Device& device, const LiveBlock& block) {
    const BlockKinds* kinds = kinds_ == nullptr ? nullptr : kinds_->of_device(device.number);
    const BlockKind kind = kinds == nullptr ? BlockKind{} : kinds->of(block);
    columns_[kind_at].add_text(kind.kind == MemoryKind::not_labelled ? std::string()
                                                                     : shown_name_of(kind.kind));
    columns_[name_at].add_text(kinds == nullptr ? std::string() : full_name(kind, *kinds_));
  }

  void end(const Device& device, const LiveBlock& block) {
    const std::size_t row = device.rows[block.serial];
    label(row, block);
    columns_[freed_event_at].fill(row, device.now->number);
    if (!device.now->time_ns) return;
    columns_[freed_time_at].fill(row, *device.now->time_ns);
    if (block.time_ns && *block.time_ns <= *device.now->time_ns)
      columns_[life_at].fill(row, *device.now->time_ns - *block.time_ns);
  }

  void label(std::size_t row, const LiveBlock& block) {
    if (block.label != traces::TextId{})
      columns_[label_at].fill_text(row, recording_.tables().texts.text(block.label));
  }

  const Recording& recording_;
  const RecordingKinds* kinds_;
  StackTexts texts_;
  std::vector<MemoryColumn> columns_;
  /// By row.
  std::vector<bool> is_kept_;
  std::map<std::int64_t, std::unique_ptr<Device>> devices_;
};

constexpr std::string_view word_of(MemoryEventKind kind) {
  switch (kind) {
    case MemoryEventKind::allocated:
      return "alloc";
    case MemoryEventKind::freed:
      return "free_requested";
    case MemoryEventKind::free_completed:
      return "free_completed";
    case MemoryEventKind::failed:
      return "oom";
    case MemoryEventKind::labelled:
      return "label";
    case MemoryEventKind::restored:
      return "restore";
    case MemoryEventKind::range_begin:
      return "range_begin";
    case MemoryEventKind::range_end:
      return "range_end";
    case MemoryEventKind::marker:
      return "marker";
    case MemoryEventKind::other:
      return "other";
  }
  return {};
}

/// All events as rows.
class Events : public MemoryEventSink {
 public:
  explicit Events(const Recording& recording)
      : recording_(recording),
        texts_(recording.tables()),
        columns_{{"device", ColumnType::number},
                 {"event", ColumnType::number},
                 {"time_ns", ColumnType::number},
                 {"action", ColumnType::text},
                 {key_name(recording), ColumnType::address},
                 {"bytes", ColumnType::number},
                 {"stream", ColumnType::number},
                 {"pool", ColumnType::text},
                 {"call_site", ColumnType::text},
                 {"stack", ColumnType::text}} {}

  void memory_event(const MemoryEvent& event) override {
    // A label stands between two events, and has the number of none.
    if (event.kind == MemoryEventKind::labelled && !recording_.is_program()) return;
    std::size_t at = 0;
    columns_[at++].add(static_cast<std::uint64_t>(event.device));
    columns_[at++].add(event.number);
    columns_[at++].add(event.time_ns);
    columns_[at++].add_text(action_of_event(event));
    const bool has_place = event.kind <= MemoryEventKind::labelled ||
                           (!recording_.is_program() && event.kind == MemoryEventKind::other);
    columns_[at++].add(
        optional(has_place && event.kind != MemoryEventKind::failed, event.block.key));
    columns_[at++].add(optional(has_place, event.block.requested.count));
    columns_[at++].add(optional(has_place, static_cast<std::uint64_t>(event.block.stream.value)));
    columns_[at++].add_text(has_place ? pool_text(event.block.pool) : std::string());
    columns_[at++].add_text(texts_.site(event.block.stack));
    columns_[at++].add_text(texts_.stack(event.block.stack));
  }

  MemoryTable finish() { return {std::move(columns_), {}}; }

 private:
  static std::optional<std::uint64_t> optional(bool is_there, std::uint64_t number) {
    return is_there ? std::optional(number) : std::nullopt;
  }

  /// The recorded word, where a file has one.
  std::string_view action_of_event(const MemoryEvent& event) const {
    if (event.kind != MemoryEventKind::other || recording_.is_program()) return word_of(event.kind);
    const DeviceHistory* history = recording_.device(event.device);
    check(history != nullptr, "an event belongs to a device of the file");
    return traces::known_text(
        text_of(history->events[static_cast<std::size_t>(event.number)].action));
  }

  const Recording& recording_;
  StackTexts texts_;
  std::vector<MemoryColumn> columns_;
};

}  // namespace

void MemoryColumn::add_cell(std::optional<std::uint64_t> cell) {
  cells_.push_back(cell.value_or(0));
  is_there_.push_back(cell.has_value());
  if (!cell) ++empty_cells_;
}

std::uint64_t MemoryColumn::place_of(std::string_view text) {
  const auto [at, is_new] = places_.try_emplace(std::string(text), texts_.size());
  if (is_new) texts_.emplace_back(text);
  return at->second;
}

void MemoryColumn::add_text(std::string_view text) {
  add_cell(text.empty() ? std::nullopt : std::optional(place_of(text)));
}

void MemoryColumn::fill(std::size_t row, std::uint64_t number) {
  if (!is_there_[row]) --empty_cells_;
  is_there_[row] = true;
  cells_[row] = number;
}

void MemoryColumn::fill_text(std::size_t row, std::string_view text) {
  if (!text.empty()) fill(row, place_of(text));
}

void MemoryColumn::keep(const std::vector<bool>& is_kept) {
  std::size_t kept = 0;
  for (std::size_t row = 0; row < cells_.size(); ++row) {
    if (!is_kept[row]) {
      if (!is_there_[row]) --empty_cells_;
      continue;
    }
    cells_[kept] = cells_[row];
    is_there_[kept++] = is_there_[row];
  }
  cells_.resize(kept);
  is_there_.resize(kept);
}

MemoryTable allocations_of(Recording& recording, const RecordingKinds* kinds) {
  Allocations table(recording, kinds);
  SizedEvents passed = pass_sized_events(recording, table);
  MemoryTable found = table.finish();
  found.notes = std::move(passed.notes);
  if (kinds != nullptr)
    found.notes.insert(found.notes.end(), kinds->doubts.begin(), kinds->doubts.end());
  return found;
}

MemoryTable events_of(Recording& recording) {
  Events table(recording);
  pass_memory_events(recording, table);
  return table.finish();
}

}  // namespace vramlab::replay
