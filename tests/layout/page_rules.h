// Rules for the Markdown pages of the repository: lines short enough for a terminal and a diff.
// Rows of tables, code and the targets of links may be longer, because they can't be wrapped.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace vramlab::tests {

/// A Markdown file; its path is written from the root with '/'.
struct MarkdownPage {
  std::string path;
  std::string text;
};

/// The lines that are too long, as sentences; none if all pages keep the rule.
std::vector<std::string> overlong_page_lines(const std::vector<MarkdownPage>& pages);

/// Every Markdown file that people read: outputs of the program (tests/golden/*/) are left out.
std::vector<MarkdownPage> read_pages(const std::filesystem::path& root);

}  // namespace vramlab::tests
