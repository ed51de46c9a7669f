// Rules for the Markdown pages of the repository: lines short enough for a terminal and a diff.
// Rows of tables, code and the targets of links may be longer, because they can't be wrapped.
#pragma once

#include <array>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace vramlab::tests {

/// A Markdown file; its path is written from the root with '/'.
struct MarkdownPage {
  std::string path;
  std::string text;
};

/// The lines that are too long, as sentences; none if all pages keep the rule.
std::vector<std::string> overlong_page_lines(const std::vector<MarkdownPage>& pages);

/// Pages that are still too long because they are about to be rewritten. A page that keeps the rule
/// leaves the list.
constexpr std::array<std::string_view, 4> pages_to_shorten = {
    "README.md", "replay/README.md", "tools/README.md", "traces/README.md"};

bool is_to_be_shortened(const MarkdownPage& page);

/// Every Markdown file that people read: outputs of the program (tests/golden/*/) are left out.
std::vector<MarkdownPage> read_pages(const std::filesystem::path& root);

}  // namespace vramlab::tests
