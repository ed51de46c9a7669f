#include "tests/layout/layout_rules.h"

#include <algorithm>
#include <array>
#include <fstream>
#include <iterator>
#include <map>
#include <optional>
#include <set>
#include <sstream>
#include <stdexcept>
#include <utility>

#include "tests/layout/layout_tables.h"

namespace vramlab::tests {
namespace {

constexpr std::array<std::string_view, 6> code_folders = {"allocator", "streams", "traces",
                                                          "replay",    "tools",   "tests"};
constexpr std::string_view docs_folder = "docs";

std::string_view folder_of(std::string_view path) {
  const auto slash = path.find('/');
  return slash == std::string_view::npos ? std::string_view{} : path.substr(0, slash);
}

bool is_code_folder(std::string_view folder) {
  return std::find(code_folders.begin(), code_folders.end(), folder) != code_folders.end();
}

/// The text of a line that is a comment and nothing else.
std::optional<std::string_view> comment_of(std::string_view line) {
  line.remove_prefix(std::min(line.find_first_not_of(" \t"), line.size()));
  if (!line.starts_with("//")) return std::nullopt;
  line.remove_prefix(std::min(line.find_first_not_of('/'), line.size()));
  line.remove_prefix(std::min(line.find_first_not_of(' '), line.size()));
  return line;
}

bool lacks_subject(std::string_view comment) {
  const std::string_view word = comment.substr(0, comment.find_first_of(" :,.;"));
  return word == "Of" || word == "Where" || word == "Nothing";
}

/// Standard headers are single words: no ending, no folder.
bool is_standard_header(std::string_view target) {
  return target.find_first_of("./") == std::string_view::npos;
}

std::optional<std::string> fault_of_angled(const SourceFile& file, const Include& include) {
  if (is_code_folder(folder_of(include.target))) {
    return says_include(file, include) + "our own headers are written in quotes";
  }
  if (folder_of(file.path) == "allocator" && !is_standard_header(include.target) &&
      !allocator_foreign_headers.contains(include.target)) {
    return says_include(file, include) + "allocator/ uses the standard library alone";
  }
  return std::nullopt;
}

std::optional<std::string> fault_of_quoted(const SourceFile& file, const Include& include) {
  const auto from = folder_of(file.path);
  const auto to = folder_of(include.target);
  if (!is_code_folder(to)) {
    return says_include(file, include) + "includes are written from the root of the tree";
  }
  if (from == "tests" || from == to) return std::nullopt;
  const auto row = allowed_arrows.find(from);
  if (row == allowed_arrows.end() || !row->second.contains(to)) {
    return says_include(file, include) + std::string(from) + "/ may not know " + std::string(to) +
           "/";
  }
  return std::nullopt;
}

void append(std::vector<std::string>& sentences, std::optional<std::string> sentence) {
  if (sentence) sentences.push_back(std::move(*sentence));
}

/// From each file to those of the listed files that it includes.
using IncludeGraph = std::map<std::string, std::set<std::string>>;

IncludeGraph graph_of(const std::vector<SourceFile>& files) {
  IncludeGraph graph;
  for (const auto& file : files) graph[file.path];
  for (const auto& file : files) {
    for (const auto& include : file.includes) {
      if (graph.contains(include.target)) graph[file.path].insert(include.target);
    }
  }
  return graph;
}

/// Takes away, again and again, the files that include nothing that is left. What stays lies on a
/// circle or leads to one.
void remove_files_without_circle(IncludeGraph& graph) {
  bool removed = true;
  while (removed) {
    std::set<std::string> leaves;
    for (const auto& [path, targets] : graph) {
      if (targets.empty()) leaves.insert(path);
    }
    removed = !leaves.empty();
    for (const auto& leaf : leaves) graph.erase(leaf);
    for (auto& [path, targets] : graph) {
      std::erase_if(targets, [&](const std::string& target) { return leaves.contains(target); });
    }
  }
}

std::string read_text(const std::filesystem::path& path) {
  std::ifstream input(path, std::ios::binary);
  if (!input) throw std::runtime_error("cannot read " + path.string());
  return {std::istreambuf_iterator<char>(input), std::istreambuf_iterator<char>()};
}

std::size_t count_lines(std::string_view text) {
  const auto ends = static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n'));
  return ends + (text.empty() || text.ends_with('\n') ? 0 : 1);
}

std::optional<Include> parse_include(std::string_view line) {
  const auto skip_spaces = [&line] {
    line.remove_prefix(std::min(line.find_first_not_of(" \t"), line.size()));
  };
  skip_spaces();
  if (!line.starts_with('#')) return std::nullopt;
  line.remove_prefix(1);
  skip_spaces();
  constexpr std::string_view word = "include";
  if (!line.starts_with(word)) return std::nullopt;
  line.remove_prefix(word.size());
  skip_spaces();
  if (line.empty() || (line.front() != '"' && line.front() != '<')) return std::nullopt;
  const bool quoted = line.front() == '"';
  const auto end = line.find(quoted ? '"' : '>', 1);
  if (end == std::string_view::npos) return std::nullopt;
  return Include{std::string(line.substr(1, end - 1)),
                 quoted ? IncludeForm::quoted : IncludeForm::angled};
}

}  // namespace

std::string says_include(const SourceFile& file, const Include& include) {
  return file.path + " includes " + include.target + ": ";
}

std::vector<std::string> broken_arrows(const std::vector<SourceFile>& files) {
  std::vector<std::string> broken;
  for (const auto& file : files) {
    for (const auto& include : file.includes) {
      const bool quoted = include.form == IncludeForm::quoted;
      append(broken, quoted ? fault_of_quoted(file, include) : fault_of_angled(file, include));
    }
  }
  return broken;
}

std::vector<std::string> include_circles(const std::vector<SourceFile>& files) {
  auto graph = graph_of(files);
  remove_files_without_circle(graph);
  if (graph.empty()) return {};
  // Every file left includes another one left, so a walk must come back to where it was.
  std::vector<std::string> walk = {graph.begin()->first};
  while (std::count(walk.begin(), walk.end(), walk.back()) == 1) {
    walk.push_back(*graph[walk.back()].begin());
  }
  std::string sentence = "includes go in a circle: ";
  for (auto at = std::find(walk.begin(), walk.end(), walk.back()); at != walk.end(); ++at) {
    sentence += *at + (std::next(at) == walk.end() ? "" : " -> ");
  }
  return {sentence};
}

std::vector<std::string> unknown_threads(const std::vector<SourceFile>& files) {
  std::vector<std::string> broken;
  for (const auto& file : files) {
    if (sources_with_threads.contains(file.path) || file.path.starts_with(threaded_tests)) continue;
    for (const Include& include : file.includes)
      if (include.target == "thread" || include.target == "future")
        broken.push_back(file.path + " starts threads that no thread sanitizer sees");
  }
  return broken;
}

std::vector<std::string> shared_temporary_files(const std::vector<SourceFile>& files) {
  std::vector<std::string> broken;
  for (const auto& file : files) {
    if (!file.names_shared_folder || !file.path.starts_with("tests/")) continue;
    if (file.path == home_of_test_files || file.path.starts_with("tests/layout/")) continue;
    broken.push_back(file.path + " has files where other tests have theirs: use " +
                     std::string(home_of_test_files));
  }
  return broken;
}

std::vector<std::string> refused_by_clang(const std::vector<SourceFile>& files) {
  std::vector<std::string> broken;
  for (const auto& file : files) {
    if (file.path.starts_with("tests/layout/")) continue;
    for (const std::string_view name : file.refused_names)
      broken.push_back(file.path + " has a " + std::string(name) +
                       ", which clang 14 can't compile: lint and fuzzing need it");
  }
  return broken;
}

std::vector<std::string> comments_without_subject(const std::vector<SourceFile>& files) {
  std::vector<std::string> broken;
  for (const auto& file : files)
    for (const std::size_t line : file.comments_without_subject)
      broken.push_back(file.path + ":" + std::to_string(line) +
                       " begins a comment with Of, Where or Nothing: put the subject first");
  return broken;
}

std::vector<std::string> overlong_files(const std::vector<SourceFile>& files) {
  std::vector<std::string> broken;
  for (const auto& file : files) {
    if (file.line_count <= most_lines_of_a_file) continue;
    broken.push_back(file.path + " has " + std::to_string(file.line_count) +
                     " lines and asks to be two: the most is " +
                     std::to_string(most_lines_of_a_file));
  }
  return broken;
}

std::vector<std::string> broken_readmes(const std::vector<FolderReadme>& readmes) {
  std::vector<std::string> broken;
  for (const auto& readme : readmes) {
    const auto name = readme.folder + "/README.md";
    if (readme.line_count == 0) broken.push_back(name + " is missing or empty");
    if (readme.line_count > most_lines_of_a_readme) {
      broken.push_back(name + " has " + std::to_string(readme.line_count) + " lines: the most is " +
                       std::to_string(most_lines_of_a_readme));
    }
  }
  return broken;
}

SourceFile parse_source(std::string path, std::string_view text) {
  SourceFile file{std::move(path), count_lines(text), {}};
  for (const std::string_view name : {"TempDir()", "temp_directory_path()"})
    file.names_shared_folder |= text.find(name) != std::string_view::npos;
  for (const std::string_view name : clang_refuses)
    if (text.find(name) != std::string_view::npos) file.refused_names.push_back(name);
  std::istringstream lines{std::string(text)};
  std::size_t number = 0;
  bool is_in_comment = false;
  for (std::string line; std::getline(lines, line);) {
    ++number;
    if (auto include = parse_include(line)) file.includes.push_back(std::move(*include));
    const std::optional<std::string_view> comment = comment_of(line);
    if (comment && !is_in_comment && lacks_subject(*comment))
      file.comments_without_subject.push_back(number);
    is_in_comment = comment.has_value();
  }
  return file;
}

std::vector<SourceFile> read_tree(const std::filesystem::path& root) {
  std::vector<SourceFile> files;
  for (const auto folder : code_folders) {
    for (const auto& entry : std::filesystem::recursive_directory_iterator(root / folder)) {
      const auto ending = entry.path().extension();
      const bool is_source = ending == ".h" || ending == ".cpp" || ending == ".cu";
      if (!entry.is_regular_file() || !is_source) continue;
      files.push_back(parse_source(entry.path().lexically_relative(root).generic_string(),
                                   read_text(entry.path())));
    }
  }
  std::sort(files.begin(), files.end(),
            [](const SourceFile& a, const SourceFile& b) { return a.path < b.path; });
  return files;
}

std::vector<FolderReadme> read_readmes(const std::filesystem::path& root) {
  std::vector<std::string_view> folders(code_folders.begin(), code_folders.end());
  folders.push_back(docs_folder);
  std::vector<FolderReadme> readmes;
  for (const auto folder : folders) {
    const auto path = root / folder / "README.md";
    const bool present = std::filesystem::exists(path);
    readmes.push_back({std::string(folder), present ? count_lines(read_text(path)) : 0});
  }
  return readmes;
}

}  // namespace vramlab::tests
