#include "tools/cli/printers/table.h"

#include <algorithm>
#include <cctype>
#include <cstdint>
#include <optional>
#include <set>
#include <string_view>

#include "allocator/types/check.h"
#include "tools/cli/printers/shown_text.h"
#include "tools/cli/printers/text_lines.h"

namespace vramlab::tools {
namespace {

constexpr const char* between_columns = "  ";

template <class TextOf>
std::string joined(const std::vector<std::string>& cells, const char* separator,
                   const TextOf& text_of) {
  std::string text;
  for (std::size_t i = 0; i < cells.size(); ++i)
    text += (i == 0 ? "" : separator) + text_of(cells[i], i);
  return text;
}

std::vector<std::string> headings_of(const std::vector<Column>& columns) {
  std::vector<std::string> headings;
  for (const Column& column : columns) headings.push_back(column.heading);
  return headings;
}

using Rows = std::vector<std::vector<std::string>>;

struct LineLimit {
  std::size_t width = 0;
  std::size_t indent = 0;
};

/// When the columns of names give way.
enum class NamesGiveWay : std::uint8_t { with_others, last };

/// The width that a left-aligned column keeps in short lines.
std::size_t least_width(const std::vector<Column>& columns, const Rows& rows, std::size_t column) {
  constexpr std::size_t of_any_column = 12;
  constexpr std::size_t most_of_call_sites = 40;
  std::size_t least = std::max(of_any_column, columns[column].heading.size());
  if (columns[column].are_call_sites)
    for (const auto& row : rows)
      least = std::max(least, std::min(most_of_call_sites, least_width_of_call_site(row[column])));
  return least;
}

/// The widths of columns whose lines fit. The widest left-aligned column gives way first, down to
/// its heading.
std::vector<std::size_t> widths_within(const std::vector<Column>& columns, const Rows& rows,
                                       LineLimit limit, NamesGiveWay names) {
  std::vector<std::size_t> widths;
  std::vector<std::size_t> least;
  std::size_t line = limit.indent + std::string_view(between_columns).size() * (columns.size() - 1);
  for (std::size_t i = 0; i < columns.size(); ++i) {
    widths.push_back(std::max(columns[i].width, columns[i].heading.size()));
    for (const auto& row : rows) widths[i] = std::max(widths[i], row[i].size());
    line += widths[i];
    least.push_back(least_width(columns, rows, i));
  }
  const auto spare = [&](std::size_t i) {
    return columns[i].align == Align::left && widths[i] > least[i] ? widths[i] : 0;
  };
  const auto widest_of = [&](bool are_names_in) {
    std::optional<std::size_t> widest;
    for (std::size_t i = 0; i < columns.size(); ++i)
      if (spare(i) > 0 && (are_names_in || !columns[i].tells_apart))
        if (!widest || spare(i) > spare(*widest)) widest = i;
    return widest;
  };
  for (; line > limit.width; --line) {
    auto widest = widest_of(names == NamesGiveWay::with_others);
    if (!widest) widest = widest_of(true);
    if (!widest) break;
    --widths[*widest];
  }
  return widths;
}

std::size_t widest_cell(const Rows& rows, std::size_t column) {
  std::size_t widest = 0;
  for (const auto& row : rows) widest = std::max(widest, row[column].size());
  return widest;
}

/// Leaves out the ending from a dot on that all cells of a column have.
void drop_shared_ending(Rows& rows, std::size_t column) {
  if (rows.size() < 2) return;
  std::string_view shared = rows.front()[column];
  for (const auto& row : rows) {
    const std::string_view cell = row[column];
    const auto [end, other] =
        std::mismatch(shared.rbegin(), shared.rend(), cell.rbegin(), cell.rend());
    shared.remove_prefix(static_cast<std::size_t>(shared.rend() - end));
  }
  const std::size_t slash = shared.rfind('/');
  const std::size_t dot = shared.find('.', slash == std::string_view::npos ? 0 : slash);
  if (dot == std::string_view::npos) return;
  const std::size_t ending = shared.size() - dot;
  const bool leaves_all =
      std::ranges::all_of(rows, [&](const auto& row) { return row[column].size() > ending; });
  if (!leaves_all) return;
  for (auto& row : rows) row[column].resize(row[column].size() - ending);
}

std::size_t different_cells(const Rows& rows, std::size_t column, std::size_t width) {
  std::set<std::string> different;
  for (const auto& row : rows) different.insert(shortened(row[column], width));
  return different.size();
}

/// The least width from the given one on in which no two cells become the same.
std::size_t width_that_tells_apart(const Rows& rows, std::size_t column, std::size_t width) {
  const std::size_t all = different_cells(rows, column, SIZE_MAX);
  while (different_cells(rows, column, width) < all) ++width;
  return width;
}

std::string with_backslashes(const std::string& text, std::string_view before) {
  std::string escaped;
  for (const char letter : shown_name(text)) {
    if (before.find(letter) != std::string_view::npos) escaped += "\\";
    escaped += letter;
  }
  return escaped;
}

bool is_word_letter(const std::string& text, std::size_t at) {
  return at < text.size() && std::isalnum(static_cast<unsigned char>(text[at])) != 0;
}

/// A letter of a text in Markdown as it means itself: no emphasis, code, link, HTML, mention or
/// reference begins with it. An empty comment keeps `@` and `#` from what follows, as a backslash
/// does not.
std::string quiet_letter(const std::string& text, std::size_t at) {
  const char letter = text[at];
  const std::string_view from = std::string_view(text).substr(at);
  if (std::string_view("\\`*[]<>|~&$").find(letter) != std::string_view::npos ||
      from.starts_with("://"))
    return std::string("\\") + letter;
  if (letter == '@' || letter == '#') return letter + std::string("<!-- -->");
  const bool is_inside = at > 0 && is_word_letter(text, at - 1) && is_word_letter(text, at + 1);
  if (letter == '_' && !is_inside) return "\\_";
  const bool is_web = at >= 3 && letter == '.' && text.compare(at - 3, 3, "www") == 0;
  return is_web ? "\\." : std::string(1, letter);
}

}  // namespace

void Table::add(std::vector<std::string> cells) {
  check(cells.size() <= columns_.size(), "a row has no more cells than columns");
  cells.resize(columns_.size());
  for (std::string& cell : cells) cell = shown_name(cell);
  rows_.push_back(std::move(cells));
}

std::string Table::text(const std::string& indent) const {
  std::vector<std::vector<std::string>> lines = rows_;
  const std::vector<std::string> headings = headings_of(columns_);
  if (!std::ranges::all_of(headings, &std::string::empty)) lines.insert(lines.begin(), headings);
  std::vector<std::size_t> widths;
  for (std::size_t i = 0; i < columns_.size(); ++i) {
    widths.push_back(columns_[i].width);
    // A left-aligned last column needs no width.
    if (i + 1 == columns_.size() && columns_[i].align == Align::left) widths.back() = 0;
    for (const auto& line : lines)
      if (i + 1 < columns_.size() || columns_[i].align == Align::right)
        widths.back() = std::max(widths.back(), line[i].size());
  }
  std::string text;
  for (const auto& line : lines) {
    std::string row =
        indent + joined(line, between_columns, [&](const std::string& cell, std::size_t i) {
          return columns_[i].align == Align::left ? padded(cell, widths[i])
                                                  : right(cell, widths[i]);
        });
    row.erase(row.find_last_not_of(' ') + 1);
    text += row + "\n";
  }
  return text;
}

std::string Table::text_within(std::size_t width, const std::string& indent) const {
  Rows rows = rows_;
  const LineLimit limit{width, indent.size()};
  std::vector<std::size_t> widths = widths_within(columns_, rows, limit, NamesGiveWay::with_others);
  for (std::size_t i = 0; i < columns_.size(); ++i)
    if (columns_[i].tells_apart && widest_cell(rows, i) > widths[i]) drop_shared_ending(rows, i);
  widths = widths_within(columns_, rows, limit, NamesGiveWay::last);
  for (std::size_t i = 0; i < columns_.size(); ++i)
    if (columns_[i].tells_apart) widths[i] = width_that_tells_apart(rows, i, widths[i]);
  Table shorter(columns_);
  for (std::vector<std::string> row : rows) {
    for (std::size_t i = 0; i < row.size(); ++i)
      if (columns_[i].are_call_sites)
        row[i] = shortened_call_site(row[i], widths[i]);
      else if (columns_[i].align == Align::left)
        row[i] = shortened(row[i], widths[i]);
    shorter.add(std::move(row));
  }
  return shorter.text(indent);
}

std::string Table::markdown() const {
  const auto line = [](const std::vector<std::string>& cells) {
    return "|" +
           joined(cells, "",
                  [](const std::string& cell, std::size_t) {
                    return cell.empty() ? std::string(" |") : " " + cell + " |";
                  }) +
           "\n";
  };
  std::string text = line(headings_of(columns_)) + "|";
  for (const Column& column : columns_) text += column.align == Align::left ? "---|" : "---:|";
  text += "\n";
  for (const auto& row : rows_) text += line(row);
  return text;
}

std::string Table::csv() const {
  const auto line = [](const std::vector<std::string>& cells) {
    return joined(cells, ",", [](const std::string& cell, std::size_t) { return csv_text(cell); }) +
           "\n";
  };
  std::string text = line(headings_of(columns_));
  for (const auto& row : rows_) text += line(row);
  return text;
}

std::string markdown_cell(const std::string& text) {
  const std::string shown = shown_name(text);
  std::string cell;
  for (std::size_t at = 0; at < shown.size(); ++at) cell += quiet_letter(shown, at);
  return cell;
}

std::string code_cell(const std::string& text) {
  const std::string escaped = with_backslashes(text, "|");
  std::size_t longest = 0;
  std::size_t run = 0;
  for (const char letter : escaped) {
    run = letter == '`' ? run + 1 : 0;
    longest = std::max(longest, run);
  }
  const std::string fence(longest + 1, '`');
  return longest == 0 ? fence + escaped + fence : fence + " " + escaped + " " + fence;
}

std::size_t shown_of(std::size_t count, std::uint64_t limit) {
  return limit == 0 ? count : std::min(as_limit(limit), count);
}

std::string rest_line(std::size_t left_out, const std::string& option, const std::string& name) {
  if (left_out == 0) return "";
  return "  and " + std::to_string(left_out) + " " + name + " (" + option + " 0 shows all)\n";
}

}  // namespace vramlab::tools
