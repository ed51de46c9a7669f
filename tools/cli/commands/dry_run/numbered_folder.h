// NumberedFolder: an empty folder whose name is the same in each run, so that what a program writes
// about its own files is, too. Runs at the same time get different numbers. It is gone at the end.
#pragma once

#include <filesystem>
#include <string>

namespace vramlab::tools {

class NumberedFolder {
 public:
  /// `beginning`-1, or the next number that no other process holds. What a process left there that
  /// was killed is removed. Throws where no folder can be made.
  explicit NumberedFolder(const std::string& beginning);
  NumberedFolder(const NumberedFolder&) = delete;
  NumberedFolder& operator=(const NumberedFolder&) = delete;
  ~NumberedFolder();

  const std::filesystem::path& path() const { return path_; }

 private:
  bool take(const std::filesystem::path& path);

  std::filesystem::path path_;
  /// An open file in it, whose lock ends with the process.
  int lock_ = -1;
};

}  // namespace vramlab::tools
