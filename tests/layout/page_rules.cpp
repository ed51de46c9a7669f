#include "tests/layout/page_rules.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <fstream>
#include <regex>
#include <sstream>
#include <string_view>

namespace vramlab::tests {
namespace {

constexpr std::size_t most_letters_of_a_line = 120;

constexpr std::array<std::string_view, 7> page_folders = {"allocator", "docs",  "replay", "streams",
                                                          "tests",     "tools", "traces"};

/// Letters, not bytes: bytes that continue a letter of UTF-8 don't count.
std::size_t letters_in(std::string_view line) {
  return static_cast<std::size_t>(std::count_if(line.begin(), line.end(), [](char byte) {
    return (static_cast<unsigned char>(byte) & 0xC0U) != 0x80U;
  }));
}

std::string without_link_targets(const std::string& line) {
  static const std::regex target(R"(\]\([^)]*\))");
  return std::regex_replace(line, target, "]");
}

bool opens_or_closes_code(std::string_view line) {
  const std::size_t begin = line.find_first_not_of(' ');
  return begin != std::string_view::npos && line.substr(begin).starts_with("```");
}

void add_overlong_lines(const MarkdownPage& page, std::vector<std::string>& broken) {
  std::istringstream lines(page.text);
  bool in_code = false;
  std::size_t number = 0;
  for (std::string line; std::getline(lines, line);) {
    ++number;
    if (opens_or_closes_code(line)) in_code = !in_code;
    const bool may_be_long = in_code || line.starts_with('|') || line.starts_with("    ");
    const std::size_t length = letters_in(without_link_targets(line));
    if (may_be_long || length <= most_letters_of_a_line) continue;
    broken.push_back(page.path + ":" + std::to_string(number) + " has " + std::to_string(length) +
                     " letters: the most is " + std::to_string(most_letters_of_a_line));
  }
}

bool is_program_output(const std::filesystem::path& path) {
  const std::string folder = path.parent_path().parent_path().generic_string();
  return folder == "tests/golden";
}

bool is_installed_package(const std::filesystem::path& path) {
  return std::find(path.begin(), path.end(), "node_modules") != path.end();
}

MarkdownPage read_page(const std::filesystem::path& root, const std::filesystem::path& path) {
  return {path.generic_string(), support::content_of(root / path)};
}

}  // namespace

std::vector<std::string> overlong_page_lines(const std::vector<MarkdownPage>& pages) {
  std::vector<std::string> broken;
  for (const MarkdownPage& page : pages) add_overlong_lines(page, broken);
  return broken;
}

std::vector<MarkdownPage> read_pages(const std::filesystem::path& root) {
  std::vector<MarkdownPage> pages;
  const auto add = [&](const std::filesystem::directory_entry& entry) {
    const auto path = entry.path().lexically_relative(root);
    if (path.extension() != ".md" || is_program_output(path) || is_installed_package(path)) return;
    pages.push_back(read_page(root, path));
  };
  for (const auto& entry : std::filesystem::directory_iterator(root)) add(entry);
  for (const std::string_view folder : page_folders)
    for (const auto& entry : std::filesystem::recursive_directory_iterator(root / folder))
      add(entry);
  std::sort(pages.begin(), pages.end(),
            [](const MarkdownPage& a, const MarkdownPage& b) { return a.path < b.path; });
  return pages;
}

}  // namespace vramlab::tests
