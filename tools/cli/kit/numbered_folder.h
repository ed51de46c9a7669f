// NumberedFolder: a folder for files that go with the process, among the temporary files.
#pragma once

#include <filesystem>
#include <string>

namespace vramlab::tools {

/// An empty folder whose name is the same in each run, so that the names in the output of a program
/// stay the same, too. Runs at the same time get different numbers. It is removed at the end.
class NumberedFolder {
 public:
  /// Takes `beginning`-1, or the next number that no other process holds, up to 1000, and then a
  /// name of its own. Leftovers of a killed process are removed. Throws if no folder can be made.
  explicit NumberedFolder(const std::string& beginning);
  NumberedFolder(const NumberedFolder&) = delete;
  NumberedFolder& operator=(const NumberedFolder&) = delete;
  ~NumberedFolder();

  const std::filesystem::path& path() const { return path_; }

 private:
  bool take(const std::filesystem::path& path);

  std::filesystem::path path_;
  /// An open file in the folder; its lock ends with the process.
  int lock_ = -1;
};

}  // namespace vramlab::tools
