// MemoryTables: a recording of any format as two tables for programs that analyse data: every
// allocation with its size, its life, its stack and its kind; and every event. Columns are numbers
// or texts, and a cell may be empty. Texts are kept once and named by their places.
//
// A table is held in memory: about 100 bytes a row.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "replay/kinds/block_kinds.h"
#include "replay/recording/recording.h"

namespace vramlab::replay {

enum class ColumnType : std::uint8_t { number, address, text };

class MemoryColumn {
 public:
  MemoryColumn(std::string_view name, ColumnType type) : name_(name), type_(type) {}

  std::string_view name() const { return name_; }
  ColumnType type() const { return type_; }
  std::size_t size() const { return cells_.size(); }
  std::size_t empty_cells() const { return empty_cells_; }
  bool is_there(std::size_t row) const { return is_there_[row]; }
  /// The number, or the place of the text; 0 for an empty cell.
  const std::vector<std::uint64_t>& cells() const { return cells_; }
  const std::vector<std::string>& texts() const { return texts_; }

  /// Requires: no text.
  void add(std::optional<std::uint64_t> number) { add_cell(number); }
  /// An empty text is an empty cell. Requires: a column of texts.
  void add_text(std::string_view text);
  /// Fills an empty cell. Requires: no text.
  void fill(std::size_t row, std::uint64_t number);
  /// Fills an empty cell, if the text is not empty. Requires: a column of texts.
  void fill_text(std::size_t row, std::string_view text);
  /// Removes the other rows. Requires: one for each.
  void keep(const std::vector<bool>& is_kept);

 private:
  void add_cell(std::optional<std::uint64_t> cell);
  std::uint64_t place_of(std::string_view text);

  std::string_view name_;
  ColumnType type_;
  std::vector<std::uint64_t> cells_;
  std::vector<bool> is_there_;
  std::size_t empty_cells_ = 0;
  std::vector<std::string> texts_;
  std::unordered_map<std::string, std::uint64_t> places_;
};

struct MemoryTable {
  std::vector<MemoryColumn> columns;
  /// Sentences about all that is not sure.
  std::vector<std::string> notes;

  std::size_t rows() const { return columns.front().size(); }
};

/// A row for each block, in the order in which they were handed out: device, event, freed_event,
/// time_ns, freed_time_ns, life_ns, requested_bytes, bytes, address or id, stream, pool, call_site,
/// stack, kind, name, label. `event` is empty for memory from before the recording, `freed_event`
/// for memory that is held to the end. `kinds` may be null. Throws InputError.
MemoryTable allocations_of(Recording& recording, const RecordingKinds* kinds);

/// A row for each event: device, event, time_ns, action, address or id, bytes, stream, pool,
/// call_site, stack. Actions have the words of PyTorch. Throws InputError.
MemoryTable events_of(Recording& recording);

}  // namespace vramlab::replay
