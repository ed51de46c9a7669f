// Table: rows of cells that print as text for people, as Markdown and as CSV; and the line that
// says how many rows a limit leaves out.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace vramlab::tools {

enum class Align : std::uint8_t { left, right };

struct Column {
  std::string heading;
  /// In text a column is at least this wide, so that the tables of one report agree.
  std::size_t width = 0;
  Align align = Align::right;
  /// The cells stay told apart where a line has to be shorter, as the names of files must.
  bool tells_apart = false;
  /// The cells keep file and line where a line has to be shorter.
  bool are_call_sites = false;
};

inline Column left(std::string heading, std::size_t width = 0) {
  return {std::move(heading), width, Align::left};
}

/// A column of names that stay told apart.
inline Column name_column(std::string heading) {
  return {std::move(heading), 0, Align::left, true};
}

inline Column call_site_column(std::string heading) {
  return {std::move(heading), 0, Align::left, false, true};
}

class Table {
 public:
  explicit Table(std::vector<Column> columns) : columns_(std::move(columns)) {}

  /// Missing cells at the end are empty, and each is kept as shown_name() shows it. Requires: no
  /// more cells than columns.
  void add(std::vector<std::string> cells);
  bool is_empty() const { return rows_.empty(); }

  /// The table with a line of headings, unless all of them are empty.
  std::string text(const std::string& indent = "  ") const;
  /// The same in lines of at most so many letters, as far as the left-aligned cells can be shorter:
  /// names lose the ending that all of them share, such as `.pickle.gz`; then call sites lose their
  /// folder and function, and the longest cells of other columns their middle.
  std::string text_within(std::size_t width, const std::string& indent = "  ") const;
  /// Cells are printed as they are: markdown_cell() and code_cell() make a text safe.
  std::string markdown() const;
  std::string csv() const;

 private:
  std::vector<Column> columns_;
  std::vector<std::vector<std::string>> rows_;
};

/// A text without characters that would end a cell of a Markdown table or begin HTML.
std::string markdown_cell(const std::string& text);
/// The same as inline code, so that no character of it is Markdown.
std::string code_cell(const std::string& text);

/// How many of so many rows are shown; a limit of 0 shows all.
std::size_t shown_of(std::size_t count, std::uint64_t limit);
/// `  and 3 more (--limit 0 shows all)`; empty if nothing is left out.
std::string rest_line(std::size_t left_out, const std::string& option = "--limit",
                      const std::string& name = "more");

}  // namespace vramlab::tools
