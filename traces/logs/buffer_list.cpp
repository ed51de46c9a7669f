#include "traces/logs/buffer_list.h"

#include <algorithm>
#include <array>

#include "traces/io/byte_source.h"

namespace vramlab::traces {
namespace {

enum class Column : std::uint8_t { id, lower, upper, last, size, alignment, hint, offset, gaps };

struct ColumnName {
  std::string_view name;
  Column column;
};

constexpr std::array column_names = {
    ColumnName{"id", Column::id},       ColumnName{"buffer_id", Column::id},
    ColumnName{"buffer", Column::id},   ColumnName{"lower", Column::lower},
    ColumnName{"start", Column::lower}, ColumnName{"begin", Column::lower},
    ColumnName{"upper", Column::upper}, ColumnName{"end", Column::last},
    ColumnName{"size", Column::size},   ColumnName{"alignment", Column::alignment},
    ColumnName{"hint", Column::hint},   ColumnName{"offset", Column::offset},
    ColumnName{"gaps", Column::gaps},
};

/// Below these limits sums stay countable.
constexpr std::uint64_t most_bytes = std::uint64_t{1} << 62U;
constexpr std::uint64_t latest = std::uint64_t{1} << 62U;

std::optional<Column> column_of(std::string_view name) {
  const auto* const found = std::ranges::find(column_names, name, &ColumnName::name);
  if (found == column_names.end()) return std::nullopt;
  return found->column;
}

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
  while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
  return text;
}

/// The parts between separators: one more than there are separators.
std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  while (true) {
    const std::size_t at = text.find(separator);
    parts.push_back(trimmed(text.substr(0, at)));
    if (at == std::string_view::npos) return parts;
    text.remove_prefix(at + 1);
  }
}

class BufferLines {
 public:
  BufferLines(ByteSource& source, const std::string& file) : lines_(source, file) { take_names(); }

  std::optional<BufferRow> next() {
    while (const auto line = lines_.next())
      if (!trimmed(*line).empty()) return decode(*line);
    return std::nullopt;
  }

 private:
  void take_names() {
    const std::string_view line = lines_.next().value_or("");
    for (const std::string_view name : split(line, ',')) {
      const auto column = column_of(name);
      if (!column)
        fail(
            "a line of names out of id, lower, upper (or end), size, alignment, hint, offset, gaps",
            name);
      if (std::ranges::find(columns_, *column) != columns_.end()) fail("each column once", name);
      columns_.push_back(*column);
    }
    const auto has = [&](Column column) {
      return std::ranges::find(columns_, column) != columns_.end();
    };
    if (!has(Column::id)) fail("a column id", line);
    if (!has(Column::lower)) fail("a column lower, start or begin", line);
    if (has(Column::upper) == has(Column::last)) fail("a column upper or end", line);
    if (!has(Column::size)) fail("a column size", line);
  }

  BufferRow decode(std::string_view line) {
    const std::vector<std::string_view> values = split(line, ',');
    if (values.size() != columns_.size())
      fail(std::to_string(columns_.size()) + " values between commas",
           std::to_string(values.size()));
    BufferRow row;
    for (std::size_t i = 0; i < values.size(); ++i) set(row, columns_[i], values[i]);
    check_row(row);
    return row;
  }

  void set(BufferRow& row, Column column, std::string_view value) const {
    switch (column) {
      case Column::id:
        row.id = value;
        return;
      case Column::lower:
        row.lower = needed(value, "a moment below 2^62");
        return;
      case Column::upper:
        row.upper = needed(value, "a moment below 2^62");
        return;
      case Column::last:
        row.upper = needed(value, "a moment below 2^62") + 1;
        return;
      case Column::size:
        row.size = needed(value, "a size in bytes below 2^62", most_bytes);
        return;
      case Column::alignment:
        row.alignment = needed(value, "an alignment from 1 to 2^40", (std::uint64_t{1} << 40U) + 1);
        if (row.alignment == 0) fail("an alignment from 1 to 2^40", value);
        return;
      case Column::hint:
        // Lists write -1 where there is no hint.
        if (!value.empty() && value != "-1")
          row.hint = needed(value, "an offset or -1", most_bytes);
        return;
      case Column::offset:
        if (!value.empty()) row.offset = needed(value, "an offset", most_bytes);
        return;
      case Column::gaps:
        row.gaps = gaps_of(value);
        return;
    }
  }

  void check_row(const BufferRow& row) {
    if (row.lower >= row.upper)
      fail("a buffer that begins before it is over",
           "from " + std::to_string(row.lower) + " to " + std::to_string(row.upper));
    std::uint64_t earliest = row.lower;
    for (const BufferGap& gap : row.gaps) {
      if (gap.lower < earliest || gap.lower >= gap.upper || gap.upper > row.upper ||
          gap.needed_bytes > row.size)
        fail("ascending gaps inside the buffer",
             std::to_string(gap.lower) + "-" + std::to_string(gap.upper));
      earliest = gap.upper;
    }
    // Rounding up to the alignment costs at most that much.
    bytes_ += row.size + (row.alignment - 1);
    if (bytes_ >= most_bytes) fail("sizes that add up to less than 2^62", std::to_string(bytes_));
  }

  std::vector<BufferGap> gaps_of(std::string_view text) const {
    std::vector<BufferGap> gaps;
    for (const std::string_view part : split(text, ' '))
      if (!part.empty()) gaps.push_back(gap_of(part));
    return gaps;
  }

  BufferGap gap_of(std::string_view text) const {
    const char* const expected = "a gap such as 7-9 or 7-9@0:4";
    const std::vector<std::string_view> parts = split(text, '@');
    const std::vector<std::string_view> moments = split(parts[0], '-');
    if (parts.size() > 2 || moments.size() != 2) fail(expected, text);
    BufferGap gap;
    gap.lower = needed(moments[0], expected);
    gap.upper = needed(moments[1], expected);
    const bool is_inclusive = std::ranges::find(columns_, Column::last) != columns_.end();
    if (is_inclusive) ++gap.upper;
    if (parts.size() == 1) return gap;
    const std::vector<std::string_view> window = split(parts[1], ':');
    if (window.size() != 2) fail(expected, text);
    const std::uint64_t first = needed(window[0], expected);
    const std::uint64_t behind = needed(window[1], expected);
    if (first > behind) fail(expected, text);
    gap.needed_bytes = behind - first;
    return gap;
  }

  std::uint64_t needed(std::string_view letters, const char* expected,
                       std::uint64_t limit = latest) const {
    const auto value = whole_number(letters);
    if (!value || *value >= limit) fail(expected, letters);
    return *value;
  }

  [[noreturn]] void fail(const std::string& expected, std::string_view found) const {
    lines_.fail(expected, found);
  }

  LineSource lines_;
  std::vector<Column> columns_;
  std::uint64_t bytes_ = 0;
};

}  // namespace

bool begins_like_buffer_list(std::string_view bytes) {
  bytes = without_byte_order_mark(bytes);
  const std::string_view line = bytes.substr(0, bytes.find_first_of("\r\n"));
  const bool is_whole = line.size() < bytes.size();
  std::vector<std::string_view> names = split(line, ',');
  // The last name may be cut off.
  if (!is_whole) names.pop_back();
  return names.size() >= 2 && std::ranges::all_of(names, [](std::string_view name) {
           return column_of(name).has_value();
         });
}

std::vector<BufferRow> read_buffer_list(ByteSource& source, const std::string& file) {
  BufferLines lines(source, file);
  std::vector<BufferRow> rows;
  while (auto row = lines.next()) rows.push_back(*std::move(row));
  return rows;
}

}  // namespace vramlab::traces
