// The rules of the house as functions over values: which folder may include which, that includes
// make no circle, and how long a file may be; those of rooms are in room_rules.h. Reading the tree
// is here too, so that the test can hand the rules good and bad trees alike.
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace vramlab::tests {

enum class IncludeForm { quoted, angled };

struct Include {
  std::string target;
  IncludeForm form = IncludeForm::quoted;
};

/// A header or source; its path is written from the root with '/'.
struct SourceFile {
  std::string path;
  std::size_t line_count = 0;
  std::vector<Include> includes;
  /// It names the folder that all programs keep their temporary files in.
  bool names_shared_folder = false;
  /// Names that clang_refuses (layout_tables.h).
  std::vector<std::string_view> refused_names = {};
  /// Lines on which a comment without a subject begins: with Of, Where or Nothing.
  std::vector<std::size_t> comments_without_subject = {};
};

/// A folder's README; without one, line_count is 0.
struct FolderReadme {
  std::string folder;
  std::size_t line_count = 0;
};

/// How a sentence about an include begins.
std::string says_include(const SourceFile& file, const Include& include);

/// Each returns the broken rules as sentences, none if all hold.
std::vector<std::string> broken_arrows(const std::vector<SourceFile>& files);
std::vector<std::string> include_circles(const std::vector<SourceFile>& files);
std::vector<std::string> unknown_threads(const std::vector<SourceFile>& files);
std::vector<std::string> shared_temporary_files(const std::vector<SourceFile>& files);
std::vector<std::string> refused_by_clang(const std::vector<SourceFile>& files);
std::vector<std::string> comments_without_subject(const std::vector<SourceFile>& files);
std::vector<std::string> overlong_files(const std::vector<SourceFile>& files);
std::vector<std::string> broken_readmes(const std::vector<FolderReadme>& readmes);

SourceFile parse_source(std::string path, std::string_view text);

/// Every header and source of the source folders.
std::vector<SourceFile> read_tree(const std::filesystem::path& root);
std::vector<FolderReadme> read_readmes(const std::filesystem::path& root);

}  // namespace vramlab::tests
